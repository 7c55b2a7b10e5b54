"""The clusters that effect tests run on."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import effect  # Makes e2e's folder known.
from cluster import Cluster

JOBS = """ClusterName=effects
GresTypes=gpu
TopologyPlugin=topology/tree
Licenses=matlab:2
JobRequeue=1
MinJobAge=300
PreemptMode=GANG
MailProg=MAIL_PROGRAM
JobSubmitPlugins=lua
PriorityType=priority/multifactor
PriorityWeightQOS=1000000
PriorityWeightPartition=100000
NodeName=n[1-2] CPUs=8 RealMemory=16000 Gres=gpu:a100:4 Features=a100
NodeName=n[3-4] CPUs=8 RealMemory=16000 Gres=gpu:h100:4 Features=h100
PartitionName=main Nodes=n[1-4] Default=YES MaxTime=1-0 DefaultTime=60
PartitionName=other Nodes=n4 MaxTime=1-0 PriorityJobFactor=10
PartitionName=biolab Nodes=n4 MaxTime=1-0 AllowAccounts=bio
PartitionName=shared Nodes=n1 MaxTime=1-0 OverSubscribe=YES:2
"""
JOBS_GRES = """NodeName=n[1-2] Name=gpu Type=a100 Count=4
NodeName=n[3-4] Name=gpu Type=h100 Count=4
"""
JOBS_TREE = "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\nSwitchName=top Switches=leaf[1-2]\n"
ACCOUNTS = """accounts:
  - {name: physics, users: [root]}
  - {name: bio, users: [root, nobody]}
qos:
  - {name: high, priority: 100}
priority_classes:
  urgent: {value: 900000000}
gpu_types:
  a100: {memory: 40GB, compute_capability: "8.0"}
  h100: {memory: 80GB, compute_capability: "9.0"}
"""
# Of a job of this name the comment must be right; all other jobs are taken as they are.
JOBS_LUA = """function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.name == "commented" and job_desc.comment ~= "blue" then
        return slurm.ERROR
    end
    return slurm.SUCCESS
end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    if job_desc.comment == "forbidden" then
        return slurm.ERROR
    end
    return slurm.SUCCESS
