"""The words of `scontrol update` for jobs and nodes: what each changes for jobs."""

import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path

import worlds
from cluster import Cluster
from effect import EFFECTS, Effect, same, see
from keys_case import GRES, USER, KeyCase

CONF = ("Licenses=matlab:1", "TopologyPlugin=topology/tree", "JobRequeue=1", "PriorityType=priority/multifactor", "PriorityWeightQOS=1000",
        "PriorityWeightAge=0", "MailProg=MAIL_PROGRAM", "JobSubmitPlugins=lua")
NODES = ["NodeName=n[1-2] CPUs=8 RealMemory=16000 Gres=gpu:a100:4 Feature=old", "NodeName=n[3-4] CPUs=8 RealMemory=16000 Gres=gpu:a100:4 Feature=new"]
PARTITIONS = ["PartitionName=main Nodes=n[1-4] Default=YES MaxTime=1-0", "PartitionName=other Nodes=n4 MaxTime=1-0"]
TREE = "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\nSwitchName=top Switches=leaf[1-2]\n"


@contextmanager
def cluster_to_update():
    with tempfile.TemporaryDirectory(prefix="berth-updates.") as name:
        folder = Path(name)
        folder.chmod(0o755)
        program = folder / "mail"
        program.write_text(worlds.MAIL_PROGRAM.replace("{}", str(folder)))
        program.chmod(0o755)
        lines = [line.replace("MAIL_PROGRAM", str(program)) for line in CONF]
        (folder / "slurm.conf").write_text(KeyCase(None, "", True, "", "", "").slurm_conf(lines, NODES, PARTITIONS))
        for file, text in (("gres.conf", GRES), ("topology.conf", TREE), ("job_submit.lua", worlds.JOBS_LUA)):
            (folder / file).write_text(text)
        with Cluster(conf=folder / "slurm.conf") as cluster:
            cluster.mails = folder
            cluster.run("sacctmgr", "-i", "add", "qos", "high", "priority=100")
            cluster.run("sacctmgr", "-i", "add", "account", "bio")
            cluster.run("sacctmgr", "-i", "add", "user", f"root,{USER}", "account=bio")
            yield cluster


worlds.WORLDS["updates"] = cluster_to_update


class UpdateCase(KeyCase):
    def update(self, job):
        """The tested word, for this job."""
        if self.it:
            self.run("scontrol", "update", f"JobId={job}", self.it)

    def updated(self, *words, script="true"):
        """A held job that has the word, released."""
        job = self.sbatch("-H", *words, script=script)
        self.update(job)
        self.run("scontrol", "release", job)
        return job

    def printed(self, what, *words):
        """What the script of such a job prints."""
        name = f"out-{uuid.uuid4().hex[:8]}"
        job = self.run("sbatch", "--parsable", "-H", "-o", name, *words, "--wrap", f"echo {what}").stdout.strip()
        self.update(job)
        self.run("scontrol", "release", job)
        return self.wait("the output", lambda: (self.file(name) or "").strip(), 4)

    def ran_on(self, job):
        self.runs(job)
        return self.squeue(job, "%N")

    def hold(self, *nodes):
        """A job of another's on each of these nodes."""
        for node in nodes:
            self.runs(self.sbatch("-w", node, "--exclusive", "-t", "10", script="sleep 300"))


def registered(name, value, seen, kind, needs_root):
    def register(function):
        def tested(case):
            try:
                function(case)
            finally:
                case.tidy()
        one = Effect(f"scontrol {kind} {name.lower()}", seen, "updates", tested, needs_root)
        one.case = lambda cluster, withheld: UpdateCase(cluster, one.name, withheld, f"scontrol {kind}", name, value)
        EFFECTS.append(one)
        return function
    return register


def job(name, value, seen, needs_root=False):
    return registered(name, value, seen, "job", needs_root)


def reservation(name, value, seen, needs_root=False):
    return registered(name, value, seen, "reservation", needs_root)


def step(name, value, seen):
    return registered(name, value, seen, "step", False)


def node(name, value, seen):
    return registered(name, value, seen, "node", False)


# ---- Jobs: when they run.

def before_an_outage(run, *words):
    """A job that is too long for the time that is left on all nodes, and then has the word."""
    run.run("scontrol", "create", "reservation", "ReservationName=outage", "StartTime=now+30minutes", "Duration=60", "Nodes=ALL", "Users=root")
    try:
        waiting = run.sbatch(*words)
        time.sleep(0.3)
        run.update(waiting)
        run.runs(waiting, 2)
    finally:
        run.tidy()
        run.run("scontrol", "delete", "ReservationName=outage")


