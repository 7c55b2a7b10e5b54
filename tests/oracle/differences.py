"""What differs between Debian's Slurm and Berth, and why: the row of docs/slurm-differences.md that tells users.

A rule says what Berth prints where Slurm prints this: `says` is a table from their value to ours, or a function of the field and of what
else was printed (`Context`). A rule explains a field only if that is what Berth does print. The exception is `alike`, which brings both
values into one form."""

import itertools
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from clock import LATE, STAMP, agree, moment
from compare import ABSENT
from jobs import ARRAY_ID, JOBS
from own import Own, compiled
from sdiag import OWN as SDIAG_OWN
from sdiag import alike_but_numbers

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/slurm-differences.md"
VERSION = re.search(r"VERSION (\d+\.\d+\.\d+)", (Path(__file__).parents[2] / "CMakeLists.txt").read_text())[1]
HOST = socket.gethostname().split(".")[0]
JOB = "scontrol (-d )?show job"
STEP = "scontrol show step"
NODE = "scontrol show node"
SACCT = "sacct -P"
WRONG = "wrong input"


@dataclass(frozen=True)
class Rule:
    row: str  # The first cell of the row.
    command: str  # Patterns for the whole of what a Field says.
    subject: str
    field: str
    says: dict | Callable | None = None
    alike: Callable | None = None
    by_chance: bool = False  # It may explain nothing in one run: what it is about depends on the moment.

    def meets(self, field):
        return all(compiled(getattr(self, part)).fullmatch(getattr(field, part)) for part in ("command", "field", "subject"))

    def explains(self, field, context):
        """REQUIRES: meets(field)."""
        if self.alike:
            both = field.slurm, field.berth
            return all(re.fullmatch(r"[\d,-]+", text) for text in both) and len({self.alike(text) for text in both}) == 1
        said = self.says.get(field.slurm) if isinstance(self.says, dict) else self.says(field, context)
        return said is not None and (said == field.berth or agree(replace(field, slurm=said), context))


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def time_of(text):
    found = STAMP.fullmatch(text)
    return moment(found) if found and not found["span"] else None


def count_of(ids):
    """How many there are in "0-3,16"."""
    return sum(int(last or first) - int(first) + 1 for first, last in re.findall(r"(\d+)(?:-(\d+))?", ids.partition("%")[0]))


# ---- What Berth says, by their value and what else was printed.

def number_becomes(text):
    return lambda field, _: text if re.fullmatch(r"[\d.]+", field.slurm) else None


def replaced(old, new):
    """Word by word, as many in both: the blanks between them stay, so that columns do."""
    words = old.split()
    pattern = re.compile(r"(\s+)".join(map(re.escape, words)) + (r"(?!\S)" if old.endswith(" ") else ""))

    def says(field, _):
        changed, count = pattern.subn(lambda found: "".join(itertools.chain(*itertools.zip_longest(new.split(), found.groups(), fillvalue=""))),
                                      field.slurm)
        return changed if count else None
    return says


def name_of(field, context):
    """The job's, whatever the command calls it by."""
    if field.command == SACCT:
        return context.slurm(SACCT, field.subject, "JobName")
    return field.subject.split("-")[0]


def held_before(field, context):
    """How many held jobs were submitted before this one."""
    names = [job.name for job in JOBS]
    name = name_of(field, context)
    return sum("-H" in job.options.split() for job in JOBS[:names.index(name)]) if name in names else None


def later_place(field, context):
    """Slurm counts down by one with each job that is not held."""
    held = held_before(field, context)
    if held is None or not field.slurm.isdigit() or field.slurm == "0":
        return None
    return str(int(field.slurm) - held)


def later_share(field, context):
    """The same as a part of the highest priority that there is."""
    highest = 0xffffffff
    held = held_before(field, context)
    if held is None or not re.fullmatch(r"0\.\d{14}", field.slurm) or float(field.slurm) == 0:
        return None
    return f"{(round(float(field.slurm) * highest) - held) / highest:.14f}"


def looked_at(field, context):
    """When it started or became eligible; Slurm: any look."""
    eligible = context.berth(field.command, field.subject, "EligibleTime")
    started = context.berth(field.command, field.subject, "StartTime")
    running = context.berth(field.command, field.subject, "JobState") != "PENDING"
    theirs = time_of(field.slurm)
    if theirs is None:
        return None
    for said in (started if running else eligible,):
        when = time_of(said or "")
        return "Unknown" if when is None or when > theirs + LATE else said


