"""Wrong values, put into Berth's side of every field: the oracle has to report each."""

import dataclasses
import re

import clock
from clock import STAMP, seconds
from compare import ABSENT
from differences import count_of
from verdicts import Verdict


def later(found):
    """A moment an hour on, a span ten hours longer: 1:30 becomes 10:01:30."""
    if found["span"]:
        total = seconds(found[0]) + 36000
        days, rest = divmod(total, 86400)
        clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
        return f"{days}-{clock}" if days else clock
    if found["moment"]:
        return re.sub(r"T(\d\d)", lambda hour: f"T{(int(hour[1]) + 1) % 24:02}", found[0])
    return re.sub(r" (\d\d):", lambda hour: f" {(int(hour[1]) + 1) % 24:02}:", found[0], count=1)


def one_more(text):
    """The last number that is not part of a time is one more: cpu=9, 0:16, gpu:3, 10:00:00 as it is."""
    times = [(found.start(), found.end()) for found in STAMP.finditer(text) if not re.fullmatch(r"\d:\d+|\d+:\d", found[0])]
    numbers = [found for found in re.finditer(r"\d+", text) if not any(a <= found.start() < b for a, b in times)]
    if not numbers:
        return text
    last = numbers[-1]
    return text[:last.start()] + str(int(last[0]) + 1) + text[last.end():]


MUTATIONS = {
    "a time": lambda text: STAMP.sub(later, text),
    "a number": one_more,
    "a word": lambda text: re.sub(r"[A-Za-z]{3,}", lambda word: word[0][::-1] + "x", text, count=1),
    "a value that is missing": lambda text: ABSENT,
    "a value more": lambda text: text + " wrong",
}


@dataclasses.dataclass(frozen=True)
class Mutant:
    what: str
    field: object

    def __str__(self):
        return f"{self.what}: {self.field}"


def of(field):
    """Another value on our side, which is not what Slurm says either. What the clock moves is moved by hours, and of the CPUs of a node
    only how many they are is compared."""
    for what, change in MUTATIONS.items():
        wrong = change(field.berth)
        if what == "a number" and clock.runs(field.command, field.field):
            wrong = str(int(field.berth) + 36000) if field.berth.isdigit() else field.berth
        if what == "a number" and field.field.startswith("CPU_IDs") and count_of(wrong) == count_of(field.berth):
            continue
        if wrong not in (field.berth, field.slurm):
            yield Mutant(what, dataclasses.replace(field, berth=wrong))


def survivors(fields, judge):
    """Those that nobody would notice; and how many there were."""
    mutants = [mutant for field in fields for mutant in of(field)]
    accepted = (Verdict.EQUAL, Verdict.MAPPED, Verdict.OWN, Verdict.EXPLAINED)
    return [mutant for mutant in mutants if judge.verdict(mutant.field) in accepted], len(mutants)