@job("TimeLimit", 10, seen="the job fits into the time that is left, and starts")
def time_limit(run):
    before_an_outage(run, "-t", "60")


@job("TimeMin", 10, seen="the job starts with less time")
def time_min(run):
    before_an_outage(run, "-t", "60")


@job("StartTime", "now+1hour", seen="the job waits until then")
def start_time(run):
    run.waits_for(run.updated(), "BeginTime")


@job("Deadline", "now+64seconds", seen="a job that cannot end by then any more is ended")
def deadline(run):
    run.hold("n1", "n2", "n3", "n4")
    waiting = run.sbatch("-t", "1")
    run.update(waiting)
    run.wait("the job to miss its deadline", lambda: run.squeue(waiting, "%t") == "DL", 9)


@job("EndTime", "now+90seconds", seen="the job's time limit ends then, counted in whole minutes")
def end_time(run):
    running = run.sbatch("-t", "60", script="sleep 60")
    run.runs(running)
    run.update(running)
    run.wait("another time limit", lambda: run.squeue(running, "%l") == "2:00", 2)


@job("Dependency", "afterok:{other}", seen="the job waits for the other")
def dependency(run):
    other = run.sbatch("-H")
    run.value = f"afterok:{other}"
    run.waits_for(run.updated(), "Dependency")


@job("Priority", 100, seen="a held job starts")
def priority(run):
    held = run.sbatch("-H")
    run.update(held)
    run.runs(held)


def rises_by(run, points):
    """The priority of a job that waits, once it has the word. Without any point it is 1."""
    run.hold("n1", "n2", "n3", "n4")
    waiting = run.sbatch()
    same(run.squeue(waiting, "%Q"), "1")
    run.update(waiting)
    run.wait("another priority", lambda: run.squeue(waiting, "%Q") == str(points), 2)


@job("SiteFactor", 5000, seen="the job's priority rises by it")
def site_factor(run):
    rises_by(run, 5000)


@job("Nice", -700, seen="the job's priority rises by it")
def nice(run):
    rises_by(run, 700)


@job("QOS", "high", seen="the job has the priority of that QOS")
def qos(run):
    rises_by(run, 1000)


@job("ArrayTaskThrottle", 2, seen="so many tasks run at once")
def array_task_throttle(run):
    array = run.sbatch("--array=1-4%1", script="sleep 60")
    run.wait("a task", lambda: run.out("squeue", "-h", "-r", "-j", array, "-t", "R").count("\n") == 1)
    run.update(array)
    run.wait("another task", lambda: run.out("squeue", "-h", "-r", "-j", array, "-t", "R").count("\n") == 2, 2)


@job("Licenses", "matlab", seen="the job waits for the licence")
def licenses(run):
    run.runs(run.sbatch("-L", "matlab", script="sleep 60"))
    run.waits_for(run.updated(), "Licenses")


@job("Requeue", 0, seen="the job is not put back into the queue")
def requeue(run):
    running = run.sbatch("--requeue", script="sleep 60")
    run.runs(running)
    run.update(running)
    run.run("scontrol", "requeue", running, ok=False)


# ---- Jobs: where they run, and with what.

@job("Partition", "other", seen="the job runs on a node of that partition")
def partition(run):
    same(run.ran_on(run.updated()), "n4")


@job("NodeList", "n3", seen="the job runs there")
def node_list(run):
    same(run.ran_on(run.updated()), "n3")


@job("ExcNodeList", "n[1-3]", seen="the job runs elsewhere")
def exc_node_list(run):
    same(run.ran_on(run.updated()), "n4")


@job("Features", "new", seen="the job runs on a node that has them")
def features(run):
    see(run.ran_on(run.updated()) in ("n3", "n4"))


@job("ReservationName", "mine", seen="the job runs on the reservation's node")
def reservation_name(run):
    run.run("scontrol", "create", "reservation", "ReservationName=mine", "StartTime=now", "Duration=60", "Nodes=n3", "Users=root")
    try:
        same(run.ran_on(run.updated("-t", "5")), "n3")
    finally:
        run.tidy()
        run.run("scontrol", "delete", "ReservationName=mine")