def memory_of(field, context):
    tres = context.berth(field.command, field.subject, "AllocTRES") or ""
    return ABSENT if f"mem={field.slurm}M" in tres.split(",") else None


def nodes_of(field, context):
    return ABSENT if context.berth(field.command, field.subject, "NodeList") == field.slurm else None


def cpus_of(field, context):
    return ABSENT if re.fullmatch(r"[\d,-]+", field.slurm) and str(count_of(field.slurm)) == context.berth(field.command, field.subject, "NumCPUs") else None


def gpus_of_step(field, context):
    records = [context.berth(field.command, field.subject, "TRES" + suffix) or "" for suffix in ("", "'")]
    return ABSENT if any(field.slurm.replace("gres/gpu:", "gres/gpu=") in tres.split(",") for tres in records) else None


def host_alone(field, _):
    return f"{HOST}:0" if re.fullmatch(rf"(localhost|{HOST}):\d+", field.slurm) else None


def no_srun(field, _):
    return "(null):0" if re.fullmatch(rf"(localhost|{HOST}):\d+", field.slurm) else None


def no_moment(field, _):
    return ABSENT if STAMP.fullmatch(field.slurm) else None


def never_started(field, context):
    """Slurm has the time of its end."""
    end = context.slurm("scontrol show job", "dropped", "EndTime")
    shown = {"StartTime": "Unknown", "%S": "N/A", "START_TIME": "N/A"}[field.field]
    return shown if time_of(end or "") is not None and time_of(field.slurm) == time_of(end) else None


def submitted(field, context):
    suffix = "'" * (len(field.field) - len(field.field.rstrip("'")))
    return context.berth(field.command, field.subject, "SubmitTime" + suffix) if field.slurm == "Unknown" else None


def why_it_ended(field, context):
    """Slurm has why it waited."""
    options = next((job.options for job in JOBS if job.name == name_of(field, context)), "")
    reason = context.berth("scontrol show job", name_of(field, context), "Reason") or ""
    return reason.partition(":")[0] if field.slurm == ("BeginTime" if "--begin" in options else "None") else None


def comment_of(field, context):
    options = next((job.options for job in JOBS if job.name == name_of(field, context)), "")
    found = re.search(r"--comment=(\S+)", options)
    return found[1] if found and field.slurm == "" else None


def counted_when_asked(text, _, context):
    """As many as squeue says; Slurm counts them every half minute."""
    found = re.fullmatch(r"Jobs (pending|running): +(\d+)", text)
    state, number = found.groups() if found else ("", "")
    rows = [f for f in context.by_name.values() if f.command == "squeue -o %T" and f.field == "%T" and f.berth == state.upper()]
    tasks = [row.subject.partition("array-")[2] for row in rows]
    return number == str(sum(count_of(task) if "-" in task else 1 for task in tasks))


def waiting_array(field, context):
    if field.slurm != ABSENT:
        return None
    if field.command == SACCT:
        found = re.fullmatch(rf"{ARRAY_ID}\|{ARRAY_ID}_\[2-5%2\]\|array\|news\|9\|news\|9\|bio\|main\|normal\|PENDING\|0:0\|0:0\|1\|0\|\|1\|2000M\|1"
                             r"\|billing=1,cpu=1,mem=2000M,node=1\|1\|1\|\|None assigned\|00:05:00\|5\|00:00:00\|0\|1 x Elapsed\|1 x Elapsed"
                             rf"\|({STAMP.pattern})\|\1\|Unknown\|Unknown\|00:00:00\|PRIORITY\|None\|\|WORK\|oracle".replace("?P<moment>", "")
                             .replace("?P<day>", "").replace("?P<span>", "")
                             .replace("PRIORITY", context.berth(SACCT, f"{ARRAY_ID}_0", "Priority") or "none"), field.berth)
        return field.berth if found else None
    return f"{f'{ARRAY_ID}_[2-5%2]':12} {'array':>10} {'main':>10} {'bio':>10} {'1':>10} {'PENDING':>10} {'0:0':>8} "


def without_first(*firsts):
    """Slurm's last line: before it stands one of these."""
    return lambda field, _: next((field.slurm.removeprefix(first + "\n") for first in firsts if field.slurm.startswith(first + "\n")), None)


def with_line_before(text):
    return lambda field, _: text + "\n" + field.slurm


def refused_with(text):
    """Where Slurm takes it as something else."""
    return lambda field, _: {"exit code": "255" if field.slurm == "0" else None, "stderr": text if field.slurm == "" else None,
                             "stdout": "" if re.fullmatch(r"Submitted batch job \d+", field.slurm) else None}[field.field]


