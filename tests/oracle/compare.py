"""Outputs of two clusters, taken apart into fields. A field keeps both sides as they were printed: verdicts.py says whether they agree."""

import difflib
import itertools
import re
from dataclasses import dataclass

from clock import stamps_blanked

ABSENT = "(absent)"
BEFORE = "(before)"


@dataclass(frozen=True)
class Field:
    """One thing that both sides say, alike or not."""

    command: str  # "squeue -l"
    subject: str  # The job, node or partition; a line of a table where there is none.
    field: str
    slurm: str
    berth: str
    head: tuple = ("", "")  # Of a whole line: the head lines above it, which name its columns.
    mapped: bool = False  # `slurm` is not as printed, but what newer.py makes of it.

    def __str__(self):
        return f"{self.command} | {self.subject} | {self.field}: Slurm {self.slurm!r}, Berth {self.berth!r}"


class Side:
    """One cluster, and the ids of its jobs, which come out the same on both."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.ids = {}  # Job name → id.
        self.lines = {}  # Job name → its submit line.

    def plain(self, text):
        """Without directories."""
        return text.replace(str(self.cluster.work), "WORK").replace(str(self.cluster.root), "ROOT")


def values(text):
    """The KEY=VALUE pairs of `scontrol show`; a value may hold blanks. What stands before the first of them has the key BEFORE."""
    pairs = {}
    first = re.search(r"(?:^|\s)[A-Za-z][\w:/]*=|$", text.rstrip())
    if text[:first.start()].strip():
        pairs[BEFORE] = text[:first.start()].strip()
    for found in re.finditer(r"(?:^|\s)([A-Za-z][\w:/]*)=(.*?)(?=\s+[A-Za-z][\w:/]*=|\s*$)", text.replace("\n", " ")):
        key = found[1]
        while key in pairs:
            key += "'"
        pairs[key] = found[2].strip()
    return pairs


def pairs_differ(command, subject, slurm, berth, newer=dict):
    """`newer`: brings the pairs of 22.05 into the form of 25.11."""
    ours, printed = values(berth), values(slurm)
    theirs = newer(printed)
    for key in sorted(ours.keys() | theirs.keys()):
        value = theirs.get(key, ABSENT)
        yield Field(command, subject, key, value, ours.get(key, ABSENT), mapped=value != printed.get(key, ABSENT))


def table_differs(command, slurm, berth, key, newer=None):
    """Tables with `|` between columns. `key`: the column that names a row. `newer`: brings a cell of 22.05's into the form of 25.11."""
    def rows(text):
        lines = text.splitlines()
        head = lines[0].split("|") if lines else []
        found = {}
        for line in lines[1:]:
            row = dict(zip(head, line.split("|", max(len(head) - 1, 0))))  # What is too much stays in the last cell.
            name = row.get(key, "?")
            while name in found:
                name += "'"
            found[name] = row
        return head, found

    (head, theirs), (our_head, ours) = rows(slurm), rows(berth)
    yield Field(command, "head", "columns", "|".join(head), "|".join(our_head))
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in ours or name not in theirs:
            yield Field(command, name, "row", *("|".join(side[name].values()) if name in side else ABSENT for side in (theirs, ours)))
            continue
        for column in head:
            a, b = (row[name].get(column, ABSENT) for row in (theirs, ours))
            new = newer(column, a) if newer else a
            yield Field(command, name, column, new, b, mapped=new != a)


def text_differs(command, slurm, berth, ordered):
    """Whole lines, as people see them. Which line stands opposite which is found without what the clock moves."""
    def lines(text):
        found = text.splitlines()
        return found if ordered else sorted(found, key=blanked)

    def blanked(line):
        # A name in place of an id, or a time of another length, may not move what follows.
        return re.sub(r"\s+", " ", stamps_blanked(line))

    theirs, ours = lines(slurm), lines(berth)
    head = tuple(next((line for line in text.splitlines() if re.match(r"\s*[A-Z]+\b.*[A-Z]{4}", line)), "") for text in (slurm, berth))
    matcher = difflib.SequenceMatcher(None, [blanked(line) for line in theirs], [blanked(line) for line in ours], autojunk=False)
    for _, first, last, our_first, our_last in matcher.get_opcodes():
        for a, b in itertools.zip_longest(theirs[first:last], ours[our_first:our_last], fillvalue=ABSENT):
            yield Field(command, "line", "text", a, b, head)


def widths_differ(command, slurm, berth):
    """Where the columns of the head line stand."""
    theirs, ours = (text.splitlines()[0] if text else "" for text in (slurm, berth))
    yield Field(command, "head", "text", theirs, ours)
