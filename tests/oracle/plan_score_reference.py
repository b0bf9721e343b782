"""Computes the scores that plan_score_cases prints again, with NumPy's fp32 arithmetic, and compares the bits.

Usage: plan_score_reference.py PROGRAM. Exit status 4 without NumPy, which ctest counts as skipped.
"""
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(4)


def score(key_type, scale, query, key):
    q = np.frombuffer(bytes.fromhex(query), dtype=">u4").astype(np.uint32).view(np.float32)
    words = np.frombuffer(bytes.fromhex(key), dtype=">u2").astype(np.uint16)
    if key_type == "bf16":
        k = (words.astype(np.uint32) << 16).view(np.float32)
    else:
        k = words.view(np.float16).astype(np.float32)
    products = q * k
    lanes = np.zeros(32, np.float32)
    for start in range(0, len(products), 32):
        chunk = products[start:start + 32]
        lanes[:len(chunk)] = lanes[:len(chunk)] + chunk
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = lanes[:half] + lanes[half:]
    return int((lanes * np.array([int(scale, 16)], np.uint32).view(np.float32)).view(np.uint32)[0])


def main():
    lines = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()
    wrong = 0
    for number, line in enumerate(lines, 1):
        *case, emulated = line.split()
        computed = score(*case)
        if computed != int(emulated, 16):
            wrong += 1
            print(f"case {number}: {case[0]}, head size {len(case[3]) // 4}: {computed:08x}, emulated {emulated}")
    print(f"{len(lines)} scores, {wrong} wrong")
    return 0 if len(lines) == 400 and wrong == 0 else 1


sys.exit(main())
