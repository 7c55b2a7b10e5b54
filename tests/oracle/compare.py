"""Outputs of two clusters, taken apart into fields, with what must differ made equal."""

import difflib
import itertools
import re
from dataclasses import dataclass

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
AGO = re.compile(r"(?<![\w:./-])(\d+-)?(\d+:)?\d+:\d\d(?![\w:./-])")
DAY = re.compile(r"\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}")
SECONDS = {"ElapsedRaw", "CPUTimeRAW"}


@dataclass(frozen=True)
class Field:
    """One thing that both sides say, alike or not."""

    command: str  # "squeue -l"
    subject: str  # The job, node or partition; a line of a table where there is none.
    field: str
    slurm: str
    berth: str

    def __str__(self):
        return f"{self.command} | {self.subject} | {self.field}: Slurm {self.slurm!r}, Berth {self.berth!r}"


class Side:
    """One cluster, and the ids of its jobs, which come out the same on both."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.ids = {}  # Job name → id.

    def plain(self, text):
        """Without directories."""
        return text.replace(str(self.cluster.work), "WORK").replace(str(self.cluster.root), "ROOT")


def values(text):
    """The KEY=VALUE pairs of `scontrol show`; a value may hold blanks."""
    pairs = {}
    for found in re.finditer(r"(?:^|\s)([A-Za-z][\w:/]*)=(.*?)(?=\s+[A-Za-z][\w:/]*=|\s*$)", text.replace("\n", " ")):
        key = found[1]
        while key in pairs:
            key += "'"
        pairs[key] = found[2].strip()
    return pairs


def plain_value(text):
    return AGO.sub("T", TIME.sub("DATE", text))


def pairs_differ(command, subject, slurm, berth):
    ours, theirs = values(berth), values(slurm)
    for key in sorted(ours.keys() | theirs.keys()):
        yield Field(command, subject, key, plain_value(theirs.get(key, "(absent)")), plain_value(ours.get(key, "(absent)")))


def table_differs(command, slurm, berth, key):
    """Tables with `|` between columns. `key`: the column that names a row."""
    def rows(text):
        lines = text.splitlines()
        head = lines[0].split("|") if lines else []
        found = {}
        for line in lines[1:]:
            row = dict(zip(head, line.split("|")))
            name = row.get(key, "?")
            while name in found:
                name += "'"
            found[name] = row
        return head, found

    (head, theirs), (our_head, ours) = rows(slurm), rows(berth)
    yield Field(command, "head", "columns", "|".join(head), "|".join(our_head))
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            yield Field(command, name, "row", str(theirs.get(name)), str(ours.get(name)))
            continue
        for column in head:
            a, b = (plain_value(row[name].get(column, "(absent)")) for row in (theirs, ours))
            if column in SECONDS:
                a, b = re.sub(r"^\d+$", "SECONDS", a), re.sub(r"^\d+$", "SECONDS", b)
            yield Field(command, name, column, a, b)


def text_differs(command, slurm, berth, ordered):
    """Whole lines, as people see them."""
    def lines(text):
        # A name in place of an id, or a time of another length, may not move what follows.
        found = [re.sub(r"\s+", " ", plain_value(DAY.sub("DAY", line))).rstrip() for line in text.splitlines()]
        return found if ordered else sorted(found)

    theirs, ours = lines(slurm), lines(berth)
    for what, first, last, our_first, our_last in difflib.SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        for a, b in itertools.zip_longest(theirs[first:last], ours[our_first:our_last], fillvalue="(none)"):
            yield Field(command, "line", "text", a, b)


def widths_differ(command, slurm, berth):
    """Where the columns of the head line stand."""
    theirs, ours = (text.splitlines()[0] if text else "" for text in (slurm, berth))
    yield Field(command, "head", "text", theirs.rstrip(), ours.rstrip())