SINFO_STATES = ("sinfo: error: valid states: all,unknown,unk,down,idle,allocated,alloc,mixed,mix,drain,drained,draining,drng,not_responding,no_respond,"
                "reserved,resv,completing,comp,planned,plnd,fail,maint,reboot,blocked,reboot^,reboot_requested,reboot_issued,future,futr,cloud,perfctrs,npc,"
                "powering_down,powered_down,power_down,powering_up")
SLURM_STATES = ("sinfo: error: valid states: unknown,down,idle,allocated,?,mixed,future,drain,drained,draining,no_respond,reserved,perfctrs,cloud,completing,"
                "powering_down,powered_down,power_down,powering_up,fail,maint,reboot,reboot^,unknown")
# What sbatch, srun and salloc of Slurm say before the line that both say.
FIRST_LINES = ("Invalid time specification (pos=0): yesterdayish", *(
    f"{program}: error: {text}" for program in ("sbatch", "srun", "salloc") for text in (
        "Failed to validate job spec, --gpus not multiple of --gpus-per-task",
        "Failed to validate job spec. Based on --gpus and --gpus-per-task number of requested tasks differ from -n/--ntasks.")))
NARROW = "CPUs of `srun -n1` in a job with `-c4`"
OVER = "cores and GPUs of a job that is over"
OVER_JOBS = "good|bad|killed|cancelled"
DROPPED = "a job cancelled before it started"
LINES = "lines before Slurm's own"

