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
NodeName=n[1-2] CPUs=8 RealMemory=16000 Gres=gpu:a100:4 Features=a100
NodeName=n[3-4] CPUs=8 RealMemory=16000 Gres=gpu:h100:4 Features=h100
PartitionName=main Nodes=n[1-4] Default=YES MaxTime=1-0 DefaultTime=60
PartitionName=other Nodes=n4 MaxTime=1-0
"""
JOBS_GRES = """NodeName=n[1-2] Name=gpu Type=a100 Count=4
NodeName=n[3-4] Name=gpu Type=h100 Count=4
"""
JOBS_TREE = "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-4]\nSwitchName=top Switches=leaf[1-2]\n"


@contextmanager
def jobs():
    with tempfile.TemporaryDirectory(prefix="berth-effects.") as name:
        folder = Path(name)
        (folder / "slurm.conf").write_text(JOBS)
        (folder / "gres.conf").write_text(JOBS_GRES)
        (folder / "topology.conf").write_text(JOBS_TREE)
        with Cluster(conf=folder / "slurm.conf") as cluster:
            yield cluster


@contextmanager
def none():
    """For tests that start a cluster of their own."""
    yield None


WORLDS = {"jobs": jobs, "none": none}


def clean(cluster):
    """Nothing of one test stays for the next."""
    cluster.run("scancel", "-u", "root", check=False)
    cluster.run("scontrol", "delete", "ReservationName=held", check=False)
    cluster.wait_all_done()
