#!/usr/bin/env python3
"""Records tests/baseline/journals/daemon: a real controller with limits, reservations, requeues and more, its state then copied.

BERTH_BIN names the programs. README.md says when this may be run.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from cluster import Cluster  # noqa: E402

CONF = """ClusterName=baseline
GresTypes=gpu
AccountingStorageEnforce=limits,qos
AccountingStorageTRES=gres/gpu
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=5000
PriorityWeightQOS=2000
Licenses=ansys:2
NodeName=n[1-3] CPUs=8 Gres=gpu:a100:4
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=1-0 DefaultTime=30
"""
HERE = Path(__file__).resolve().parent


def declare(c):
    c.run("sacctmgr", "-i", "add", "account", "physics", "Fairshare=60", "GrpTRES=gres/gpu=8")
    c.run("sacctmgr", "-i", "add", "account", "bio", "Fairshare=40", "GrpJobs=2")
    c.run("sacctmgr", "-i", "add", "qos", "high", "Priority=1000", "MaxTRESPerUser=gres/gpu=6")
    c.run("sacctmgr", "-i", "add", "user", "root", "Account=physics,bio", "QOS=normal,high")


def submit(c):
    """Jobs that start, wait for limits, for each other, for a reservation, for licences, and are planned."""
    def sbatch(*options, script="sleep 4"):
        return c.sbatch("--export=NONE", *options, script=script)

    c.run("scontrol", "create", "reservation", "ReservationName=window", "StartTime=now+20", "Duration=1", "Nodes=n3", "Users=root")
    jobs = {"filler": [sbatch("-A", "physics", "-t", "5", "--gpus-per-node=4", "-N", "1") for _ in range(3)]}
    jobs["limited"] = [sbatch("-A", "physics", "-t", "10", "--gpus-per-node=2") for _ in range(6)]
    jobs["bio"] = [sbatch("-A", "bio", "-t", "3", "--gpus-per-node=1") for _ in range(5)]
    jobs["gang"] = [sbatch("-A", "physics", "-t", "6", "-N", "2", "--gpus-per-node=4"),
                    sbatch("-A", "bio", "-t", "6", "-N", "3", "-c", "8")]
    jobs["high"] = [sbatch("-A", "physics", "--qos=high", "-t", "2", "--gpus-per-node=3") for _ in range(3)]
    jobs["array"] = [sbatch("-A", "physics", "-a", "0-7%3", "-t", "1", "-c", "2", script="sleep 2")]
    jobs["after"] = [sbatch("-A", "physics", "-d", f"afterok:{jobs['gang'][0]}", "-t", "1")]
    jobs["reserved"] = [sbatch("-A", "physics", "--reservation=window", "-t", "1", "--gpus-per-node=2")]
    jobs["licensed"] = [sbatch("-A", "physics", "-L", "ansys:2", "-t", "1") for _ in range(3)]
    jobs["over"] = [sbatch("-A", "physics", "-t", "1", script="sleep 300")]
    jobs["requeued"] = [sbatch("-A", "physics", "-t", "4", "--requeue", script="sleep 15")]
    jobs["failing"] = [sbatch("-A", "physics", "-t", "1", script="exit 3")]
    jobs["never"] = [sbatch("-A", "physics", "-d", f"afterok:{jobs['failing'][0]}", "-t", "1")]
    jobs["held"] = [sbatch("-A", "physics", "--hold", "-t", "1")]
    jobs["late"] = [sbatch("-A", "physics", "--begin=now+25", "-t", "1")]
    return jobs


def run(c):
    declare(c)
    jobs = submit(c)
    requeued, = jobs["requeued"]
    c.wait_state(requeued, "RUNNING")
    c.run("scontrol", "requeue", requeued)
    c.run("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=fan")
    time.sleep(8)
    c.run("scontrol", "update", "NodeName=n2", "State=RESUME")
    c.run("scontrol", "release", jobs["held"][0])
    c.run("scancel", jobs["limited"][-1])
    c.run("scontrol", "update", f"JobId={jobs['bio'][-1]}", "TimeLimit=2")
    c.kill("berthd")  # The controller falls, and another one goes on.
    c.up()
    c.wait_state(jobs["over"][0], "RUNNING", "TIMEOUT")
    c.run("scontrol", "suspend", jobs["over"][0])
    time.sleep(2)
    c.run("scontrol", "resume", jobs["over"][0])
    c.wait_state(jobs["over"][0], "TIMEOUT")
    for gang in jobs["gang"]:
        c.wait_state(gang, "RUNNING", "COMPLETED")
    c.run("scancel", jobs["never"][0], check=False)
    c.run("scancel", "-u", "root", "-t", "PENDING", check=False)
    c.wait_all_done()


def main():
    for name in list(os.environ):  # Nothing of who runs this goes into the journal.
        if name not in ("PATH", "HOME", "BERTH_BIN"):
            del os.environ[name]
    target = HERE / "journals/daemon"
    with tempfile.TemporaryDirectory(prefix="berth-baseline.") as folder:
        folder = Path(folder)
        folder.chmod(0o755)
        (folder / "slurm.conf").write_text(CONF)
        (folder / "gres.conf").write_text("NodeName=n[1-3] Name=gpu Type=a100 Count=4\n")
        with Cluster(conf=folder / "slurm.conf") as cluster:
            run(cluster)
            print(cluster.run("sacct", "-X", "-P", "-o", "JobID,State,Start,End,NodeList").stdout)
            cluster.run("berth", "down")
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            for name in ("berth.db", "berth.db.tail"):
                shutil.copyfile(next(cluster.state.rglob(name)), target / name)


if __name__ == "__main__":
    main()
