#!/usr/bin/env python3
"""Holds a page to the tests it names: every name in the last column of its tables must be that of a test case.

    tools/check_named_tests.py PAGE TESTS_FOLDER
"""
import pathlib
import re
import sys

TEST = re.compile(r'\bT(?:EMPLATE_T)?EST_CASE(?:_SIG)?\(\s*((?:"[^"]*"\s*)+)')


def test_names(folder):
    names = set()
    for source in folder.rglob("*.cpp"):
        for literals in TEST.findall(source.read_text()):
            names.add("".join(re.findall(r'"([^"]*)"', literals)))
    return names


def main():
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rows = [line for line in page.read_text().splitlines() if line.startswith("|")][2:]
    existing = test_names(folder)
    missing = []
    for row in rows:
        named = re.findall(r'"([^"]*)"', row.split("|")[-2])
        missing += [f"no test: {name}" for name in named if name not in existing]
        if not named:
            missing.append(f"names no test: {row}")
    for line in missing:
        print(line)
    print(f"{page.name}: {len(rows)} rows, {len(existing)} tests, {len(missing)} mistakes")
    return 1 if missing or not rows else 0


sys.exit(main())
