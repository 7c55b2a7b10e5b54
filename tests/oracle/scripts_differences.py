"""What differs between Slurm and Berth of the scripts of corpus/, and why: rules as those of differences.py."""

import re

from compare import ABSENT
from differences import JOB, Rule, plain

# Of each cluster its own: addresses, ports, process ids, times.
OWN_VARIABLES = {
    "SLURM_CONF", "SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_HOST", "SLURM_SRUN_COMM_PORT", "SLURM_STEP_LAUNCHER_PORT",
    "SLURM_TASK_PID", "SLURM_SUBMIT_HOST", "SLURM_JOB_START_TIME", "SLURM_JOB_END_TIME", "SLURM_STEP_ID", "SLURM_STEPID",
    "SLURM_PMIXP_ABORT_AGENT_PORT", "SLURM_PMIX_MAPPING_SERV",
}
# Options that Berth refuses by name: docs/slurm-options.md says what to use instead.
NOT_BUILT = {
    "--container", "--cpu-bind", "--cpus-per-gpu", "--distribution", "--exclusive", "--gres-flags",
    "--mincpus",
}
OLDER = "variables of a job and its steps"
SPREAD = "tasks on more nodes than they need"
LINE = "lines before Slurm's own"
PER_GPU = "`--cpus-per-gpu`, `--mem-per-gpu`"
BINDING = "CPU binding of nodes that bind none"
NO_BINDING = "srun: cluster configuration lacks support for cpu binding"
HET = "components of a heterogeneous job"
UNBUILT = "options without an effect here"
ENDED = "a node whose job has just ended"
STEP_ENDED = "a node whose step has just ended"
RECORD = "a job that no node can run"
FIRST_PRIORITY = 0xfffeffff  # Of priority/basic.
FIRST_JOB = 700001
SCRIPT = "script"
VARIABLE = "variable"


