"""What differs between Debian's Slurm and Berth in queries.py and wrong_requests.py: rules as in differences.py."""

import re

from compare import ABSENT
from differences import FIRST_LINES, HOST, LINES, Rule, later_place, later_share, never_started, number_becomes, replaced, time_of, without_first
from jobs import ARRAY_ID

QUERY = "query"
OF_ROWS = "query squeue"
SIGNAL = "a job that a signal ended"
ARRAY = "a waiting array"
MORE_WORDS = "texts for what is wrong"
PASSED_OVER = "wrong words that Slurm passes over"
LETTERS = "letters of `-o` that do not exist"
UNKNOWN = "`scancel` of an unknown step"
HOLD = "`scontrol hold` of a running job"
DROPPED = "a job cancelled before it started"
LOAD = "load and free memory of nodes"
NOT_SHOWN = "`scontrol show daemons`, `aliases`"
FATAL = "`sbatch: fatal:`"
NOT_TAKEN = "`sbatch --nice=abc`, `--time=-5`"
BOTH = r"timeout 5 (srun|salloc) -Q "
REFUSAL = {"srun": "Unable to allocate resources: ", "salloc": "Job submit/allocate failed: "}


def program_of(field):
    return re.match(r"timeout 5 (\w+) ", field.subject)[1]


def says_of_program(text):
    """Where Slurm takes it as something else, and the job waits."""
    def says(field, _):
        return {"exit code": "255" if field.slurm == "124" else None,
                "stderr": f"{program_of(field)}: error: {text}" if field.slurm == "" else None}.get(field.field)
    return says


def node_named_first(field, _):
    return f"{program_of(field)}: error: invalid node name specified: nosuch\n{field.slurm}"


def refused_later(field, _):
    """The controller refuses it; srun and salloc of Slurm find it wrong themselves."""
    program = program_of(field)
    last = without_first(*FIRST_LINES)(field, None) or field.slurm
    found = re.fullmatch(f"{program}: error: (.*)", last)
    return f"{program}: error: {REFUSAL[program]}{found[1]}" if found else None


def refused_earlier(field, _):
    program = program_of(field)
    found = field.slurm == f"{program}: error: {REFUSAL[program]}Requested node configuration is not available"
    return f"{program}: error: Invalid generic resource (gres) specification" if found else None


def last_looked_at(field, context):
    """As `scontrol show job` has it, but N/A where that says Unknown."""
    said = context.berth("scontrol show job", field.subject.split("-")[0], "LastSchedEval")
    if time_of(field.slurm) is None:
        return None
    return "N/A" if said == "Unknown" else said


def waiting_row(field, _):
    """Of the tasks that wait, in the columns that were asked for."""
    name = f"{ARRAY_ID}_[2-5%2]"
    columns = {"JobID,State": f"{name:12} {'PENDING':>10} ", "JobID,JobName,User": f"{name}|array|news",
               "JobID,JobName,State%12": f"{name:12} {'array':>10} {'PENDING':>12} ", "JobID,User": f"{name}|news",
               "JobID,Account": f"{name}|bio", "JobID,Partition": f"{name}|main", "JobName,State": "array|PENDING"}
    return columns.get(field.subject.rpartition(" ")[2]) if field.slurm == ABSENT else None


def array_submitted(field, context):
    return context.berth("scontrol show job", "array", "SubmitTime") if field.slurm == "N/A" else None


