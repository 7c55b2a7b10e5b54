"""What the clock moves in an output: moments and spans of time.

Both clusters run on one machine and get each job within a second of each other, so a moment (2026-11-22T14:00:00) may differ by a few
seconds and no more. A span (1:30) is equal to the second, unless it is one of those named in RUNNING, which grow while a job runs."""

import re
from datetime import datetime

MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
DAY = r"\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}(?: \(\d+\))?"
SPAN = r"(?<![\w:./-])(?:\d+-)?(?:\d+:)?\d+:\d\d(?![\w:./-])"
STAMP = re.compile(f"(?P<moment>{MOMENT})|(?P<day>{DAY})|(?P<span>{SPAN})")

LATE = 30  # Seconds by which one cluster may be behind the other.
LATE_PLAN = 120  # Likewise for planned starts: Slurm's are as old as its last look at that job.

# Command, subject and field of planned starts and of the ends that follow from them.
PLANS = [
    ("scontrol (-d )?show job", "full|behind", "StartTime|EndTime"),
    ("squeue -o %[Se]", "(full|behind)-N/A", "%[Se]"),
    ("squeue --start", "line", "text"),
    ("query squeue", "squeue --start.*", "text"),
    ("squeue -O (StartTime|EndTime)", "(full|behind)-N/A", ".*"),
]

# Command and field (or the column of a line) of the spans that run with the clock: patterns.
RUNNING = [
    ("scontrol (-d )?show (job|step)", "RunTime'*"),
    (r"squeue -o %[ML]", "%[ML]"),
    ("squeue -O Time(Left|Used)", "TIME.*"),
    ("squeue -O PendingTime", "PENDING_TIME"),
    ("(query )?squeue.*", "TIME"),
    ("sacct -P", "Elapsed|ElapsedRaw"),
    ("MailProg", "mails"),
]


def runs(command, field):
    return any(re.fullmatch(a, command) and re.fullmatch(b, field) for a, b in RUNNING)


def late(field):
    of_plan = any(re.fullmatch(a, field.command) and re.fullmatch(b, field.subject) and re.fullmatch(c, field.field) for a, b, c in PLANS)
    return LATE_PLAN if of_plan else LATE


def stamps_blanked(text):
    return STAMP.sub(lambda found: "~" if found["span"] else "@", text)


def seconds(span):
    """Of "1-02:03:04", "2:03"."""
    days, _, rest = span.rpartition("-")
    total = 0
    for part in rest.split(":"):
        total = total * 60 + int(part)
    return total + 86400 * int(days or 0)


def moment(found):
    if found["moment"]:
        return datetime.strptime(found["moment"], "%Y-%m-%dT%H:%M:%S").timestamp()
    return datetime.strptime(re.sub(r" \(\d+\)", "", found["day"]), "%a %b %d %H:%M:%S %Y").timestamp()


def column_of(head, start, end):
    """The word of the head line that stands over these places."""
    for word in re.finditer(r"\S+", head):
        if word.start() < end and start < word.end():
            return word[0]
    return ""


def agree(field):
    """Whether both sides say the same, but for what the clock has moved by LATE at most."""
    if field.slurm == field.berth:
        return True
    if field.field in ("ElapsedRaw", "PENDING_TIME") and field.slurm.isdigit() and field.berth.isdigit():
        return abs(int(field.slurm) - int(field.berth)) <= LATE
    theirs, ours = list(STAMP.finditer(field.slurm)), list(STAMP.finditer(field.berth))
    between = [re.sub(r"\s+", " ", STAMP.sub("@", text)).rstrip() for text in (field.slurm, field.berth)]
    if between[0] != between[1] or len(theirs) != len(ours):
        return False
    for a, b in zip(theirs, ours):
        if a[0] == b[0]:
            continue
        if bool(a["span"]) != bool(b["span"]):
            return False
        if not a["span"]:
            if abs(moment(a) - moment(b)) > late(field):
                return False
            continue
        name = column_of(field.head[0], a.start(), a.end()) if field.head[0] else field.field
        if not runs(field.command, name) or abs(seconds(a[0]) - seconds(b[0])) > LATE:
            return False
    return True