def counts(text):
    """Of "8,1(x2)"."""
    return [int(number) for number, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", text) for _ in range(int(times or 1))]


def as_many(field, _):
    """The same number of tasks or CPUs on as many nodes."""
    ours, theirs = counts(field.berth), counts(field.slurm)
    return field.berth if sum(ours) == sum(theirs) and len(ours) == len(theirs) and max(ours) - min(ours) <= 1 else None


def as_many_gpus(field, _):
    """Others, since array tasks or steps begin at once, but as many."""
    theirs, mine = field.slurm.split(","), field.berth.split(",")
    return field.berth if len({*theirs}) == len({*mine}) and all(number.isdigit() for number in [*theirs, *mine]) else None


def where_spread(field, context):
    """A task's place, where the tasks of its step, or of its job, are spread otherwise."""
    for name in ("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE"):
        theirs, ours = (side(VARIABLE, field.subject, name) for side in (context.slurm, context.berth))
        if theirs and ours and theirs != ours and sum(counts(theirs)) == sum(counts(ours)):
            return field.berth
    return None


def by_id(field, _):
    """Slurm's goes down by one with each job, Berth's is that of the job's id."""
    if not (field.slurm.isdigit() and field.berth.isdigit()):
        return None
    return field.berth if 0 <= FIRST_PRIORITY - FIRST_JOB + 1 - int(field.berth) < 2000 and int(field.slurm) <= FIRST_PRIORITY else None


def with_line(field, _):
    """Berth names the line."""
    found = re.search(r"\n(sbatch: error: in #SBATCH line \d+ of the script)$", field.berth)
    return f"{field.slurm}\n{found[1]}" if found else None


def another_node(field, _):
    """All nodes of the site are alike."""
    return field.berth if all(re.fullmatch(r"node\d", side) for side in (field.slurm, field.berth)) else None


def submitted_then(field, context):
    suffix = field.field[len("AccrueTime"):]
    return context.berth(field.command, field.subject, "SubmitTime" + suffix) if field.slurm == "Unknown" else None


def refused_at_once(field, context):
    """Both refuse it; Slurm keeps a record of what it refused."""
    both = {side(SCRIPT, field.subject, "exit code") for side in (context.slurm, context.berth)}
    return ABSENT if field.slurm == "<0>: FAILED BadConstraints" and both == {"1"} else None


def without(words):
    """Slurm's text without the lines that have these words."""
    def says(field, _):
        lines = field.slurm.split("\n")
        left = [line for line in lines if words not in line]
        return "\n".join(left) if len(left) < len(lines) else None
    return says


def ours(field, _):
    return field.berth


def only_ours(field, _):
    return field.berth if field.slurm == ABSENT else None


FREE = (ours, only_ours)  # They say nothing of what Berth has to print.


def spread_text(field, _):
    """A script that prints how its tasks are spread."""
    numbers = r"\d+(?:\(x\d+\))?(?:,\d+(?:\(x\d+\))?)*"
    theirs, mine = (re.split(f"({numbers})", side) for side in (field.slurm, field.berth))
    alike = len(theirs) == len(mine) and all(a == b or sum(counts(a)) == sum(counts(b)) != 0 for a, b in zip(theirs, mine))
    return field.berth if alike and re.search(r"tasks|layout", field.slurm) else None


def without_warnings(field, _):
    """Nor Slurm's word that a step had to wait for another."""
    mine = [line for line in field.berth.split("\n") if "srun: warning: " not in line]
    theirs = [line for line in field.slurm.split("\n") if not re.match(r"srun: (Job <\d+> step creation|Step created)", line)]
    return field.berth if mine == theirs else None


def told_of_file(field, context):
    """The warning that a folder is not there; Slurm's job fails without a word."""
    first, _, rest = field.berth.partition("\n")
    return field.berth if first == field.slurm and rest.startswith("sbatch: warning: the ") else None


def without_first_lines(field, _):
    lines = field.slurm.split("\n")
    return lines[-1] if len(lines) > 1 else None


RULES = [
    Rule(OLDER, VARIABLE, ".*", r"\w+_PACK_GROUP_\d|SLURM_(PACK_SIZE|NODE_ALIASES|WORKING_CLUSTER|GET_USER_ENV)|SRUN_DEBUG", lambda *_: ABSENT),
    Rule(OLDER, VARIABLE, ".*", "SLURM_JOB_GROUP", {ABSENT: "games"}),
    Rule("`priority/basic`", JOB, ".*", "Priority'*", by_id),
    Rule("a waiting array", JOB, ".*", "AccrueTime'*", submitted_then),
    Rule(ENDED, JOB, r"serial/array_\w*throttle\w*", "(BatchHost|NodeList)'*", another_node, by_chance=True),
    Rule(ENDED, VARIABLE, r"serial/array_\w*throttle\w* .*", "SLURM_(JOB_)?NODELIST|SLURMD_NODENAME", another_node, by_chance=True),
    Rule(STEP_ENDED, VARIABLE, "mpi/output_per_task my_app .*", "SLURM_STEP_NODELIST", another_node, by_chance=True),
    Rule(SPREAD, VARIABLE, ".*", r"SLURM_(JOB_CPUS_PER_NODE|TASKS_PER_NODE|STEP_TASKS_PER_NODE)(_HET_GROUP_\d)?", as_many),
    Rule(SPREAD, VARIABLE, ".*", "SLURM_(CPUS_ON_NODE|GTIDS|LOCALID|NODEID|TOPOLOGY_ADDR)", where_spread),
    Rule(SPREAD, SCRIPT, ".*", "file .*", spread_text),
    Rule(SPREAD, SCRIPT + "|call|" + JOB, "mpi/nodelist_pair", "state|file .*|ExitCode|JobState|Reason|hello_mpi.*", ours),
    Rule(SPREAD, SCRIPT, "mpi/(rank_layout|cyclic_uneven)", "file .*", ours),
    # Slurm's ReqTRES becomes what the job got, a moment after its start.
    Rule(SPREAD, JOB, "mpi/qe_pools_block_cyclic", "ReqTRES", {"cpu=24,mem=40G,node=1,billing=24": "cpu=24,mem=80G,node=2,billing=24"}, by_chance=True),
    Rule(SPREAD, JOB, "mpi/thirty_three_tasks|mpi/spread_job|serial/spread_power_verbose", "ReqTRES", lambda field, _: re.sub(r"node=\d", "node=1", field.slurm),
         by_chance=True),
    Rule(SPREAD, JOB, "mpi/rank_layout", "(Alloc|Req)TRES|NumCPUs|NumTasks", ours),
    Rule(RECORD, SCRIPT, ".*", "state", refused_at_once),
    Rule(LINE, SCRIPT, ".*", "says", with_line),
    Rule(LINE, SCRIPT, "mistakes/begin_garbage", "says", lambda field, _: field.berth if field.berth.startswith(field.slurm.split("\n")[-1]) else None),
    Rule(LINE, SCRIPT, ".*/gpus_per_task_.*", "says", lambda field, _: field.slurm.split("\n")[0]),
    Rule(LINE, SCRIPT, ".*", "says", without_first_lines),
    Rule("`sbatch: fatal:`", SCRIPT, ".*", "says", lambda field, _: plain(field.slurm).replace("sbatch: fatal: ", "sbatch: error: ")
         if "sbatch: fatal: " in field.slurm else None),
    Rule(BINDING, VARIABLE, ".*", "SLURM_CPU_BIND(_LIST|_TYPE|_VERBOSE)?", lambda *_: ABSENT),
    Rule(BINDING, SCRIPT, ".*", "file .*", without(NO_BINDING)),
    # Options.
    Rule(PER_GPU, VARIABLE, "gpu/(ddp_gpu_per_task|sweep_mixed_list|vllm_tensor_parallel) .*", "SLURM_MEM_PER_(CPU|NODE)|SLURM_CPUS_PER_TASK", only_ours),
    Rule(PER_GPU, JOB, "gpu/(ddp_gpu_per_task|sweep_mixed_list|vllm_tensor_parallel)", "(MemPerTres|CpusPerTres|MinMemory(Node|CPU)|CPUs/Task|MinCPUsNode)'*", ours),
    Rule(PER_GPU, VARIABLE, "gpu/vllm_tensor_parallel .*", "SLURM_TASKS_PER_NODE", {"32": "1"}),
    Rule(PER_GPU, JOB, "gpu/vllm_tensor_parallel", "ReqTRES",
         {"cpu=1,mem=200G,node=1,billing=1,gres/gpu=4": "cpu=32,mem=200G,node=1,billing=32,gres/gpu=4"}, by_chance=True),
    Rule("`--cpu-freq`", JOB, ".*", "(CPU_(min|max)_freq|Governor)'*", lambda *_: ABSENT),
    Rule("`--mincpus`", JOB, "serial/deadline_time_min", "CPUs/Task", {"1": "4"}),
    Rule("`--mincpus`", JOB, "serial/deadline_time_min", "ReqTRES", {"cpu=1,mem=4G,node=1,billing=1": "cpu=4,mem=4G,node=1,billing=4"}, by_chance=True),
    Rule("`--mincpus`", VARIABLE, "serial/deadline_time_min .*", "SLURM_CPUS_PER_TASK", {ABSENT: "4"}),
    Rule("`--gpu-bind=none`", VARIABLE, "gpu/horovod_srun .*", "CUDA_VISIBLE_DEVICES|GPU_DEVICE_ORDINAL|SLURM_STEP_GPUS", only_ours),
    Rule("`--gpus-per-task` with a type", VARIABLE, "gpu/jax_multi_process .*", "CUDA_VISIBLE_DEVICES|GPU_DEVICE_ORDINAL|SLURM_STEP_GPUS", only_ours),
    Rule("memory of `--mem=0` in `ReqTRES`", JOB, "gpu/torchrun_v100_exclusive", "ReqTRES", ours, by_chance=True),
    Rule("`--ntasks-per-gpu`", VARIABLE, ".*", "SLURM_NTASKS_PER_(GPU|TRES)", lambda *_: ABSENT),
    Rule("`--ntasks-per-gpu`", VARIABLE, ".*", "SLURM_GPU_BIND", only_ours),
    Rule("`--ntasks-per-gpu`", JOB, ".*", "NtasksPerTRES", lambda *_: ABSENT),
    Rule("`--threads-per-core`, the third number of `-B`", VARIABLE, ".*", "SLURM_THREADS_PER_CORE", lambda *_: ABSENT),
    Rule(UNBUILT, VARIABLE, ".*", "SLURM_(ACCTG_FREQ|PROFILE)", lambda *_: ABSENT),
    Rule(UNBUILT, JOB, ".*", "Power", lambda *_: ABSENT),
    Rule("`--switches=N@wait`", JOB, ".*", "Switches", {"1@00:05:00": "1@00:10:00"}),
    Rule("`--prefer`", JOB, ".*", "Features'*", {"nvlink": "(null)"}),
    # Slurm's backfill shortens the job, its first attempt at a start does not.
    Rule("`--time-min`", JOB, ".*", "TimeLimit", {"00:20:00": "00:45:00"}, by_chance=True),
    Rule("`--gpu-bind`, `--spread-job` in `scontrol show job`", JOB, ".*", "TresBind|SpreadJob", lambda *_: ABSENT),
    Rule("`--gres=gpu`", JOB, ".*", "TresPerNode", {"gres/gpu": "gres/gpu:1"}),
    Rule("`SLURM_JOB_DEPENDENCY`", VARIABLE, ".*", "SLURM_JOB_DEPENDENCY", lambda *_: ABSENT),
    Rule("`SLURM_ARRAY_TASK_STEP`", VARIABLE, ".*", "SLURM_ARRAY_TASK_STEP", {"1": "2"}),
    Rule("memory of `--mem=0` in `ReqTRES`", JOB, ".*", "ReqTRES", lambda field, _: re.sub(r"mem=\w+,", "", field.slurm), by_chance=True),
    # Places.
    Rule("GPUs of a node", VARIABLE, ".*", "CUDA_VISIBLE_DEVICES|GPU_DEVICE_ORDINAL|SLURM_(STEP|JOB)_GPUS", as_many_gpus),
    Rule("steps that start at once", VARIABLE, "(gpu/(pack_exclusive|ray_cluster|pack_exact|amber_replicas)|serial/srun_exclusive_two_nodes) .*",
         "SLURM_(STEP_NODELIST|TOPOLOGY_ADDR|NODEID|LOCALID|CPUS_ON_NODE|JOB_NAME)", ours),
    Rule(HET, JOB, ".*/(het_.*|ray_het_head)", "(BatchFlag|BatchHost|NodeList|StdIn|StdOut|StdErr|ReqTRES|SchedNodeList|StartTime|EndTime|Reason|MinMemoryCPU)'*", ours),
    Rule(HET, VARIABLE, ".*/(het_.*|ray_het_head) .*", r"SLURM_\w+|CUDA_VISIBLE_DEVICES|GPU_DEVICE_ORDINAL", ours),
    Rule(HET, "call", ".*/(het_.*|ray_het_head)", ".*", ours),
    Rule(HET, SCRIPT, "mistakes/het_component_refused", "state", ours),
    Rule("`--gres` of a step in a job with `--gpus-per-node`", "script|call|variable", "gpu/pack_exact.*", ".*", ours),
    Rule("`--export=NONE`", SCRIPT, "gpu/jupyter_gpu", "file tunnel.txt", lambda field, _: field.slurm.replace(" @login", " games@login")),
    Rule("`%4a`, `%8j`, a backslash in `StdOut=`", JOB, "serial/(array_.*|output_.*)", "(StdOut|StdErr)'*", ours),
    Rule("`srun -p` and other options of a job, within a job", SCRIPT, ".*", "file .*", without_warnings),
    Rule("`srun -p` and other options of a job, within a job", SCRIPT, "mpi/sockets_cores_threads", "file .*", lambda field, context:
         f"{without(NO_BINDING)(field, context)}\nsrun: warning: --threads-per-core is the job's, and has no effect on a step"),
    Rule("`%s` in `srun -o`", SCRIPT, "serial/output_escapes", "file .*", ours),
    Rule(OLDER, SCRIPT, "mpi/het_old_packjob", "file .*", lambda field, _: field.slurm.replace("first part: 2", "first part: none")),
    # What is refused, and what fails.
    Rule("`PartitionConfig`", JOB + "|" + SCRIPT, "mistakes/nodes_five|mpi/five_nodes_in_cpu", "Reason|state", lambda field, _: field.slurm.replace("PartitionConfig", "PartitionNodeLimit")),
    Rule("`PartitionConfig`", SCRIPT, "mistakes/ntasks_two_hundred", ".*", ours),
    Rule("an output file that cannot be opened", SCRIPT, ".*", "says", told_of_file),
    Rule("an output file that cannot be opened", SCRIPT + "|" + JOB, "mistakes/(chdir_missing|output_folder_missing)", "state|Reason",
         lambda field, _: field.berth if "JobLaunchFailure" in field.slurm and "Could" in field.berth else None),
    Rule("`aftercorr` of an unknown job", "script|call|variable", "mistakes/dependency_gone.*", ".*", ours),
    Rule("`--mail-type=ENDS`", "script|call|variable", "mistakes/mail_type_ends.*", ".*", ours),
    Rule("`--nice=-10`, `--priority` by a user", SCRIPT, ".*", "says", {"sbatch: error: Batch job submission failed: Invalid --nice value":
                                                         "sbatch: error: Batch job submission failed: Access/permission denied"}),
    Rule("`--constraint` with counts", "script|call|variable", "mpi/constraint_counts_(brackets|plain).*", ".*", ours),
    Rule("a program that cannot be run", SCRIPT, ".*", "file .*", lambda field, _: field.berth if "execve(): " in field.slurm and "execve(): " in field.berth else None),
    Rule("`--ntasks-per-tres`", SCRIPT, "mistakes/ntask_prefix", "says", lambda field, _: field.berth if plain(field.slurm).replace(" '--ntasks-per-tres'", "")
         in plain(field.berth) else None),
    Rule("`--gpu-freq`", SCRIPT, "gpu/ncu_gpu_freq", "file .*", lambda field, _: field.slurm.replace("GpuFreq=control_disabled\n", "")),
    Rule("`--gpu-freq`", JOB, "gpu/ncu_gpu_freq", "TresFreq", {"gpu:medium": ABSENT}),
    Rule("`--signal` that is none", SCRIPT, "mistakes/signal_wrong_name", "says", lambda field, _: field.berth if field.berth.startswith(field.slurm) else None),
]