# Subject: what Slurm says on stderr, what Berth says.
TEXTS = {
    "sattach": ("sattach: error: too many parameters", "sattach: error: a step id is needed: sattach JOB.STEP"),
    "sattach abc": ("sattach: error: Failed to parse stepid from command line options",
                    'sattach: error: "abc" should be a step of srun: JOB.STEP, like 12.0'),
    "sattach 99999.0": ("sattach: error: Could not get job step info: Invalid job id specified", "sattach: error: Invalid job id specified"),
    "sstat -n -j 99999": ("sstat: error: couldn't get steps for job 99999", "sstat: error: Invalid job id specified (job 99999)"),
    "squeue -S nosuch": ("squeue: error: Invalid sort specification: s", "squeue: error: Invalid sort specification: nosuch"),
    "squeue -i abc": ("squeue: error: --iterate=abc", "squeue: error: invalid entry for --iterate=abc: it takes seconds, 1 or more"),
    "sinfo -i abc": ("sinfo: error: Error: invalid entry for --iterate=abc",
                     "sinfo: error: invalid entry for --iterate=abc: it takes seconds, 1 or more"),
    "sacct -k abc": ("sacct: fatal: Invalid time limit specification",
                     "sacct: fatal: Invalid --timelimit-min argument: abc (it takes minutes, hours:minutes:seconds or days-hours)"),
    "sacct -i abc": ('sacct: error: Invalid numeric value "abc" for requested node range.',
                     "sacct: fatal: Invalid --nnodes argument: abc (it takes a number or a range, such as 4 or 2-8)"),
    "sacct -c -P": ("Slurm job completion is disabled", "sacct: fatal: --completion is not supported: there is no jobcomp file; "
                    "sacct reads the accounting records without -c"),
    "scontrol update JobId=<held> TimeLimit=abc": ("scontrol: error: Invalid TimeLimit value", "Invalid TimeLimit value: abc\nRequest aborted"),
    "scontrol update JobId=<held> Priority=abc": ("scontrol: error: Invalid Priority value: abc", "Invalid Priority value: abc\nRequest aborted"),
    "scontrol update JobId=<held> Account=nosuch": ("Invalid account or account/partition combination specified for job 17",
                                                    "Update of this parameter is not supported: Account=nosuch\nRequest aborted"),
    "scontrol update JobId=<typed> NumCPUs=64": ("Job is no longer pending execution for job 2",
                                                 "NumCPUs=64 is not supported: use NumTasks and CPUsPerTask\nRequest aborted"),
    "scontrol update JobId=<held> Dependency=afterok:abc": ("Job dependency problem for job 17", "dependency: 'abc' is no dependency: afterok:12, "
                                                            "after:12+5, afterany:12_3 and singleton are some for job 17"),
    "scontrol update JobId=<held> StartTime=yesterdayish": ("Invalid time specification (pos=0): yesterdayish\nNo changes specified",
                                                            "Invalid time specification (pos=0): yesterdayish\nRequest aborted"),
    "scontrol update NodeName=gpu1 State=nosuch": (
        "Invalid input: State=nosuch\nRequest aborted\nValid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
        "Not all states are valid given a node's prior state",
        "Invalid node state specified: nosuch; there are DRAIN, RESUME, UNDRAIN, DOWN, IDLE\nRequest aborted"),
    "scontrol update PartitionName=nosuch State=UP": ("slurm_update error: Invalid partition name specified",
                                                      "slurm_update error: Invalid partition name specified\nscontrol: There is no partition 'nosuch'"),
    "scontrol delete jobid=1": ("Invalid deletion entity: jobid=1",
                                "Invalid deletion entity: jobid=1; give ReservationName=, PartitionName= or NodeName="),
    "scontrol delete ReservationName=nosuch": ("delete_reservation ReservationName=nosuch: Requested reservation is invalid",
                                               "delete_reservation ReservationName=nosuch: Requested reservation is invalid\n"
                                               "scontrol: there is no reservation 'nosuch'"),
    "scontrol create nosuch=1": ("scontrol: error: Invalid creation entity: nosuch=1",
                                 "scontrol: error: Invalid creation entity: nosuch=1; give PartitionName=, NodeName= or reservation"),
    "scontrol reboot nosuch": ("scontrol: error: RebootProgram isn't defined\nscontrol_reboot_nodes error: Unspecified error",
                               "scontrol_reboot_nodes error for nosuch: Invalid node name specified"),
    "scontrol cancel_reboot nosuch": ("slurm_update error: Invalid node name specified",
                                      "scontrol_cancel_reboot error for nosuch: Invalid node name specified"),
    "sacctmgr -i modify user games set qos=nosuch": (
        "sacctmgr: error: You gave a bad qos 'nosuch'. Valid QOS's are normal,high,scav,top\n Unknown option: qos=nosuch\n"
        " Use keyword 'where' to modify condition", " Error with request: Invalid qos specification\nsacctmgr: there is no QOS 'nosuch'"),
    "sacctmgr -i modify qos high set priority=abc": ("sacctmgr: error: Invalid value for Priority (abc)\n You didn't give me anything to set",
                                                     " Bad Priority value: abc"),
    "sacctmgr -i modify account physics set fairshare=abc": (
        "sacctmgr: error: Invalid value for FairShare (abc)\n Unknown option: fairshare=abc\n Use keyword 'where' to modify condition",
        " Bad Fairshare value: abc"),
    "sacctmgr -i modify qos high set maxwall=abc": (" Bad MaxWall time format: maxwall=abc", " Bad MaxWall value: abc"),
    "sacctmgr -i modify user games set maxjobs=abc": (
        "sacctmgr: error: Invalid value for MaxJobs (abc)\n Unknown option: maxjobs=abc\n Use keyword 'where' to modify condition",
        "MaxJobs=abc should be a whole number, or -1 for no limit"),
    "sacctmgr -i modify user games set grptres=nosuch=5": (
        "sacctmgr: error: slurmdb_format_tres_str: no TRES known by type nosuch\n Unknown option: grptres=nosuch=5\n"
        " Use keyword 'where' to modify condition", "GrpTRES=nosuch=5 should be a list like cpu=4,mem=16G,gres/gpu=2"),
    "scancel <steps>.99": ("scancel: error: Kill job error on job step id 1: Invalid job id specified\n"
                           "scancel: error: Kill job error on job step id 1: Invalid job id specified",
                           "scancel: error: Kill job error on job id 1.99: Invalid job id specified"),
}

