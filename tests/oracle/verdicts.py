"""What becomes of each field: equal, explained by a row of docs/slurm-differences.md, or neither."""

from collections import Counter
from enum import Enum

import clock
from context import Context  # noqa: F401  # For those who judge.
from differences import OWN
from explained import EXPLAINED


class Verdict(Enum):
    EQUAL = "equal"
    MAPPED = "equal once 22.05's form is brought into 25.11's"
    OWN = "each cluster's own, and of the right form on both sides"
    EXPLAINED = "explained, by value"
    UNEXPLAINED = "not explained"


class Judge:
    """`context`: what a rule may ask of other fields."""

    def __init__(self, context):
        self.context = context
        self.used = Counter()  # Rule number → fields.

    def verdict(self, field):
        own = next((rule for rule in OWN if rule.meets(field)), None)
        if own is not None:
            return Verdict.OWN if own.holds(field, self.context) else Verdict.UNEXPLAINED
        if clock.agree(field, self.context):
            return Verdict.MAPPED if field.mapped else Verdict.EQUAL
        for number, rule in enumerate(EXPLAINED):
            if rule.explains(field, self.context):
                self.used[number] += 1
                return Verdict.EXPLAINED
        return Verdict.UNEXPLAINED

    def idle(self):
        return [rule for number, rule in enumerate(EXPLAINED) if number not in self.used]
