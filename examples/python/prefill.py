#!/usr/bin/env python3
"""Attention prefill from Python: fp16 with a sink for each query head, through libwavesmith and HIP, compared with a
reference in float64 of its own. Exit status: 0 right, 1 wrong numbers, else the library's (4: no GPU)."""

import argparse
import contextlib
import ctypes
import json
import sys

import numpy

import wavesmith

BATCH, QUERIES, KEYS, QUERY_HEADS, KV_HEADS, HEAD_SIZE = 2, 60, 75, 2, 1, 64
TOLERANCE = 0.002  # |O| is below 1; fp16 keeps 11 bits of the weights and of the result


def reference(q, k, v, sinks):
    """Causal attention, bottom-right, in float64; a sink takes part in the denominator alone."""
    q, k, v = (tensor.astype(numpy.float64) for tensor in (q, k, v))
    k, v = (numpy.repeat(tensor, QUERY_HEADS // KV_HEADS, axis=2) for tensor in (k, v))
    scores = numpy.einsum("bqhd,bkhd->bhqk", q, k) / numpy.sqrt(HEAD_SIZE)
    visible = numpy.arange(KEYS)[None, :] <= numpy.arange(QUERIES)[:, None] + KEYS - QUERIES
    scores = numpy.where(visible, scores, -numpy.inf)
    sink = numpy.broadcast_to(sinks.astype(numpy.float64)[None, :, None, None], (BATCH, QUERY_HEADS, QUERIES, 1))
    most = numpy.maximum(scores.max(axis=-1, keepdims=True), sink)
    weights = numpy.exp(scores - most)
    weights /= weights.sum(axis=-1, keepdims=True) + numpy.exp(sink - most)
    return numpy.einsum("bhqk,bkhd->bqhd", weights, v)


def strides(tensor):
    """Distances in elements, which is what the library wants of any array whose last axis is contiguous."""
    batch, token, head, element = (step // tensor.itemsize for step in tensor.strides)
    assert element == 1
    return wavesmith.Strides(batch, token, head)


class Device:
    """A GPU: its arrays and its one stream."""

    def __init__(self, library, hip, stack):
        self.library = library
        self.launcher = library.made("launcher_open", hip.encode() if hip else None)
        stack.callback(library.launcher_close, self.launcher)
        self.info = wavesmith.DeviceInfo()
        library.launcher_get_device(self.launcher, 0, ctypes.byref(self.info))
        self.stack = stack
        self.stream = library.made("stream_create", self.launcher, 0)
        stack.callback(library.stream_destroy, self.launcher, self.stream)

    def array(self, values):
        """A copy of an array on the device; the array must stay until the stream was synchronised."""
        address = ctypes.c_uint64()
        self.library.memory_allocate(self.launcher, 0, values.nbytes, ctypes.byref(address))
        self.stack.callback(self.library.memory_free, self.launcher, address)
        self.library.memory_copy_to_device(self.launcher, address, values.ctypes.data, values.nbytes, self.stream)
        return address.value

    def read(self, values, address):
        self.library.memory_copy_to_host(self.launcher, values.ctypes.data, address, values.nbytes, self.stream)
        self.library.stream_synchronize(self.launcher, self.stream)


def prefill(library, hip, stack):
    device = Device(library, hip, stack)
    fields = {"head_size": HEAD_SIZE, "num_query_heads": QUERY_HEADS, "num_kv_heads": KV_HEADS, "dtype": "fp16",
              "sinks": True, "block_m": 128, "target": device.info.target.decode()}
    request = library.made("request_from_json", json.dumps(fields).encode())
    stack.callback(library.request_destroy, request)
    jit = library.made("jit_create", None)
    stack.callback(library.jit_destroy, jit)
    kernel = library.made("jit_get", jit, request)
    stack.callback(library.kernel_destroy, kernel)
    loaded = library.made("launcher_load", device.launcher, 0, kernel)
    stack.callback(library.loaded_kernel_destroy, loaded)

    random = numpy.random.default_rng(1)
    q = random.uniform(-3, 3, (BATCH, QUERIES, QUERY_HEADS, HEAD_SIZE)).astype(numpy.float16)
    k, v = (random.uniform(-1, 1, (BATCH, KEYS, KV_HEADS, HEAD_SIZE)).astype(numpy.float16) for _ in range(2))
    sinks = numpy.array([0.5, -1.0], dtype=numpy.float32)
    o = numpy.full_like(q, numpy.nan)

    buffers = wavesmith.AttentionBuffers(q=device.array(q), k=device.array(k), v=device.array(v), o=device.array(o),
                                         sinks=device.array(sinks))
    shapes = wavesmith.AttentionShapes(batch=BATCH, seqlen_q=QUERIES, seqlen_kv=KEYS, q=strides(q), k=strides(k),
                                       v=strides(v), o=strides(o))
    launch = wavesmith.Launch()
    library.plan_attention(kernel, ctypes.byref(shapes), ctypes.byref(buffers), ctypes.byref(launch))
    library.launcher_launch(device.launcher, loaded, ctypes.byref(launch), device.stream)
    device.read(o, buffers.o)
    error = numpy.abs(o.astype(numpy.float64) - reference(q, k, v, sinks)).max()
    print(f"{device.info.name.decode()}, {device.info.target.decode()}")
    print(f"largest error {error:.2e}, allowed {TOLERANCE:.2e}")
    return 0 if error <= TOLERANCE else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", help="path of libwavesmith (default: the dynamic linker's)")
    parser.add_argument("--hip", help="path of libamdhip64 (default: the dynamic linker's)")
    options = parser.parse_args()
    try:
        with contextlib.ExitStack() as stack:
            return prefill(wavesmith.Library(options.library), options.hip, stack)
    except wavesmith.Error as error:
        print(error, file=sys.stderr)
        return error.status


if __name__ == "__main__":
    sys.exit(main())
