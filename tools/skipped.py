#!/usr/bin/env python3
"""One line on what a test run skipped, and why, from the JUnit file that ctest wrote."""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter


def reason_of(output):
    """A test says GTEST_SKIP() << "SKIPPED: needs a GPU"; GoogleTest prints it below its own line."""
    said = re.search(r"SKIPPED:\s*(.+)", output) or re.search(r": Skipped\n(.+)", output)
    return said[1].strip() if said else "no reason given"


def skips_of(test):
    """{reason: count}. A program of many tests (tests/e2e) says what it skipped in lines of its own, also if others passed."""
    output = test.findtext("system-out") or ""
    counted = {reason: int(count) for count, reason in re.findall(r"^skipped: (\d+) × (.+)$", output, re.MULTILINE)}
    return counted or ({reason_of(output): 1} if test.find("skipped") is not None else {})


def main():
    reasons = Counter()
    for test in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        reasons.update(skips_of(test))
    if not reasons:
        print("Skipped: nothing.")
        return
    listed = "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
    print(f"Skipped: {sum(reasons.values())} ({listed})")


if __name__ == "__main__":
    main()
