"""scontrol reconfigure and SIGHUP: another slurm.conf takes effect while the cluster runs, all of it or nothing."""

import os
import signal
import tempfile
import time
import unittest
from pathlib import Path

from cluster import Cluster, main

CONF = """ClusterName=again
GresTypes=gpu
NodeName=n[1-2] CPUs=8 Gres=gpu:a100:4
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0
"""


class Reconfigure(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-reconfigure.")))
        (self.folder / "slurm.conf").write_text(CONF)
        (self.folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Type=a100 Count=4\n")
        self.cluster = self.enterContext(Cluster(conf=self.folder / "slurm.conf"))
        self.conf = Path(self.cluster.state / "etc" / "slurm.conf")

    def write(self, text):
        self.conf.write_text(text)

    def partitions(self):
        return self.cluster.run("sinfo", "-h", "-o", "%R %l %D").stdout.split("\n")[:-1]

    def test_what_is_new_takes_effect_and_what_runs_goes_on(self):
        c = self.cluster
        runs = c.sbatch("-o", "runs", script="until [ -e go ]; do sleep 0.1; done; echo ran")
        c.wait_state(runs, "RUNNING")
        self.write(self.conf.read_text().replace("MaxTime=1-0", "MaxTime=2-0") + "PartitionName=extra Nodes=n2 MaxTime=10 MaxNodes=1\n")
        self.assertEqual(c.run("scontrol", "reconfigure").stdout, "")
        self.assertEqual(sorted(self.partitions()), ["extra 10:00 1", "main 2-00:00:00 2"])
        c.wait("its nodes", lambda: "2" in c.run("sinfo", "-h", "-p", "main", "-t", "idle,mix", "-o", "%D").stdout)
        there = c.sbatch("-p", "extra", script="true")
        c.wait_state(there, "COMPLETED")
        (c.work / "go").touch()
        c.wait_state(runs, "COMPLETED")
        self.assertEqual(c.output(runs, "runs"), "ran\n")
        self.assertEqual(c.run("scontrol", "reconfigure").returncode, 0, "and once more, with nothing new")
        said = c.wait("the replay", lambda: "the same" in (s := c.run("berth", "replay", "--decide", check=False).stdout) and s)
        self.assertIn("the daemon's state is the same", said)

    def test_what_is_wrong_changes_nothing(self):
        c = self.cluster
        before = c.run("scontrol", "show", "partition").stdout
        before_text = self.conf.read_text()
        self.write(before_text.replace("MaxTime=1-0", "MaxTime=3-0") + "PartitionName=bad Nodes=nobody\n")
        done = c.run("scontrol", "reconfigure", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("slurm.conf:", done.stderr)
        self.assertEqual(c.run("scontrol", "show", "partition").stdout, before)
        self.write(before_text + "NoSuchKey=1\n")
        done = c.run("scontrol", "reconfigure", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("NoSuchKey", done.stderr)
        self.assertIn("nothing of it is in force", done.stderr)
        self.assertNotIn("--lenient", done.stderr, "it is an option of berth up, not of scontrol")
        self.conf.unlink()
        self.assertEqual(c.run("scontrol", "reconfigure", check=False).returncode, 1)
        self.assertEqual(c.run("scontrol", "show", "partition").stdout, before)
        job = c.sbatch(script="true")
        c.wait_state(job, "COMPLETED")

    def test_sighup_does_the_same(self):
        c = self.cluster
        self.write(self.conf.read_text().replace("MaxTime=1-0", "MaxTime=5"))
        os.kill(c.pid("berthd"), signal.SIGHUP)
        c.wait("the new limit", lambda: self.partitions() == ["main 5:00 2"])
        for agent in c.state.glob("agent-*.pid"):
            os.kill(int(agent.read_text().split()[0]), signal.SIGHUP)
        time.sleep(0.3)
        c.wait_state(c.sbatch(script="true"), "COMPLETED")

    @unittest.skipUnless(os.geteuid() == 0, "SKIPPED: needs root, to be another user")
    def test_only_administrators_may(self):
        self.write(self.conf.read_text().replace("MaxTime=1-0", "MaxTime=7"))
        done = self.cluster.run("setpriv", "--reuid=games", "--regid=games", "--clear-groups", "scontrol", "reconfigure", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.partitions(), ["main 1-00:00:00 2"])

    def test_a_node_that_is_gone_finishes_its_work(self):
        c = self.cluster
        job = c.sbatch("-w", "n2", "-o", "/dev/null", script="until [ -e go ]; do sleep 0.1; done")
        c.wait_state(job, "RUNNING")
        self.write(self.conf.read_text().replace("n[1-2]", "n1"))
        c.run("scontrol", "reconfigure")
        self.assertEqual(self.partitions(), ["main 1-00:00:00 1"])
        self.assertNotIn("n2", c.run("sinfo", "-N", "-h").stdout)
        (c.work / "go").touch()
        c.wait_state(job, "COMPLETED")


if __name__ == "__main__":
    main()