def apart(run):
    """Two nodes are idle, of two switches, and not side by side; a job of two nodes waits all the same."""
    run.hold("n2", "n4")
    waiting = run.updated("-N2", "-t", "5", script="sleep 30")
    time.sleep(1)
    same(run.squeue(waiting, "%t"), "PD")


@job("Switches", "1@60", seen="the job waits for nodes of one switch")
def switches(run):
    apart(run)


@job("Contiguous", "yes", seen="the job waits for nodes side by side")
def contiguous(run):
    apart(run)


@job("wait-for-switch", 0, seen="the job does not wait for nodes of one switch any more")
def wait_for_switch(run):
    run.hold("n2", "n4")
    run.runs(run.updated("-N2", "-t", "5", "--switches=1@10:00", script="sleep 30"), 3)


@job("Prefer", "new", seen="the job runs on a node that has the feature")
def prefer(run):
    see(run.ran_on(run.updated()) in ("n3", "n4"))


def refused(run):
    """A change to a held job, refused since no node has what the word asks for."""
    job = run.sbatch("-H")
    run.run("scontrol", "update", f"JobId={job}", "Nice=5", *([run.it] if run.it else []), ok=False)


for word in ("ReqSockets", "ReqCores", "ReqThreads", "MinTmpDiskNode"):
    job(word, 1024, seen="no node has so much: the change is refused")(refused)


@job("NumNodes", 2, seen="the job has so many nodes")
def num_nodes(run):
    same(run.printed("$SLURM_JOB_NUM_NODES"), "2")


@job("NumTasks", 3, seen="the job has so many tasks")
def num_tasks(run):
    same(run.printed("$SLURM_NTASKS", "-n1"), "3")


@job("TasksPerNode", 2, seen="each node has so many tasks")
def tasks_per_node(run):
    same(run.printed("$SLURM_NTASKS_PER_NODE", "-N1"), "2")


@job("Gres", "gpu:a100:2", seen="the job has so many GPUs")
def gres(run):
    same(run.printed("$CUDA_VISIBLE_DEVICES", "--gres=gpu:1"), "0,1")


@job("OverSubscribe", "yes", seen="the job leaves what it does not need of its node to others")
def over_subscribe(run):
    same(run.printed("$SLURM_CPUS_ON_NODE", "--exclusive", "-c1"), "1")


@job("CpusPerTask", 3, seen="the job's node gives so many CPUs")
def cpus_per_task(run):
    same(run.printed("$SLURM_CPUS_ON_NODE", "-c1"), "3")


@job("MinMemoryNode", 3000, seen="the job has so much memory on the node")
def min_memory_node(run):
    same(run.printed("$SLURM_MEM_PER_NODE", "--mem=100"), "3000")


@job("MinMemoryCPU", 700, seen="the job has so much memory for each CPU")
def min_memory_cpu(run):
    same(run.printed("$SLURM_MEM_PER_CPU", "--mem-per-cpu=100"), "700")


# ---- Jobs: what is said of them.

@job("Name", "other", seen="the script is told")
def name_of_job(run):
    same(run.printed("$SLURM_JOB_NAME"), "other")


@job("Comment", "forbidden", seen="the site's job_submit.lua refuses the change for it")
def comment(run):
    job = run.sbatch("-H")
    run.run("scontrol", "update", f"JobId={job}", "Nice=5", *([run.it] if run.it else []), ok=False)


def mailed(run, recipient, *words):
    path = run.cluster.mails / f"mail.{recipient}"
    path.unlink(missing_ok=True)
    run.updated(*words)
    run.wait("the mail", path.exists, 4)


@job("MailType", "END", seen="a mail is sent when the job ends")
def mail_type(run):
    mailed(run, "root")


@job("MailUser", USER, seen="the mail goes to that user")
def mail_user(run):
    mailed(run, USER, "--mail-type=END")


@job("StdErr", "errors-%j", seen="errors go to that file")
def std_err(run):
    job = run.updated("-o", "first", script="echo hello >&2")
    run.wait("the errors", lambda: run.file(f"errors-{job}") == "hello\n", 4)


@job("StdIn", "/etc/hostname", seen="the script reads that file")
def std_in(run):
    job = run.updated("-o", "read-%j", script="cat")
    run.wait("what was read", lambda: run.file(f"read-{job}") == Path("/etc/hostname").read_text(), 4)


@job("StdOut", "elsewhere-%j", seen="the output goes to that file")
def std_out(run):
    job = run.updated("-o", "first", script="echo hello")
    run.wait("the output", lambda: run.file(f"elsewhere-{job}") == "hello\n", 4)


