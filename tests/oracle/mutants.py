"""Wrong values, put into one side of each field: the oracle has to report each."""

import dataclasses
import re
from datetime import datetime

import clock
from clock import STAMP, moment, seconds
from compare import ABSENT
from differences import count_of
from verdicts import Verdict

HOURS = 36000
ACCEPTED = (Verdict.EQUAL, Verdict.MAPPED, Verdict.OWN, Verdict.EXPLAINED)


def span_of(total):
    days, rest = divmod(total, 86400)
    text = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days}-{text}" if days else text


def later(found):
    """A moment an hour on, a span ten hours longer: 1:30 becomes 10:01:30."""
    if found["span"]:
        return span_of(seconds(found[0]) + HOURS)
    if found["moment"]:
        return re.sub(r"T(\d\d)", lambda hour: f"T{(int(hour[1]) + 1) % 24:02}", found[0])
    return re.sub(r" (\d\d):", lambda hour: f" {(int(hour[1]) + 1) % 24:02}:", found[0], count=1)


def a_little_later(found):
    """By ten seconds, in the same form."""
    if found["span"]:
        total = seconds(found[0]) + 10
        return span_of(total) if found[0].count(":") == 2 else f"{total // 60}:{total % 60:02}"
    if found["moment"]:
        return datetime.fromtimestamp(moment(found) + 10).strftime("%Y-%m-%dT%H:%M:%S")
    return found[0]


def each(pattern, change):
    """The texts that come of changing one place after the other."""
    def texts(text):
        for found in pattern.finditer(text):
            yield text[:found.start()] + change(found) + text[found.end():]
    return texts


def one_more(field):
    """Each number that is not part of a time is one more: cpu=9, 10:00:00 as it is. 0:15 may be an exit code, unless the clock moves it."""
    text = field.berth
    times = [(found.start(), found.end()) for found in STAMP.finditer(text)
             if not re.fullmatch(r"\d:\d+|\d+:\d", found[0]) or clock.runs(field.command, clock.name_of(field, found))]
    for found in re.finditer(r"\d+", text):
        if not any(a <= found.start() < b for a, b in times):
            yield text[:found.start()] + str(int(found[0]) + 1) + text[found.end():]


MUTATIONS = {
    "a time": each(STAMP, later),
    "a word": lambda text: [re.sub(r"[A-Za-z]{3,}", lambda word: word[0][::-1] + "x", text, count=1)],
    "two blanks": each(re.compile(r"(?<=\S) +(?=\S)"), lambda blanks: blanks[0] + " "),
    "a newline": each(re.compile(r"(?<=\S) +(?=\S)"), lambda _: "\n"),
    "a value that is missing": lambda _: [ABSENT],
    "a value more": lambda text: [text + " wrong"],
}
# Likewise of a job that is over.
OVER = {"ten seconds of a job that is over": each(STAMP, a_little_later)}
# Put into Slurm's side of what is explained: a rule that accepts these looks at nothing there.
THEIRS = {"Slurm's word": MUTATIONS["a word"], "a value more of Slurm's": MUTATIONS["a value more"]}


@dataclasses.dataclass(frozen=True)
class Mutant:
    what: str
    field: object

    def __str__(self):
        return f"{self.what}: {self.field}"


def wrong_numbers(field, context):
    """What the clock moves, by hours, or by ten seconds if it stands still. Of the CPUs of a node only how many they are is compared."""
    if clock.runs(field.command, field.field) and field.berth.isdigit():
        return [str(int(field.berth) + (10 if context.has_ended(field) else HOURS))]
    return [text for text in one_more(field) if not field.field.startswith("CPU_IDs") or count_of(text) != count_of(field.berth)]


def of(field, context, own=None):
    """Another value on our side, which is not what Slurm says either. `own`: the rule for what each cluster has its own of, which says
    what cannot be wrong."""
    kinds = MUTATIONS | (OVER if context.has_ended(field) else {})
    texts = {what: change(field.berth) for what, change in kinds.items()} | {"a number": wrong_numbers(field, context)}
    for what in ("a number",) * (own is not None and own.any_number) + ("a value that is missing",) * (own is not None and own.may_be_absent):
        del texts[what]
    for what, wrongs in texts.items():
        for wrong in wrongs:
            if wrong not in (field.berth, field.slurm):
                yield Mutant(what, dataclasses.replace(field, berth=wrong))


def of_theirs(field):
    for what, change in THEIRS.items():
        for wrong in change(field.slurm):
            if wrong not in (field.berth, field.slurm):
                yield Mutant(what, dataclasses.replace(field, slurm=wrong))


def survivors(fields, judge):
    """Those that nobody would notice; and how many there were."""
    tried, unnoticed = 0, []
    for field in fields:
        verdict, own = judge.verdict(field), judge.own(field)
        if verdict is Verdict.UNEXPLAINED or verdict is Verdict.EXPLAINED and judge.is_free(field):
            continue  # It is reported as it is, or nothing could be.
        mutants = list(of(field, judge.context, own))
        if verdict in (Verdict.EXPLAINED, Verdict.OWN):
            mutants += of_theirs(field)
        tried += len(mutants)
        unnoticed += [mutant for mutant in mutants if judge.verdict(mutant.field) in ACCEPTED]
    return unnoticed, tried
