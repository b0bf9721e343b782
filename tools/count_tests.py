#!/usr/bin/env python3
"""Prints "passed failed skipped" of a ctest JUnit file; a file that is missing or empty counts as one failure."""
import sys
import xml.etree.ElementTree as ElementTree

try:
    suite = ElementTree.parse(sys.argv[1]).getroot()
    total, failed = int(suite.get("tests", 0)), int(suite.get("failures", 0))
    skipped = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
except (OSError, ElementTree.ParseError) as error:
    print(f"no test results: {error}", file=sys.stderr)
    total, failed, skipped = 1, 1, 0
if total == 0:
    total, failed = 1, 1
print(total - failed - skipped, failed, skipped)
