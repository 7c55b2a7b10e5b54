"""Keys of slurm.conf about jobs: numbers, limits, defaults, ends, mail."""

import signal
import subprocess
from contextlib import contextmanager

from effect import NoEffect, same, see
from hung_disk import HungDisk
from keys_case import USER, key

ACCOUNTS = {"accounts": [{"name": "bio", "grp_jobs": 1, "users": ["root"]}]}


@key("slurm.conf", "FirstJobId", "5000", seen="the first job has this number")
def first_job_id(run):
    with run.started():
        same(run.sbatch(), "5000")


@key("slurm.conf", "MaxJobId", "3", seen="a job for which no number is left is refused")
def max_job_id(run):
    with run.started():
        run.sbatch("-H")
        for _ in range(2):
            run.sbatch("-H", ok=None)
        run.refused()


@key("slurm.conf", "ClusterName", "other", seen="a job's environment names the cluster")
def cluster_name(run):
    with run.started():
        same(run.output("echo $SLURM_CLUSTER_NAME"), "other")


@key("slurm.conf", "GresTypes", "gpu", seen="nodes may have GRES of this name")
def gres_types(run):
    run.configure()
    run.sbatch("--gres=gpu:1")


@key("slurm.conf", "MaxArraySize", "10", seen="a longer array is refused")
def max_array_size(run):
    run.configure()
    run.sbatch("-H", "-a", "0-9")
    run.refused("-a", "0-20")


@key("slurm.conf", "MaxJobCount", "1", seen="with one job there, another is refused")
def max_job_count(run):
    run.configure()
    run.sbatch("-H", ok=None)
    run.refused()


@key("slurm.conf", "MinJobAge", "1", seen="a finished job is forgotten a second later")
def min_job_age(run):
    run.configure()
    job = run.sbatch()
    run.ends(job)
    run.wait("the job to be forgotten", lambda: run.run("scontrol", "show", "job", job, ok=None).returncode != 0, 4)


@key("slurm.conf", "JobRequeue", "0", seen="a job cannot be requeued")
def job_requeue(run):
    run.configure()
    job = run.sbatch(script="sleep 60")
    run.runs(job)
    run.run("scontrol", "requeue", job, ok=False)


@key("slurm.conf", "DependencyParameters", "kill_invalid_depend", seen="a job is cancelled when the job that it depends on has failed")
def dependency_parameters(run):
    run.configure()
    failed = run.sbatch(script="sleep 0.5; exit 1")
    jobs = [run.sbatch("-d", f"afterok:{failed}", *words, script="true") for words in ((), ("--kill-on-invalid-dep=no",))]
    run.wait("the first to be cancelled", lambda: run.out("squeue", "-h", "-j", jobs[0]) == "", 4)
    same(run.squeue(jobs[1], "%t %r"), "PD DependencyNeverSatisfied")
    run.run("scancel", jobs[1])


@key("slurm.conf", "KillWait", "1", seen="a job that ignores SIGTERM is killed a second later")
def kill_wait(run):
    run.configure()
    job = run.sbatch(script="trap '' TERM; touch trapped; for i in $(seq 60); do sleep 0.1; done")
    run.wait("the trap", lambda: run.file("trapped") is not None, 4)
    (run.cluster.work / "trapped").unlink()
    run.run("scancel", job)
    run.wait("the job to be gone", lambda: run.out("squeue", "-h", "-j", job) == "", 4)


@contextmanager
def unkillable(run, *lines):
    """A job on n1 that is cancelled and does not die, until the `with` ends."""
    run.configure(*lines)
    with HungDisk(run.cluster.root) as disk:
        job = run.sbatch("-w", "n1", script=f"cat {disk.path}/file")
        run.runs(job)
        run.wait("a process to hang", lambda: subprocess.run(["pgrep", "-f", f"^cat {disk.path}"], capture_output=True).stdout, 5)
        run.run("scancel", job)
        try:
            yield job
        finally:
            disk.end()
            run.run("scontrol", "update", "NodeName=n1", "State=RESUME", ok=None)


@key("slurm.conf", "UnkillableStepTimeout", "1", seen="a node is drained where a process lives on for so long after SIGKILL", needs_root=True)
def unkillable_step_timeout(run):
    with unkillable(run):
        run.wait("the node to be drained", lambda: "Kill task failed" in run.out("sinfo", "-R", "-h", "-o", "%E"), 10)


@key("slurm.conf", "UnkillableStepProgram", "?", seen="the program runs on such a node", needs_root=True)
def unkillable_step_program(run):
    log = run.cluster.root / "unkillable.log"
    run.value = run.program("unkillable", f'echo "$SLURM_JOB_ID $SLURMD_NODENAME" >>{log}')
    with unkillable(run, "UnkillableStepTimeout=1") as job:
        run.wait("the program", lambda: log.exists() and log.read_text() == f"{job} n1\n", 10)


