"""What differs between Debian's Slurm and Berth, and why. Each points at a line of docs/slurm-differences.md."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    command: str  # Three patterns for the whole of what a Difference says.
    subject: str
    field: str
    why: str

    def explains(self, difference):
        return bool(re.fullmatch(self.command, difference.command) and re.fullmatch(self.subject, difference.subject)
                    and re.fullmatch(self.field, difference.field))


EXPLAINED = []