EXPLAINED = [
    Rule(NARROW, "sacct -a", "line", "text", replaced("1.1 false physics 8 ", "1.1 false physics 4 ")),
    Rule(NARROW, SACCT, "1.1", "AllocCPUS|NCPUS|ReqCPUS", {"8": "4"}),
    Rule(NARROW, SACCT, "1.1", "CPUTime(RAW)?", {"8 x Elapsed": "4 x Elapsed"}),
    Rule(NARROW, SACCT, "1.1", "AllocTRES", replaced("cpu=8,", "cpu=4,")),
    # The scheduler.
    Rule("who scheduled a job", JOB, ".*", "Scheduler'*", {"Backfill": "Main", "Backfill:*": "Main"}),
    Rule("`LastSchedEval`", JOB, ".*", "LastSchedEval'*", looked_at),
    Rule("`priority/basic`", "squeue -o %p", ".*", "%p", later_share),
    Rule("`priority/basic`", JOB + "|squeue -o %Q|" + SACCT, ".*", "Priority'*|%Q", later_place),
    Rule("which cores of a node", "scontrol -d show job", ".*", "CPU_IDs'*", alike=count_of),
    # What is kept of a job.
    Rule(OVER, "scontrol -d show job", OVER_JOBS, "GRES", {"": ABSENT}),
    Rule(OVER, "scontrol -d show job", OVER_JOBS, "JOB_GRES", {"(null)": ABSENT, "gpu:a100:2": ABSENT}),
    Rule(OVER, "scontrol -d show job", OVER_JOBS, "Mem", memory_of),
    Rule(OVER, "scontrol -d show job", OVER_JOBS, "Nodes", nodes_of),
    Rule(OVER, "scontrol -d show job", OVER_JOBS, "CPU_IDs", cpus_of),
    Rule("`AllocNode:Sid`, `SrunHost:Pid`", JOB, ".*", "AllocNode:Sid'*", host_alone),
    Rule("`AllocNode:Sid`, `SrunHost:Pid`", STEP, ".*", "SrunHost:Pid'*", no_srun),
    Rule("distribution and GPUs of a step in `scontrol show step`", STEP, ".*", "Dist", {"Block": ABSENT}),
    Rule("distribution and GPUs of a step in `scontrol show step`", STEP, ".*", "TresPerNode", gpus_of_step),
    Rule("a job that a signal ended", "squeue -t all", "line", "text", replaced("(JobLaunchFailure)", "(RaisedSignal:9(Killed))")),
    Rule("`ExitCode` of a cancelled job", JOB, "cancelled", "ExitCode", {"0:15": "0:0"}),
    Rule(DROPPED, JOB + "|squeue -o %S", "dropped.*", "StartTime|%S", never_started),
    Rule(DROPPED, JOB, "dropped", "NumTasks", {"N/A": "1"}),
    Rule(DROPPED, JOB, "dropped", "PreemptEligibleTime", no_moment),
    Rule(DROPPED, JOB, "dropped", "PreemptTime", {"None": ABSENT}),
    Rule(DROPPED, JOB + "|squeue -o %r", "dropped.*", "Reason|%r", {"JobHeldUser": "None"}),
    Rule("a waiting array", "sacct -a( -X)?", "line", "text", waiting_array),
    Rule("a waiting array", SACCT, ARRAY_ID + r"_\[2-5%2\]", "row", waiting_array),
    Rule("a waiting array", JOB, "array", "(AccrueTime|EligibleTime)'*", submitted),
    Rule("`sacct` while a job runs", SACCT, "1", "DerivedExitCode", {"0:0": "1:0"}),
    Rule("`sacct` `Reason`", SACCT, "11|12", "Reason", why_it_ended),
    Rule("`sacct` `Reason`", SACCT, "21", "Reason", {"PartitionTimeLimit": "None"}),
    Rule("`sacct` `Comment`", SACCT, ".*", "Comment", comment_of),
    # The nodes of this comparison.
    Rule("load and free memory of nodes", NODE, ".*", "CPULoad|FreeMem", number_becomes("N/A")),
    Rule("load and free memory of nodes", "sinfo -o %[eO]", ".*", "%[eO]", number_becomes("N/A")),
    # Words for what is wrong.
    Rule("`sbatch --nice=abc`, `--time=-5`", WRONG, "sbatch .*--nice=abc .*", ".*", refused_with("sbatch: error: Invalid --nice value: abc")),
    Rule("`sbatch --nice=abc`, `--time=-5`", WRONG, "sbatch .*--time=-5 .*", ".*", refused_with("sbatch: error: Invalid --time specification")),
    Rule(LINES, WRONG, "sbatch .* -[wx] nosuch .*", "stderr", with_line_before("sbatch: error: invalid node name specified: nosuch")),
    Rule(LINES, WRONG, "sbatch .*(--begin=|--gpus=8 ).*", "stderr", without_first(*FIRST_LINES)),
    Rule("`sbatch: fatal:`", WRONG, "sbatch .*(--mem=1G --mem-per-cpu|--ntasks-per-gpu).*", "stderr", replaced("sbatch: fatal: ", "sbatch: error: ")),
    Rule("negative counts of GPUs", WRONG, "sbatch .*--gres=gpu:-1 .*", "stderr",
         {"sbatch: error: Batch job submission failed: Requested node configuration is not available":
          "sbatch: error: Invalid generic resource (gres) specification"}),
    Rule("lists of valid states", WRONG, "sinfo -t .*", "stderr",
         {f'sinfo: error: Bad state string: "nosuch"\n{SLURM_STATES}': f'sinfo: error: Bad state string: "nosuch"\n{SINFO_STATES}'}),
    Rule("`scontrol show hostnames gpu[1-`", WRONG, r"scontrol show hostnames gpu\[1-", "exit code", {"0": "1"}),
    Rule("`scontrol show hostnames gpu[1-`", WRONG, r"scontrol show hostnames gpu\[1-", "stdout", {"gpu]": ""}),
    Rule("`scontrol show hostnames gpu[1-`", WRONG, r"scontrol show hostnames gpu\[1-", "stderr", {"": "Invalid hostlist: gpu[1-"}),
]


def told_rows():
    """The first cells of the document's rows."""
    return {line.split(" | ")[0].removeprefix("| ") for line in DOCUMENT.read_text().splitlines() if line.startswith("| ")}


def named(text, name, _):
    return text == name


OWN = [  # Slurm's nodes live on this host, at its address and ports; Berth's agents are asked for nothing of the kind.
    Own(f"{NODE}|sinfo -o %o|sinfo -O NodeAddr", "NodeAddr|%o|NODE_ADDR", lambda text, _: text == "127.0.0.1", named),
    Own(f"{NODE}|sinfo -o %n|sinfo -O NodeHost", "NodeHostName|%n|HOSTNAMES", lambda text, _: text == HOST, named),
    Own(NODE, "Port", lambda text, _: re.fullmatch(r"2\d{4}", text), lambda text, *_: text == ABSENT),
    Own("sinfo -O Port", "PORT", lambda text, _: re.fullmatch(r"2\d{4}", text), lambda text, *_: text == "0"),
    Own(f"{NODE}|sinfo -o %v|sinfo -O Version", "Version|%v|VERSION", lambda text, _: re.fullmatch(r"22\.05\.\d+", text), lambda text, *_: text == VERSION),
    Own("sdiag", "Jobs (pending|running)", lambda text, _: re.fullmatch(r"Jobs \w+: +\d+", text), counted_when_asked,
        alike_but_numbers),
    *SDIAG_OWN,
]
