"""Keys of slurm.conf: each effect test starts a cluster with the key, or, where it is withheld, without it."""

from contextlib import contextmanager
import tempfile
from pathlib import Path

from effect import EFFECTS, Case, Effect, see
from cluster import Cluster

BASE = ["ClusterName=keys", "GresTypes=gpu"]
NODE = "NodeName=n[1-2] CPUs=8 RealMemory=16000 Gres=gpu:a100:4"
PARTITION = "PartitionName=main Nodes=n[1-2] Default=YES"
GRES = "NodeName=n[1-2] Name=gpu Type=a100 Count=4\n"


class KeyCase(Case):
    """`with run.started("KillWait=1") as c:` is a cluster whose configuration has the tested key, and what else is asked for."""

    def __init__(self, name, withheld, kind, key, value):
        super().__init__(None, name, withheld)
        self.kind, self.key, self.value = kind, key, value

    def tested(self, kind):
        return "" if self.withheld or kind != self.kind else f"{self.key}={self.value}"

    @contextmanager
    def started(self, *lines, node="", partition="", files=None, **cluster):
        with tempfile.TemporaryDirectory(prefix="berth-keys.") as name:
            folder = Path(name)
            folder.chmod(0o755)
            text = [*BASE, *lines, self.tested("slurm.conf"),
                    f"{NODE} {node} {self.tested('node')}", f"{PARTITION} {partition} {self.tested('partition')}"]
            if parameter := self.tested("SchedulerParameters").removesuffix("="):
                text.append(f"SchedulerParameters={parameter}")
            (folder / "slurm.conf").write_text("\n".join(text) + "\n")
            for file, content in ({"gres.conf": GRES} | (files or {})).items():
                (folder / file).write_text(content)
            with Cluster(conf=folder / "slurm.conf", **cluster) as self.cluster:
                yield self.cluster


def key(kind, name, value, seen, needs_root=False):
    """Registers the effect of one key of slurm.conf (kind "slurm.conf", "partition", "node" or "SchedulerParameters")."""
    def register(function):
        one = Effect(f"{kind} {name}", seen, "none", function, needs_root)
        one.case = lambda cluster, withheld: KeyCase(one.name, withheld, kind, name, value)
        EFFECTS.append(one)
        return function
    return register


@key("slurm.conf", "FirstJobId", "1000", seen="the first job has this number")
def first_job_id(run):
    with run.started() as c:
        see(c.sbatch("--wrap", "true") == "1000")


@key("slurm.conf", "MaxArraySize", "10", seen="a longer array is refused")
def max_array_size(run):
    with run.started():
        run.run("sbatch", "-a", "0-20", "--wrap", "true", ok=False)


@key("slurm.conf", "JobRequeue", "0", seen="a job cannot be requeued")
def job_requeue(run):
    with run.started() as c:
        job = c.sbatch("--wrap", "sleep 60")
        c.wait_state(job, "RUNNING")
        run.run("scontrol", "requeue", job, ok=False)


@key("slurm.conf", "Licenses", "matlab:1", seen="a job may ask for the licence")
def licenses(run):
    with run.started():
        run.run("sbatch", "-L", "matlab:1", "--wrap", "true")


@key("slurm.conf", "DefMemPerCPU", "1000", seen="a job that says nothing of memory holds so much a core")
def def_mem_per_cpu(run):
    with run.started() as c:
        job = c.sbatch("-c2", "--wrap", "true")
        see("mem=2000M" in run.out("scontrol", "show", "job", job))


@key("slurm.conf", "EnforcePartLimits", "ALL", seen="a job over the partition's limit is refused and does not wait")
def enforce_part_limits(run):
    with run.started(partition="MaxTime=10"):
        run.run("sbatch", "-t", "60", "--wrap", "true", ok=False)


@key("partition", "MaxTime", "10", seen="a longer job does not start")
def max_time(run):
    with run.started() as c:
        job = c.sbatch("-t", "60", "--wrap", "true")
        run.wait("the reason", lambda: "PartitionTimeLimit" in run.out("squeue", "-h", "-j", job, "-o", "%r"), 3)


@key("partition", "State", "DOWN", seen="no job starts there")
def state(run):
    with run.started() as c:
        job = c.sbatch("--wrap", "true")
        run.wait("the reason", lambda: "PartitionDown" in run.out("squeue", "-h", "-j", job, "-o", "%r"), 3)


@key("partition", "MinNodes", "2", seen="a job of one node does not start")
def min_nodes(run):
    with run.started() as c:
        job = c.sbatch("-N1", "--wrap", "true")
        run.wait("the reason", lambda: "PartitionNodeLimit" in run.out("squeue", "-h", "-j", job, "-o", "%r"), 3)


@key("SchedulerParameters", "enable_user_top", "", seen="a user moves his own job to the top")
def enable_user_top(run):
    with run.started() as c:
        job = c.sbatch("-H", "--wrap", "true")
        run.run("scontrol", "top", job)