@job("WorkDir", "/tmp", seen="the script runs there")
def work_dir(run):
    path = run.cluster.mails / "directory"
    path.unlink(missing_ok=True)
    run.updated("-o", "/dev/null", script=f"pwd > {path}")
    run.wait("the directory", lambda: path.exists() and path.read_text() == "/tmp\n", 4)


@job("Account", "bio", seen="the script is told")
def account(run):
    same(run.printed("$SLURM_JOB_ACCOUNT", "-A", "chemistry"), "bio")


@job("WCKey", "paper", seen="accounting finds the job by it")
def wckey(run):
    job = run.updated("--wckey=draft")
    run.wait("the job's record", lambda: run.out("sacct", "-n", "-X", "-j", job, "-W", "paper", "-o", "JobID").strip() == job, 4)


@job("Extra", "rack7", seen="accounting has it")
def extra_of_job(run):
    job = run.updated("-H")
    run.wait("the job's record", lambda: run.out("sacct", "-n", "-P", "-X", "-j", job, "-o", "Extra").strip() == "rack7", 4)


@job("AdminComment", "odd", seen="accounting has it")
def admin_comment(run):
    job = run.updated("-H")
    run.wait("the job's record", lambda: run.out("sacct", "-n", "-P", "-X", "-j", job, "-o", "AdminComment").strip() == "odd", 4)
    see("AdminComment=odd" in run.out("scontrol", "show", "job", job))


# ---- Steps of jobs.

@step("TimeLimit", "0:03", seen="the step ends after that time, and its job goes on")
def step_time_limit(run):
    job = run.sbatch(script="srun sleep 300; sleep 300")
    run.wait("the step to run", lambda: f"{job}.0" in run.out("squeue", "-h", "-s", "-o", "%i"), 10)
    if run.it:
        run.run("scontrol", "update", f"StepId={job}.0", run.it)
    run.wait("the step's end", lambda: run.out("sacct", "-n", "-P", "-j", f"{job}.0", "-o", "State").strip() == "TIMEOUT", 15)
    same(run.squeue(job, "%t"), "R")


# ---- Nodes.

@contextmanager
def changed(run, name="n1", back=()):
    words = run.it if isinstance(run.it, str) else ""
    if words:
        run.run("scontrol", "update", f"NodeName={name}", *words.split())
    try:
        yield
    finally:
        run.tidy()
        run.run("scontrol", "update", f"NodeName={name}", *back, ok=None)


@node("State", "DRAIN Reason=fan", seen="no job starts there")
def node_state(run):
    with changed(run, back=("State=RESUME",)):
        waiting = run.sbatch("-w", "n1")
        time.sleep(1)
        see(run.squeue(waiting, "%t") == "PD")


@node("Reason", "fan", seen="the node may be drained: without a reason it may not")
def node_reason(run):
    run.run("scontrol", "update", "NodeName=n1", "State=DRAIN", *([run.it] if run.it else []))
    try:
        same(run.out("sinfo", "-h", "-n", "n1", "-o", "%t").strip(), "drain")
    finally:
        run.run("scontrol", "update", "NodeName=n1", "State=RESUME", ok=None)


@node("BerthGpus", "0 State=DRAIN Reason=ecc", seen="the GPU is not given to jobs, and the others are")
def node_gpus(run):
    with changed(run, back=("BerthGpus=0", "State=RESUME")):
        run.runs(run.sbatch("-w", "n1", "--gres=gpu:3"))
        waiting = run.sbatch("-w", "n1", "--gres=gpu:4")
        time.sleep(1)
        see(run.squeue(waiting, "%t") == "PD")


@node("Comment", "odd", seen="scontrol has it")
def node_comment(run):
    with changed(run, back=("Comment=",)):
        see("Comment=odd" in run.out("scontrol", "show", "node", "n1"))


@node("Extra", "rack7", seen="scontrol has it")
def node_extra(run):
    with changed(run, back=("Extra=",)):
        see("Extra=rack7" in run.out("scontrol", "show", "node", "n1"))


@node("Weight", 500, seen="the node is taken last")
def node_weight(run):
    with changed(run, back=("Weight=1",)):
        same(run.ran_on(run.sbatch("-C", "old")), "n2")


@node("Features", "old,odd", seen="a job that wants the feature runs there")
def node_features(run):
    with changed(run, back=("Features=old",)):
        same(run.ran_on(run.sbatch("-C", "odd", ok=None)), "n1")
