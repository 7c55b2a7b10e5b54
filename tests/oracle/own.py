"""What each cluster has its own of, so that no value of one side says what the other's is to be."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass


@functools.cache
def compiled(pattern):
    """There are more patterns than `re` keeps."""
    return re.compile(pattern, re.DOTALL)


@dataclass(frozen=True)
class Own:
    """Fields that follow from how this comparison configures each cluster, or from when it counts: what each has to print."""

    command: str
    field: str
    slurm: Callable  # Of the value and the subject's name.
    berth: Callable  # Likewise, and of the context.
    alike: Callable | None = None  # Of the field: what both forms have in common.
    any_number: bool = False  # Any number is right, so a wrong one cannot be noticed.
    may_be_absent: bool = False  # Likewise that the value is missing.

    def meets(self, field):
        return all(compiled(getattr(self, part)).fullmatch(getattr(field, part)) for part in ("command", "field")) and field.subject != "head"

    def holds(self, field, context):
        name = field.subject.split("-")[0]
        return bool(self.slurm(field.slurm, name) and self.berth(field.berth, name, context) and (self.alike is None or self.alike(field)))
