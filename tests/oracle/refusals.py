"""Scripts with an option that Berth refuses by name and Slurm takes: all that follows from the refusal, and nothing more, is explained."""

import re
from collections import Counter

from compare import ABSENT
from differences import JOB, Rule
from scripts_differences import counts

ROW = "options that Berth refuses by name"
WORD = re.compile(r"error: (?:[A-Z]\w+=\S*: )?(--[a-z-]+(?:=[a-z_]+)?)[^\n]* (?:is|are) not supported")
LINE = re.compile(r"(sbatch|srun): error: (in #SBATCH line \d+ of the script|.*(--[a-z-]+).* (is|are) not supported(: .*| yet.*| where .*)?)")
WARNING = "srun: warning: --threads-per-core is the job's, and has no effect on a step"
# How a job ends in which a step was refused: what Slurm shows, what Berth shows.
ENDS = {"ExitCode": ("0:0", "[1-9][0-9]*:0"), "JobState": ("COMPLETED", "FAILED"), "Reason": ("None", "NonZeroExitCode"),
        "state": ("<0>: COMPLETED None", "<0>: FAILED NonZeroExitCode")}


def script_of(field):
    return field.subject.split(" ")[0]


def words_of(fields):
    """Script → the options that Berth refuses by name, at submission or in an srun, and Slurm takes."""
    found = {}
    for field in fields:
        if field.command != "script" or field.field not in ("says",) and not field.field.startswith("file "):
            continue
        for word in WORD.findall(field.berth):
            if word not in field.slurm or "Submitted" in field.slurm:
                found.setdefault(script_of(field), set()).add(word)
    return found


def was_refused(field, context):
    """At submission: sbatch of Berth ended with 1, that of Slurm with 0, and Berth's says that an option is not supported."""
    script = script_of(field)
    codes = [side("script", script, "exit code") for side in (context.slurm, context.berth)]
    return codes == ["0", "1"] and WORD.search(context.berth("script", script, "says") or "") is not None


def has_refused_step(field, context):
    words = getattr(context, "refused_words", None)
    if words is None:
        words = context.refused_words = words_of(context.by_name.values())
    return script_of(field) in words and not was_refused(field, context)


def code(field, context):
    return "1" if field.slurm == "0" and was_refused(field, context) else None


def says(field, context):
    lines = field.berth.split("\n")
    return field.berth if field.slurm == "Submitted batch job <0>" and was_refused(field, context) and all(map(LINE.fullmatch, lines)) else None


def nothing(field, context):
    return ABSENT if was_refused(field, context) else None


def is_spread_otherwise(line, other):
    """As many tasks, on other nodes: another row tells that."""
    return all(re.fullmatch(r"tasks: [\d,()x]+", text) for text in (line, other)) and sum(counts(line)) == sum(counts(other))


def without_step(field, context):
    """A file: the refusal in place of what the step wrote, and no line that Slurm's has not but the warning of a step's other option."""
    theirs = Counter(field.slurm.split("\n"))
    more = Counter(field.berth.split("\n")) - theirs
    left = [line for line in more if not LINE.fullmatch(line) and line != WARNING and not any(is_spread_otherwise(line, other) for other in theirs)]
    return field.berth if has_refused_step(field, context) and more and not left else None


def not_called(field, context):
    return ABSENT if field.slurm == "called" and has_refused_step(field, context) else None


def ended_wrongly(field, context):
    slurm, berth = ENDS[field.field]
    return field.berth if has_refused_step(field, context) and field.slurm == slurm and re.fullmatch(berth, field.berth) else None


RULES = [
    Rule(ROW, "script", ".*", "exit code", code),
    Rule(ROW, "script", ".*", "says", says),
    Rule(ROW, "script", ".*", "state|file .*", nothing),
    Rule(ROW, "call", ".*", ".*", nothing),
    Rule(ROW, "script", ".*", "file .*", without_step),
    Rule(ROW, "call", ".*", ".*", not_called),
    Rule(ROW, JOB, ".*", "ExitCode|JobState|Reason", ended_wrongly),
    Rule(ROW, "script", ".*", "state", ended_wrongly),
]
