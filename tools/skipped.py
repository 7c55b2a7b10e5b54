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


def main():
    tests = ElementTree.parse(sys.argv[1]).getroot().iter("testcase")
    reasons = Counter(reason_of(test.findtext("system-out") or "")
                      for test in tests if test.find("skipped") is not None)
    if not reasons:
        print("Skipped: nothing.")
        return
    listed = "; ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
    print(f"Skipped: {sum(reasons.values())} ({listed})")


if __name__ == "__main__":
    main()
