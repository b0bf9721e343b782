#!/usr/bin/env python3
"""Prints "passed failed skipped" of a ctest JUnit file; a file that is missing or empty counts as one failure.
With --failures it prints instead the name of each test that failed and the end of what it printed."""
import sys
import xml.etree.ElementTree as ElementTree

SHOWN_LINES = 40


def counts(suite):
    total, failed = int(suite.get("tests", 0)), int(suite.get("failures", 0))
    skipped = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
    return (total - failed - skipped, failed, skipped) if total else (0, 1, 0)


def print_failures(suite):
    for case in suite.iter("testcase"):
        if case.get("status") == "fail" or case.find("failure") is not None:
            print(f"FAILED: {case.get('name')}")
            for line in (case.findtext("system-out") or "").splitlines()[-SHOWN_LINES:]:
                print(f"    {line}")


def main():
    try:
        suite = ElementTree.parse(sys.argv[-1]).getroot()
    except (OSError, ElementTree.ParseError) as error:
        print(f"no test results: {error}", file=sys.stderr)
        suite = ElementTree.Element("testsuite")
    if sys.argv[1] == "--failures":
        print_failures(suite)
    else:
        print(*counts(suite))


main()