end
"""
# What is mailed lies in a file for each recipient.
MAIL_PROGRAM = "#!/bin/sh\nfor last; do :; done\n{ echo \"$@\"; cat; } >>{}/mail.$last\n"


@contextmanager
def jobs():
    """Four idle nodes under two switches, with two kinds of GPUs."""
    with tempfile.TemporaryDirectory(prefix="berth-effects.") as name:
        folder = Path(name)
        folder.chmod(0o755)
        program = folder / "mail"
        program.write_text(MAIL_PROGRAM.replace("{}", str(folder)))
        program.chmod(0o755)
        (folder / "slurm.conf").write_text(JOBS.replace("MAIL_PROGRAM", str(program)))
        (folder / "gres.conf").write_text(JOBS_GRES)
        (folder / "topology.conf").write_text(JOBS_TREE)
        (folder / "job_submit.lua").write_text(JOBS_LUA)
        (folder / "berth.yaml").write_text(ACCOUNTS)
        with Cluster(conf=folder / "slurm.conf") as cluster:
            cluster.mails = folder
            yield cluster


SHOW = """ClusterName=effects
GresTypes=gpu
Licenses=matlab:2
JobRequeue=1
MinJobAge=3600
PriorityType=priority/multifactor
PriorityDecayHalfLife=0
JobAcctGatherFrequency=1
PriorityWeightFairShare=10000
PriorityWeightJobSize=1000
PriorityWeightPartition=1000
PriorityWeightQOS=2000
NodeName=n[1-2] CPUs=8 RealMemory=16000 Gres=gpu:a100:4
NodeName=n[3-4] CPUs=4 RealMemory=8000 Feature=fast
PartitionName=main Nodes=n[1-3] Default=YES DefaultTime=60
PartitionName=other Nodes=n4 MaxTime=1-0 PriorityJobFactor=10
PartitionName=secret Nodes=n3 Hidden=YES
"""


def populate(c):
    """A queue that stays as it is: each job has its name and its number in c.ids."""
    c.ids = {}

    def job(name, *options, script="sleep 1000", user=()):
        done = c.run(*user, "sbatch", "--parsable", "-J", name, "-o", f"{name}.out", *options, stdin=f"#!/bin/bash\n{script}\n")
        c.ids[name] = done.stdout.strip()
        return c.ids[name]

    nobody = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
    again = job("ida", "-A", "bio", "-t", "7", "-C", "fast", script="[ -e ida.once ] && exit 0\ntouch ida.once\nsleep 1000")
    failed = job("henry", "-t", "5", "-w", "n2", "--mem=2G", "--wckey=night", script="exit 3")
    c.wait("ida to run", lambda: (c.work / "ida.once").exists())
    c.run("scontrol", "requeue", again)
    c.wait_state(failed, "FAILED")
    c.wait_state(again, "COMPLETED")
    c.run("scontrol", "update", "NodeName=n4", "State=DRAIN", "Reason=fan")
    c.run("scontrol", "create", "reservation", "ReservationName=later", "StartTime=now+2hours", "Duration=60", "Nodes=n3", "Users=root")
    job("alice", "-A", "physics", "-w", "n1", "-n2", "-c2", "--gpus-per-node=2", "--mem=2048", "-t", "60", script="srun -n2 sleep 1000")
    job("bob", "-A", "bio", "-q", "high", "-w", "n2", "-L", "matlab:1", "-t", "60", user=nobody)
    job("frank", "-A", "physics", "-p", "secret", "-t", "50")
    job("charlie", "-A", "physics", "-w", "n1", "--exclusive", "-t", "10")
    job("dora", "-A", "bio", "-p", "other", "-a", "1-3", "-t", "10", user=nobody)
    job("greta", "-A", "physics", "--reservation=later", "-w", "n3", "-t", "10")
    c.wait("alice's step to be measured", lambda: c.run("sstat", "-n", "-P", "-j", f"{c.ids['alice']}.0", "-o", "AveCPU", check=False).stdout.strip())
    c.wait("charlie to be planned", lambda: "N/A" not in c.run("squeue", "-h", "-j", c.ids["charlie"], "-o", "%S").stdout)


@contextmanager
def show():
    """A queue of two users that nothing changes: for commands that only show."""
    with tempfile.TemporaryDirectory(prefix="berth-effects.") as name:
        folder = Path(name)
        (folder / "slurm.conf").write_text(SHOW)
        (folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Type=a100 Count=4\n")
        (folder / "berth.yaml").write_text(ACCOUNTS)
        with Cluster(conf=folder / "slurm.conf") as cluster:
            populate(cluster)
            yield cluster


@contextmanager
def plain(text, **files):
    """A cluster of this slurm.conf."""
    with tempfile.TemporaryDirectory(prefix="berth-effects.") as name:
        folder = Path(name)
        for file, content in ({"slurm": text} | files).items():
            (folder / f"{file}.conf").write_text(content)
        with Cluster(conf=folder / "slurm.conf") as cluster:
            yield cluster


def blocks():
    """Four nodes in two blocks."""
    return plain("ClusterName=effects\nTopologyPlugin=topology/block\nNodeName=n[1-4] CPUs=8 RealMemory=16000\n"
                 "PartitionName=main Nodes=n[1-4] Default=YES DefaultTime=60\n",
                 topology="BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2\n")


def shapes():
    """A small node, and one that has more of everything."""
    return plain("ClusterName=effects\nGresTypes=gpu\nNodeName=n1 Sockets=1 CoresPerSocket=4 RealMemory=16000\n"
                 "NodeName=n2 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=16000 TmpDisk=20000 Gres=gpu:a100:4\n"
                 "PartitionName=main Nodes=n[1-2] Default=YES DefaultTime=60\n",
                 gres="NodeName=n2 Name=gpu Type=a100 Count=2 Cores=0-7\nNodeName=n2 Name=gpu Type=a100 Count=2 Cores=8-15\n")


def silent():
    """Two nodes, whose silence is noticed at once."""
    return plain("ClusterName=effects\nSlurmdTimeout=3\nNodeName=n[1-2] CPUs=8 RealMemory=16000\n"
                 "PartitionName=main Nodes=n[1-2] Default=YES DefaultTime=60\n")


@contextmanager
def none():
    """For tests that start a cluster of their own."""
    yield None


# "alone": tests that start what they need; "none": likewise, those of keys. berth_clusters.py adds "listening".
WORLDS = {"jobs": jobs, "show": show, "blocks": blocks, "shapes": shapes, "silent": silent, "alone": none, "none": none}


def clean(world, cluster):
    """Nothing of one test stays for the next."""
    if world in ("jobs", "blocks", "shapes", "silent") and cluster.run("squeue", "-h", "-a").stdout:
        cluster.run("scancel", "-u", "root", check=False)
        cluster.wait_all_done()