# What Slurm's sinfo shows of the nodes.
SINFO = ("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST", "main*        up 2-00:00:00      3    mix gpu[1,3-4]",
         "main*        up 2-00:00:00      1  alloc gpu2", "debug        up      30:00      1    mix gpu4")

# Subject: what Berth refuses, and with which words, where Slurm exits with 0 and says nothing on stderr.
REFUSED = {
    "scontrol update JobId=<held> Nice=abc": "Invalid Nice value: abc\nRequest aborted",
    "scontrol update JobId= TimeLimit=5": "JobId= names no job; write JobId=12 or JobId=12,13\nRequest aborted",
    "sinfo -S nosuch": "sinfo: error: Invalid sort specification: nosuch (letters of --format, each with + or - before it)",
}


def text_of(field, _):
    slurm, berth = TEXTS[field.subject]
    return berth if field.slurm == slurm else None


def refused(field, _):
    return {"exit code": "1" if field.slurm == "0" else None, "stderr": REFUSED[field.subject] if field.slurm == "" else None}[field.field]


def not_shown(shown, instead):
    """`shown`: Slurm's line."""
    return lambda field, _: {"exit code": "1" if field.slurm == "0" else None, "text": ABSENT if field.slurm == shown else None,
                             "stderr": f"scontrol: error: {field.subject} is not supported: {instead}" if field.slurm == "" else None}[field.field]


def is_one_of(*rows):
    return lambda field, _: field.berth if field.slurm == ABSENT and field.berth in rows else None


ENTITIES = {
    'No valid entity in list command\nInput line must include "Account", "Association", "Cluster", "Configuration",\n"Event", "Federation", '
    '"Problem", "QOS", "Resource", "Reservation",\n"RunAwayJobs", "Stats", "Transaction", "TRES", "User", or "WCKey"':
    'No valid entity in list command\nInput line must include "Account", "Association", "Cluster", "QOS", or "User"',
}


def any_of(subjects):
    return "|".join(re.escape(subject) for subject in subjects)


