"""Processes that SIGKILL does not end: their node takes no more work, and their job is not over."""

import tempfile
import unittest
from pathlib import Path

from cluster import Cluster, main
from hung_disk import HungDisk, is_possible

CONF = """ClusterName=stuck
KillWait=1
UnkillableStepTimeout=2
NodeName=n[1-2] CPUs=2 RealMemory=1000
PartitionName=main Nodes=n[1-2] Default=YES
"""


@unittest.skipUnless(is_possible(), "a process that cannot be killed needs root and /dev/fuse")
class Unkillable(unittest.TestCase):
    def test_their_node_is_drained_until_an_operator_resumes_it(self):
        with tempfile.TemporaryDirectory(prefix="berth-stuck.") as folder:
            Path(folder).chmod(0o755)
            conf = Path(folder, "slurm.conf")
            conf.write_text(CONF)
            with Cluster(conf=conf) as cluster, HungDisk(folder) as disk:
                self.go(cluster, disk)

    def go(self, cluster, disk):
        job = cluster.sbatch("-w", "n1", "--wrap", f"cat {disk.path}/file")
        cluster.wait_state(job, "RUNNING")
        cluster.wait("a process to hang", lambda: cluster.run("pgrep", "-f", f"^cat {disk.path}", check=False).stdout)
        cluster.run("scancel", job)
        reasons = ["sinfo", "-R", "-h", "-o", "%E|%N"]
        cluster.wait("the node to be drained", lambda: cluster.run(*reasons).stdout == "Kill task failed|n1\n", patience=30)
        self.assertEqual(cluster.run("squeue", "-h", "-j", job, "-o", "%T").stdout, "COMPLETING\n")
        elsewhere = cluster.sbatch("--wrap", "printenv SLURMD_NODENAME")
        cluster.wait_state(elsewhere, "COMPLETED")
        self.assertEqual(cluster.output(elsewhere), "n2\n")
        self.assertIn(f"node n1 is drained: processes of job {job} live on though they were killed", (cluster.state / "log" / "berthd.log").read_text())
        disk.end()
        cluster.wait_state(job, "CANCELLED")
        self.assertEqual(cluster.run(*reasons).stdout, "Kill task failed|n1\n")
        cluster.run("scontrol", "update", "NodeName=n1", "State=RESUME")
        cluster.wait_state(cluster.sbatch("-w", "n1", "--wrap", "true"), "COMPLETED")
        self.assertEqual(cluster.run(*reasons).stdout, "")


if __name__ == "__main__":
    main()
