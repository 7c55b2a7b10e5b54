"""What the clock moves in an output: moments and spans of time.

Each cluster gets each job at another second, so a moment (2026-11-22T14:00:00) of a job is compared by how long after the job's
submission it is. A span (1:30) is equal to the second, unless it is one of those named in RUNNING: they grow while a job runs."""

import itertools
import re
from datetime import datetime

MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
DAY = r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}(?: \(\d+\))?"
SPAN = r"(?<![\w:./-])(?:\d+-)?(?:\d+:)?\d+:\d\d(?![\w:./-])"
STAMP = re.compile(f"(?P<moment>{MOMENT})|(?P<day>{DAY})|(?P<span>{SPAN})")

# By how many seconds may differ:
LATE = 3  # a moment of a job after its submission, and of a node after its start: both round, and a start takes up to two;
LATE_SUBMIT = 5  # a submission, since the second cluster gets its job after the first, and any other moment that is not named below;
LATE_ENDED = 2  # how long a job took that is over: its script on a busy machine;
LATE_CANCELLED = 5  # likewise of a step that was cancelled: its processes have to end;
LATE_RUNNING = 5  # how long a job has run, since the clusters are asked one after the other;
LATE_DAEMON = 30  # the start of a cluster, and what Slurm notes each half minute;
LATE_PLAN = 90  # the planned start of a job behind another one that waits, and its end: Berth plans up to a minute later.

MOMENTS_OF_JOB = ("SubmitTime", "EligibleTime", "StartTime", "EndTime")
SUBMISSION = re.compile("SubmitTime'*|Submit|%V|SUBMIT_TIME")

# Command and field of planned starts, and of the ends that follow from them.
PLANS = [
    ("scontrol (-d )?show job", "StartTime|EndTime"),
    ("squeue -o %[Se]", "%[Se]"),
    ("(query )?squeue.*", "text"),
    ("squeue -O (StartTime|EndTime)", ".*"),
]
BEHIND = "behind"  # The job that waits for one that waits.

# Command and field of moments of the daemons.
DAEMONS = [
    ("scontrol show node", "SlurmdStartTime"),
    ("sdiag", "Data since|Job states ts"),
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


def is_one_of(patterns, command, field):
    return any(re.fullmatch(a, command) and re.fullmatch(b, field) for a, b in patterns)


def runs(command, field):
    return is_one_of(RUNNING, command, field)


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
    if is_one_of(DAEMONS, field.command, field.field):
        return abs(a - b) <= LATE_DAEMON
    if is_one_of(PLANS, field.command, field.field) and context.job(field) == BEHIND:
        return abs(a - b) <= LATE_PLAN
    since = context.since(field)
    if since is None or SUBMISSION.fullmatch(field.field):
        return abs(a - b) <= LATE_SUBMIT
    first, second = (moment(STAMP.fullmatch(text)) for text in since)
    return abs((a - first) - (b - second)) <= LATE + context.slack


def alike_spans(a, b, field, name, context):
    """`name`: of the field or the column. `a`, `b`: seconds."""
    late = LATE_RUNNING if not context.has_ended(field) else LATE_CANCELLED if context.is_cancelled_step(field) else LATE_ENDED
    return a == b or runs(field.command, name) and abs(a - b) <= late + context.slack


def name_of(field, span):
    """What a span of Slurm's text is called: its column, or the field."""
    return column_of(field.head[0], span.start(), span.end()) if field.head[0] else field.field


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
            if not alike_spans(seconds(a[0]), seconds(b[0]), field, name_of(field, a), context):
                return False
        elif not alike_moments(moment(a), moment(b), field, context):
            return False
    return True


def mixed_up(context, names):
    """Pairs of moments that no job that is over tells apart, so that one in place of the other would be held for equal."""
    apart = set()
    for name in names:
        shown = {key: STAMP.fullmatch(context.slurm("scontrol show job", name, key) or "") for key in MOMENTS_OF_JOB}
        for a, b in itertools.combinations(MOMENTS_OF_JOB, 2):
            if shown[a] and shown[b] and abs(moment(shown[a]) - moment(shown[b])) > 2 * LATE:
                apart.add((a, b))
    return [pair for pair in itertools.combinations(MOMENTS_OF_JOB, 2) if pair not in apart]