QUERIES_EXPLAINED = [
    # squeue -O and sinfo -O, as the letters of -o and scontrol show job.
    Rule("`AllocNode:Sid`, `SrunHost:Pid`", "squeue -O AllocSID", ".*", "ALLOC_SID", number_becomes("0")),
    Rule("`AllocNode:Sid`, `SrunHost:Pid`", "squeue -O AllocNodes", ".*", "ALLOC_NODES", {"localhost": HOST}),
    Rule("`squeue -O` `AssocID`, `Cluster`", "squeue -O AssocID", ".*", "ASSOC_ID", number_becomes("0")),
    Rule("`squeue -O` `AssocID`, `Cluster`", "squeue -O Cluster", ".*", "CLUSTER", {"oracle": "N/A"}),
    Rule("`priority/basic`", "squeue -O Priority", ".*", "PRIORITY", later_share),
    Rule("`priority/basic`", "squeue -O PriorityLong", ".*", "PRIORITY", later_place),
    Rule("`LastSchedEval`", "squeue -O LastSchedEval", ".*", "LAST_SCHED_EVAL", last_looked_at),
    Rule(DROPPED, "squeue -O NumTasks", "dropped-N/A", "TASKS", {"4294967294": "1"}),
    Rule(DROPPED, "squeue -O Reason", "dropped-N/A", "REASON", {"JobHeldUser": "None"}),
    Rule(DROPPED, "squeue -O StartTime", "dropped-N/A", "START_TIME", never_started),
    Rule(ARRAY, "squeue -O (AccrueTime|EligibleTime)", "array-.*", "(ACCRUE|ELIGIBLE)_TIME", array_submitted),
    Rule(LOAD, "sinfo -O (CPUsLoad|FreeMem)", ".*", "CPU_LOAD|FREE_MEM", number_becomes("N/A")),
    # Lines of tables.
    Rule(SIGNAL, OF_ROWS, ".*", "text", replaced("(JobLaunchFailure)", "(RaisedSignal:9(Killed))")),
    Rule("`ExitCode` of a cancelled job", OF_ROWS, "squeue .* JobID:8,exit_code:12", "text", {"13      15          ": "13      0           "}),
    Rule(ARRAY, "query sacct", ".*", "text", waiting_row),
    Rule("`sacct -I` with a range", "query sacct", "sacct -a -X -I .*", "text", is_one_of("two|32", "whole|32")),
    Rule("`scontrol version`", "query scontrol", "scontrol version", "text", {"slurm-wlm 22.05.8": "slurm 25.11.0"}),
    # What is shown, or taken, by one of both.
    Rule(NOT_SHOWN, "query.*", "scontrol show aliases", ".*", not_shown("gpu1 gpu2 gpu3 gpu4", "scontrol show nodes has each NodeHostName")),
    Rule(NOT_SHOWN, "query.*", "scontrol show daemons", ".*", not_shown("slurmctld slurmd", "use systemctl list-units 'berth*'")),
    Rule("lists of valid states", QUERY, "sacctmgr show( nosuch)?", "stderr", ENTITIES),
    Rule(LETTERS, QUERY, "sinfo -o %q", "exit code", {"0": "1"}),
    Rule(LETTERS, QUERY, "sinfo -o %q", "stderr", {"Invalid node format specification: q": "sinfo: error: Invalid node format specification: q"}),
    Rule(LETTERS, "query sinfo", "sinfo -o %q", "text", {"%q": ABSENT}),
    Rule(PASSED_OVER, QUERY, any_of(REFUSED), "exit code|stderr", refused),
    Rule(PASSED_OVER, "query sinfo", "sinfo -S nosuch", "text", dict.fromkeys(SINFO, ABSENT)),
    Rule(HOLD, QUERY, "scontrol hold <steps>", "exit code", {"0": "1"}),
    Rule(HOLD, QUERY, "scontrol hold <steps>", "stderr",
         {"": "Job is no longer pending execution for job 1\nslurm_suspend error: Job is no longer pending execution"}),
    Rule(UNKNOWN, QUERY, "scancel <steps>.99", "exit code", {"225": "1"}),
    Rule("`scontrol suspend` of an unknown job", QUERY, "scontrol suspend 99999", "stderr",
         {"Unexpected message received for job 99999": "Invalid job id specified for job 99999"}),
    # Other words for the same.
    Rule(MORE_WORDS, QUERY, any_of(TEXTS), "stderr", text_of),
    Rule(MORE_WORDS, QUERY, "sstat -n -j 99999|scontrol write batch_script 99999 -", "exit code", {"0": "1"}),
    Rule(MORE_WORDS, "query sattach", "sattach( abc)?", "text", {"Usage: sattach [options] <jobid.stepid>": ABSENT}),
    Rule(MORE_WORDS, "query squeue", "squeue -S nosuch", "text",
         {"             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)": ABSENT}),
    # srun and salloc.
    Rule(NOT_TAKEN, QUERY, BOTH + "--nice=abc true", "exit code|stderr", says_of_program("Invalid --nice value: abc")),
    Rule(NOT_TAKEN, QUERY, BOTH + "--time=-5 true", "exit code|stderr", says_of_program("Invalid --time specification")),
    Rule(LINES, QUERY, BOTH + "-[wx] nosuch true", "stderr", node_named_first),
    Rule(LINES, QUERY, BOTH + "--begin=yesterdayish true", "stderr", without_first(*FIRST_LINES)),
    Rule(LINES, QUERY, BOTH + "(--gres=tpu:1|.*--gpus=8 .*) true", "stderr", refused_later),
    Rule(FATAL, QUERY, BOTH + "(--mem=1G --mem-per-cpu=1G|-D) true", "stderr", replaced(": fatal: ", ": error: ")),
    Rule("negative counts of GPUs", QUERY, BOTH + "--gres=gpu:-1 true", "stderr", refused_earlier),
]