@key("slurm.conf", "InactiveLimit", "1", seen="a job whose salloc is dead is ended")
def inactive_limit(run):
    run.configure()
    client = run.popen("salloc", "sleep", "100")
    try:
        run.wait("salloc's job", lambda: run.out("squeue", "-h", "-t", "R", "-o", "%A"), 4)
    finally:
        client.send_signal(signal.SIGKILL)
        client.wait()
    run.wait("the job to be gone", lambda: run.out("squeue", "-h") == "", 4)


@key("slurm.conf", "OverTimeLimit", "30", seen="a job that is over its limit goes on so long")
def over_time_limit(run):
    done = run.simulated(jobs=[{"runs": 1200, "limit": 10}])
    same(done[1]["state"], "completed")


@key("slurm.conf", "DefMemPerCPU", "1000", seen="a job that says nothing of memory holds so much a core")
def def_mem_per_cpu(run):
    run.configure()
    see("mem=2000M" in run.shown(run.sbatch("-c2")))


@key("slurm.conf", "DefMemPerNode", "1500", seen="a job that says nothing of memory holds so much")
def def_mem_per_node(run):
    run.configure()
    see("mem=1500M" in run.shown(run.sbatch("-c2")))


@key("slurm.conf", "MaxMemPerCPU", "1000", seen="a job that wants more memory a core gets more cores")
def max_mem_per_cpu(run):
    run.configure()
    see("cpu=3,mem=3000M" in run.shown(run.sbatch("-c1", "--mem-per-cpu=3000")))


@key("slurm.conf", "EnforcePartLimits", "ALL", seen="a job over the partition's limit is refused and does not wait")
def enforce_part_limits(run):
    run.configure()
    run.refused("-t", "3-0")


@key("slurm.conf", "Licenses", "matlab:1", seen="a job may ask for the licence")
def licenses(run):
    run.configure()
    run.sbatch("-L", "matlab:1")


@key("slurm.conf", "MpiDefault", "pmi2", seen="a step's tasks find a PMI")
def mpi_default(run):
    run.configure()
    see("PMI_RANK" in run.out("srun", "env"))


@key("slurm.conf", "AccountingStorageEnforce", "associations", seen="a user without an association is turned away", needs_root=True)
def enforcement(run):
    run.configure(yaml=ACCOUNTS)
    run.refused(user=USER)


@key("AccountingStorageEnforce", "associations", "", seen="a user without an association is turned away", needs_root=True)
def enforce_associations(run):
    enforcement(run)


@key("AccountingStorageEnforce", "qos", "", seen="a user without an association is turned away", needs_root=True)
def enforce_qos(run):
    enforcement(run)


@key("AccountingStorageEnforce", "wckeys", "", seen="a user without an association is turned away", needs_root=True)
def enforce_wckeys(run):
    enforcement(run)


@key("AccountingStorageEnforce", "all", "", seen="a user without an association is turned away", needs_root=True)
def enforce_all(run):
    enforcement(run)


@key("AccountingStorageEnforce", "limits", "", seen="a limit keeps a job waiting")
def enforce_limits(run):
    run.configure("AccountingStorageEnforce=associations", yaml=ACCOUNTS)
    run.runs(run.sbatch(script="sleep 60"))
    run.waits_for(run.sbatch(), "AssocGrpJobsLimit")


@key("AccountingStorageEnforce", "safe", "", seen="a limit keeps a job waiting")
def enforce_safe(run):
    enforce_limits(run)


def mailed(run, *words):
    """What MailProg was called with."""
    log = run.cluster.root / "mailed"
    program = run.program("mail", f'echo "$*" >>{log}; cat >/dev/null')
    if run.key == "MailProg":
        run.value = program
        run.configure()
    else:
        run.configure(f"MailProg={program}")
    run.sbatch("--mail-type=END", *words)
    run.wait("the mail", lambda: log.exists() and log.read_text(), 4)
    return log.read_text()


@key("slurm.conf", "MailProg", "?", seen="the program is called when a job ends")
def mail_program(run):
    see("ann@example.org" in mailed(run, "--mail-user=ann@example.org"))


@key("slurm.conf", "MailDomain", "example.org", seen="mail to the job's owner goes to this domain")
def mail_domain(run):
    see("root@example.org" in mailed(run))


@key("slurm.conf", "JobAcctGatherFrequency", "1", seen="what a job uses is known a second after its start")
def gather_frequency(run):
    with run.started():
        measured(run)


@key("slurm.conf", "JobAcctGatherType", "jobacct_gather/none", seen="what a job uses is not known")
def gather_type(run):
    with run.started("JobAcctGatherFrequency=1"):
        try:
            measured(run)
        except NoEffect:
            return
    raise NoEffect("it is known")


def measured(run):
    job = run.sbatch(script="sleep 30")
    run.runs(job)
    run.wait("its memory", lambda: any(run.out("sstat", "-n", "-P", "-a", "-j", job, "-o", "MaxRSS").strip("| \n0")), 2.5)
