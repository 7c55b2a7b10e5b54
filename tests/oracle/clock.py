"""What the clock moves in an output: moments and spans of time.

Each cluster gets each job at another second, so a moment (2026-11-22T14:00:00) of a job is compared by how long after the job's
submission it is. A span (1:30) is equal to the second, unless it is one of those named in RUNNING: they grow while a job runs."""

import re
from datetime import datetime

MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
DAY = r"\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}(?: \(\d+\))?"
SPAN = r"(?<![\w:./-])(?:\d+-)?(?:\d+:)?\d+:\d\d(?![\w:./-])"
STAMP = re.compile(f"(?P<moment>{MOMENT})|(?P<day>{DAY})|(?P<span>{SPAN})")

# By how many seconds may differ:
LATE = 3  # a moment of a job after its submission: both round, and a start takes up to two;
LATE_SUBMIT = 5  # a submission, since the second cluster gets its job after the first;
LATE_ENDED = 2  # how long a job took that is over: its script on a busy machine;
LATE_RUNNING = 5  # how long a job has run, since the clusters are asked one after the other;
LATE_ELSEWHERE = 30  # a moment of no job, such as the start of a node;
LATE_PLAN = 120  # a planned start: Slurm's are as old as its last look at that job.

SUBMISSION = re.compile("SubmitTime'*|Submit|%V|SUBMIT_TIME")

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


def of_plan(field):
    return any(re.fullmatch(a, field.command) and re.fullmatch(b, field.subject) and re.fullmatch(c, field.field) for a, b, c in PLANS)


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


def alike_between(slurm, berth, theirs, ours):
    """Whether the texts between the stamps are equal. Where a stamp is longer than the other side's, it may take the blanks before or
    behind it: its column is as wide."""
    def pieces(text, stamps):
        ends = [0, *(stamp.end() for stamp in stamps)]
        return [text[a:b] for a, b in zip(ends, [*(stamp.start() for stamp in stamps), len(text)])]

    between = pieces(slurm, theirs), pieces(berth, ours)
    for i, (a, b) in enumerate(zip(theirs, ours)):
        more = len(a[0]) - len(b[0])
        short, long = between if more < 0 else between[::-1]
        blanks = " " * abs(more)
        if short[i] == long[i] + blanks:
            short[i] = long[i]
        elif short[i + 1].startswith(blanks):
            short[i + 1] = short[i + 1][len(blanks):]
    return between[0] == between[1]


def alike_moments(a, b, field, context):
    """`a`, `b`: seconds."""
    late = LATE_PLAN if of_plan(field) else LATE
    submitted = context.submitted(field)
    if submitted is None:
        return abs(a - b) <= max(late, LATE_ELSEWHERE)
    if SUBMISSION.fullmatch(field.field):
        return abs(a - b) <= LATE_SUBMIT
    first, second = (moment(STAMP.fullmatch(text)) for text in submitted)
    return abs((a - first) - (b - second)) <= late


def alike_spans(a, b, field, name, context):
    """`name`: of the field or the column. `a`, `b`: seconds."""
    return a == b or runs(field.command, name) and abs(a - b) <= (LATE_ENDED if context.has_ended(field) else LATE_RUNNING)


def agree(field, context):
    """Whether both sides say the same, but for what the clock has moved."""
    if field.slurm == field.berth:
        return True
    if field.field in ("ElapsedRaw", "PENDING_TIME") and field.slurm.isdigit() and field.berth.isdigit():
        return alike_spans(int(field.slurm), int(field.berth), field, field.field, context)
    theirs, ours = list(STAMP.finditer(field.slurm)), list(STAMP.finditer(field.berth))
    if len(theirs) != len(ours) or not alike_between(field.slurm, field.berth, theirs, ours):
        return False
    for a, b in zip(theirs, ours):
        if bool(a["span"]) != bool(b["span"]):
            return False
        if a["span"]:
            name = column_of(field.head[0], a.start(), a.end()) if field.head[0] else field.field
            if not alike_spans(seconds(a[0]), seconds(b[0]), field, name, context):
                return False
        elif not alike_moments(moment(a), moment(b), field, context):
            return False
    return True
