"""Requests that both refuse, or that change nothing: of jobs, nodes, partitions and accounts, and of srun and salloc."""

from jobs import REFUSED
from queries import outputs_differ

SCONTROL = [
    "wait_job {good}", "hold {steps}", "release {held}x", "update JobId={held} Nice=abc", "update JobId={held} TimeLimit=abc",
    "update JobId={held} Partition=nosuch", "update JobId={held} QOS=nosuch", "update JobId={held} Account=nosuch",
    "update JobId={held} NumNodes=99", "update JobId={held} Dependency=afterok:abc", "update JobId={held} Features=nosuch",
    "update JobId={held} ReqNodeList=nosuch", "update JobId={held} StartTime=yesterdayish", "update JobId={typed} NumCPUs=64",
    "update JobId={held} Priority=abc", "update JobId={held} Gres=gpu:99", "update NodeName=gpu1 State=nosuch",
    "update PartitionName=nosuch State=UP", "update PartitionName=debug MaxTime=abc", "update JobId= TimeLimit=5",
    "update JobId=abc TimeLimit=5", "update StepId={steps}.99 TimeLimit=5", "requeue {good}", "requeue {pertask}", "requeuehold 99999",
    "suspend 99999", "resume {held}", "resume {typed}", "uhold 99999", "notify 99999 hello", "top 99999", "delete jobid=1",
    "delete ReservationName=nosuch", "delete", "create", "create reservation", "create nosuch=1", "reboot nosuch",
    "write batch_script {good} -", "write batch_script 99999 -", "write nosuch", "cancel_reboot nosuch",
]

SACCTMGR = [
    "nosuch", "add user", "add account", "-i add user nosuch_user account=nosuch", "-i add account physics", "-i add qos high",
    "-i add user games account=physics", "-i delete account nosuch", "-i delete qos nosuch", "-i delete user nosuch",
    "-i modify user nosuch set fairshare=5", "-i modify account nosuch set fairshare=5", "-i modify qos nosuch set priority=5",
    "-i modify user games set qos=nosuch", "-i modify user games set nosuch=5", "-i modify qos high set priority=abc",
    "-i modify account physics set fairshare=abc", "-i modify user games where account=nosuch set fairshare=3",
    "-i modify qos high set maxwall=abc", "-i modify user games set maxjobs=abc", "-i modify user games set grptres=nosuch=5",
    "-i modify user games set", "-i modify user games",
]

SCANCEL = [
    "-u nosuchuser", "-t nosuch", "-s NOSUCH {held}", "-p nosuch {held}", "-n nosuch {held}", "-A nosuch {held}", "-q nosuch {held}",
    "-w nosuch", "{steps}.99", "{good}", "{array}_99", "-t PD {typed}", "1-", "{held}.x", "--me -t SUSPENDED", "-b {held}",
]

# What only sbatch has, or what srun and salloc would wait for.
SBATCH_ALONE = ("--array", "--export", "--open-mode", "--test-only")


def compare_requests(slurm, berth, counted):
    for program, lines in (("scontrol", SCONTROL), ("sacctmgr", SACCTMGR), ("scancel", SCANCEL)):
        for line in lines:
            yield from outputs_differ(slurm, berth, f"{program} {line}", counted)
    for options in REFUSED:
        if not options.startswith(SBATCH_ALONE):
            for program in ("srun", "salloc"):
                yield from outputs_differ(slurm, berth, f"timeout 5 {program} -Q {options} true", counted, user="news")
