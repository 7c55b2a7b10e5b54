"""`sdiag`, line by line under its heading. Most of its numbers are each cluster's own: their form is compared, not their value."""

import re

import newer
from clock import DAY, STAMP, moment
from compare import ABSENT, Field
from own import Own

CALLS = re.compile(r"\t(\w+ +\( *\d+\)) count:")
# Lines that one side may have and the other not: a call that it never got, a mean of a minute that has not passed.
MAY_BE_ABSENT = r"\w+ +\( *\d+\)|Cycles per minute"


def lines_by_key(text):
    """(Heading, key) → the line; a key that comes again under one heading gets a prime."""
    found, heading = {}, ""
    for line in text.splitlines():
        calls = CALLS.match(line)
        if line and not line.startswith("\t") and not re.search(r": *\S|\*{9}|^sdiag|^Data", line):
            heading = line
        key = calls[1] if calls else re.match(r"\s*([^:]*?)(?=:|\d|$| {2}| at )", line)[1].strip()
        while (heading, key) in found:
            key += "'"
        found[heading, key] = line
    return found


def compare_texts(theirs, ours):
    """Fields of what both print. The order is compared for the lines that both must have."""
    mapped = newer.sdiag(theirs)
    printed, (slurm, berth) = lines_by_key(theirs), (lines_by_key(text) for text in (mapped, ours))
    orders = ("\n".join(f"{heading}: {key}" for heading, key in side if not re.fullmatch(MAY_BE_ABSENT, key)) for side in (slurm, berth))
    yield Field("sdiag", "all", "order", *orders)
    for heading, key in {**slurm, **berth}:
        value = slurm.get((heading, key), ABSENT)
        yield Field("sdiag", heading, key, value, berth.get((heading, key), ABSENT), mapped=value != printed.get((heading, key), ABSENT))


def number(text, _):
    return re.fullmatch(r"\t?[^:]*: *\d+(\.\d+)?( microseconds)?", text)


def number_or_absent(text, name):
    return text == ABSENT or number(text, name)


def anything(*_):
    return True  # `alike` looks at both.


def are_calls(field):
    """Both lines are those of this call, in Slurm's columns, or absent."""
    def is_call(text):
        found = re.search(r"count:(\d+) +ave_time:(\d+) +total_time:(\d+)$", text)
        return found and text == f"\t{field.field} count:{found[1]:<6} ave_time:{found[2]:<6} total_time:{found[3]}"
    return all(text == ABSENT or is_call(text) for text in (field.slurm, field.berth))


def earlier(text, _, context):
    """A moment before that of the output, by a quarter of an hour at most."""
    shown = [re.search(DAY, line or "") for line in (text, context.berth("sdiag", "", "sdiag output"))]
    then, now = (moment(STAMP.fullmatch(found[0])) if found else None for found in shown)
    return None not in (then, now) and 0 <= now - then <= 900


def alike_but_numbers(field):
    return len({re.sub(r"\d+(\.\d+)?", "N", text) for text in (field.slurm, field.berth)}) == 1


def alike_but_moment(field):
    return STAMP.search(field.slurm) is not None and len({STAMP.sub("@", text) for text in (field.slurm, field.berth)}) == 1


def alike_or_absent(field):
    return ABSENT in (field.slurm, field.berth) or alike_but_numbers(field)


def either(check):
    """The same of both sides."""
    return dict(slurm=check, berth=lambda text, name, _: check(text, name))


NUMBERS = (r"Server thread count|Agent (queue size|count|thread count)|DBD Agent queue size|Latency for|Last cycle|Max cycle|Total cycles"
           r"|Mean cycle|(Mean|Last) depth cycle( \(try sched\))?|Last queue length|Depth Mean( \(try depth\))?|Queue length mean"
           r"|(Last|Mean) table size|Total backfilled (jobs|heterogeneous job components)( \(since last [\w ]+\))?|End of job queue"
           r"|Blocked on licenses|System state changed|Timeout \(\w+\)|Hit \w.*")

OWN = [
    Own("sdiag", NUMBERS, **either(number), alike=alike_but_numbers, any_number=True),
    Own("sdiag", "Cycles per minute", **either(number_or_absent), alike=alike_or_absent, any_number=True, may_be_absent=True),
    Own("sdiag", r"\w+ +\( *\d+\)", **either(anything), alike=are_calls, any_number=True, may_be_absent=True),
    Own("sdiag", "Last cycle when", slurm=anything, berth=earlier, alike=alike_but_moment),
]
