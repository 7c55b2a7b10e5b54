"""What becomes of each field: equal, explained by a row of docs/slurm-differences.md, or neither."""

from collections import Counter
from enum import Enum

import clock
from context import Context  # noqa: F401  # For those who judge.
from differences import OWN
from explained import EXPLAINED
from own import compiled


class Verdict(Enum):
    EQUAL = "equal"
    MAPPED = "equal once 22.05's form is brought into 25.11's"
    OWN = "each cluster's own, and of the right form on both sides"
    EXPLAINED = "explained, by value"
    UNEXPLAINED = "not explained"


class Judge:
    """`context`: what a rule may ask of other fields. `rules`: those that explain, in the order in which they are asked. `free`: what
    rules say where nothing tells what Berth has to print."""

    def __init__(self, context, rules=EXPLAINED, owns=OWN, free=()):
        self.context, self.rules, self.owns, self.free = context, rules, owns, free
        self.used = Counter()  # Rule number → fields.
        self.of_command, self.of_names = {}, {}  # What may say of these: each rule is asked once for each name, not for each value.

    def candidates(self, field):
        names = field.command, field.subject, field.field
        if field.command not in self.of_command:
            self.of_command[field.command] = [(number, rule) for number, rule in enumerate(self.rules)
                                              if compiled(rule.command).fullmatch(field.command)]
        if names not in self.of_names:
            self.of_names[names] = ([own for own in self.owns if own.meets(field)],
                                    [(number, rule) for number, rule in self.of_command[field.command] if rule.meets(field)])
        return self.of_names[names]

    def own(self, field):
        """The rule for what each cluster has its own of; None: there is none for this field."""
        return next(iter(self.candidates(field)[0]), None)

    def verdict(self, field):
        own = self.own(field)
        if own is not None:
            return Verdict.OWN if own.holds(field, self.context) else Verdict.UNEXPLAINED
        if clock.agree(field, self.context):
            return Verdict.MAPPED if field.mapped else Verdict.EQUAL
        number = self.explaining(field)
        if number is None:
            return Verdict.UNEXPLAINED
        self.used[number] += 1
        return Verdict.EXPLAINED

    def explaining(self, field):
        """The number of the first rule that explains a field; None: none does."""
        return next((number for number, rule in self.candidates(field)[1] if rule.explains(field, self.context)), None)

    def is_free(self, field):
        """REQUIRES: verdict(field) is EXPLAINED."""
        return self.rules[self.explaining(field)].says in self.free

    def idle(self):
        return [rule for number, rule in enumerate(self.rules) if number not in self.used]
