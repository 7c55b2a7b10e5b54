"""What differs between Debian's Slurm and Berth, and why: the row of docs/slurm-differences.md that tells users."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    row: str  # The first cell of the row.
    command: str  # Patterns for the whole of what a Difference says.
    subject: str = ".*"
    field: str = ".*"
    slurm: str = ".*"
    berth: str = ".*"

    def explains(self, difference):
        return all(re.fullmatch(getattr(self, part), getattr(difference, part), re.DOTALL)
                   for part in ("command", "subject", "field", "slurm", "berth"))


JOB = "scontrol (-d )?show job"
STEP = "scontrol show step"
NODE = "scontrol show node"
SACCT = "sacct -P"
WRONG = "wrong input"

EXPLAINED = [
    # Newer than the oracle.
    Rule("`squeue %b`, `TresPerNode`", JOB, field="TresPer(Node|Job|Task)", slurm="gres:.*", berth="gres/.*"),
    Rule("`squeue %b`, `TresPerNode`", "squeue -o %b", slurm="gres:.*", berth="gres/.*"),
    Rule("`scontrol show job`", JOB, field="TRES'*", berth=r"\(absent\)"),
    Rule("`scontrol show job`", JOB, field="(Req|Alloc)TRES'*", slurm=r"\(absent\)"),
    Rule("`scontrol show job`", JOB, field="SubmitLine'*", slurm=r"\(absent\)"),
    Rule("`scontrol show job`", JOB, field="Power'*", berth=r"\(absent\)"),
    Rule("`scontrol show node`", NODE, field="CapWatts|ExtSensors.*", berth=r"\(absent\)"),
    Rule("`scontrol show partition`", "scontrol show partition", field="ExclusiveTopo|MaxCPUsPerSocket", slurm=r"\(absent\)"),
    Rule("a job that a signal ended", JOB + "|squeue -o %[rR]|squeue -t all", slurm=r".*JobLaunchFailure.*", berth=r".*RaisedSignal.*"),
    Rule("CPUs of `srun -n1` in a job with `-c4`", "sacct -a", field="text", slurm="1.1 false physics 8 .*", berth="1.1 false physics 4 .*"),
    Rule("CPUs of `srun -n1` in a job with `-c4`", SACCT, "1.1", "AllocCPUS|NCPUS|ReqCPUS", "8", "4"),
    Rule("CPUs of `srun -n1` in a job with `-c4`", SACCT, "1.1", "AllocTRES", "cpu=8,.*", "cpu=4,.*"),
    # The scheduler.
    Rule("who scheduled a job", JOB, field="Scheduler'*", slurm="Backfill.*", berth="Main"),
    Rule("`LastSchedEval`", JOB, field="LastSchedEval", berth="Unknown"),
    Rule("`priority/basic`", JOB + "|squeue -o %Q|" + SACCT, field="Priority'*|%Q", slurm=r"42949\d+", berth=r"42949\d+"),
    Rule("which cores of a node", "scontrol -d show job", field="CPU_IDs'*", slurm=r"[\d,-]+", berth=r"[\d,-]+"),
    # What is kept of a job.
    Rule("cores and GPUs of a job that is over", "scontrol -d show job", "good|bad|killed|cancelled", "GRES|JOB_GRES|Mem|Nodes|CPU_IDs",
         berth=r"\(absent\)"),
    Rule("`AllocNode:Sid`, `SrunHost:Pid`", JOB + "|" + STEP, field="AllocNode:Sid'*|SrunHost:Pid'*"),
    Rule("distribution and GPUs of a step in `scontrol show step`", STEP, field="Dist|TresPerNode", berth=r"\(absent\)"),
    Rule("`ExitCode` of a cancelled job", JOB, "cancelled", "ExitCode"),
    Rule("a job cancelled before it started", JOB + "|squeue -o %S", "dropped.*", "StartTime|NumTasks|%S"),
    Rule("a job cancelled before it started", JOB + "|squeue -o %[rR]", "dropped.*", "Reason|%[rR]", ".*JobHeldUser.*"),
    Rule("a waiting array", "sacct -a( -X)?", field="text", slurm=r"\(none\)", berth=r"22_\[.*"),
    Rule("a waiting array", SACCT, r"22_\[.*", "row", "None"),
    Rule("a waiting array", JOB, "array", "AccrueTime'*|EligibleTime'*", "Unknown"),
    Rule("ids of array tasks", JOB, "array", "JobId'+|ArrayTaskId'+"),
    Rule("`sacct` while a job runs", SACCT, "1", "DerivedExitCode", "0:0", "1:0"),
    Rule("`sacct` `Reason`", SACCT, field="Reason"),
    Rule("`sacct` `Comment`", SACCT, "2", "Comment", "", "hello"),
    # The nodes of this comparison.
    Rule("load and free memory of nodes", NODE, field="CPULoad|FreeMem", berth="N/A"),
    Rule("load and free memory of nodes", "sinfo -o %[eO]", berth="N/A"),
    Rule("version and address of a node", NODE, field="NodeAddr|NodeHostName|Port|Version"),
    Rule("version and address of a node", "sinfo -o %[nov]"),
    Rule("`sdiag`", "sdiag", "line", "text", r"\(none\)"),
    Rule("`sdiag`", "sdiag", "Jobs", "pending|running", r"\d+", r"\d+"),  # Slurm counts them every so often.
    # Words for what is wrong.
    Rule("`sbatch --nice=abc`, `--time=-5`", WRONG, "sbatch .*(--nice=abc|--time=-5) .*"),
    Rule("lines before Slurm's own", WRONG, "sbatch .* -[wx] nosuch .*", "stderr"),
    Rule("lines before Slurm's own", WRONG, "sbatch .*(--begin=|--gpus=8 ).*", "stderr"),
    Rule("`sbatch: fatal:`", WRONG, "sbatch .*--mem=1G --mem-per-cpu.*", "stderr", "sbatch: fatal: .*", "sbatch: error: .*"),
    Rule("negative counts of GPUs", WRONG, "sbatch .*--gres=gpu:-1 .*", "stderr"),
    Rule("lists of valid states", WRONG, "(squeue|sinfo) -t .*", "stderr"),
    Rule("`scancel` of an unknown job", WRONG, "scancel 99999"),
    Rule("`scontrol show hostnames gpu[1-`", WRONG, "scontrol show hostnames .*"),
]
