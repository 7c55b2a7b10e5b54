"""PreemptMode=SUSPEND,GANG with real processes: a run that is preempted stands still, which its count shows; the
preemptor runs on its cores, and then it goes on. Nothing of it is lost, and nobody starts before it stands."""

import tempfile
import time
import unittest
from pathlib import Path

from cluster import Cluster, main

CONF = """ClusterName=suspend
KillWait=2
PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
NodeName=n1 CPUs=4
PartitionName=low Nodes=n1 Default=YES MaxTime=1-0
PartitionName=high Nodes=n1 PriorityTier=10 MaxTime=1-0
"""
COUNT = "i=0; while :; do i=$((i+1)); echo $i > count.$SLURM_JOB_ID; [ -e end.$SLURM_JOB_ID ] && exit 0; sleep 0.01; done"


class Suspension(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-suspension.")))
        (folder / "slurm.conf").write_text(CONF)
        self.cluster = self.enterContext(Cluster(conf=folder / "slurm.conf"))

    def start(self, *options):
        return self.cluster.sbatch("-c", "4", "-t", "60", "-o", "/dev/null", *options, script=COUNT)

    def count(self, job):
        path = self.cluster.work / f"count.{job}"
        text = path.read_text().strip() if path.exists() else ""
        return int(text) if text else 0

    def moves(self, job):
        before = self.count(job)
        time.sleep(0.3)
        return self.count(job) != before

    def end(self, job):
        (self.cluster.work / f"end.{job}").touch()
        self.cluster.wait_state(job, "COMPLETED")

    def shown(self, job, form):
        return self.cluster.run("squeue", "-h", "-t", "all", "-j", job, "-o", form).stdout.strip()

    def preempted(self):
        """A run that counts and stands still, and the job that runs on its cores."""
        c = self.cluster
        low = self.start()
        c.wait("it to count", lambda: self.count(low) > 3)
        high = self.start("-p", "high")
        c.wait("the preemptor to count", lambda: self.count(high) > 3)
        return low, high

    def test_a_run_stands_still_for_another_and_goes_on(self):
        c = self.cluster
        low, high = self.preempted()
        self.assertFalse(self.moves(low))
        c.wait("the preemptor to go on", lambda: self.moves(high))
        self.assertEqual([self.shown(low, "%t"), self.shown(high, "%t")], ["S", "R"])
        ran = self.shown(low, "%M")
        time.sleep(1.2)
        self.assertEqual(self.shown(low, "%M"), ran, "its TIME stands still")
        record = c.run("scontrol", "show", "job", low).stdout
        self.assertIn("JobState=SUSPENDED", record)
        self.assertRegex(record, r"PreemptTime=\d{4}-")
        self.assertRegex(record, r"SuspendTime=\d{4}-\S+ SecsPreSuspend=\d")
        self.assertIn(f"is suspended: it lends its cores to job {high}", c.run("berth", "why", low).stdout)
        self.assertNotEqual(c.run("scontrol", "resume", low, check=False).returncode, 0)
        self.assertFalse(self.moves(low))
        self.end(high)
        c.wait("it to go on", lambda: self.moves(low))
        self.assertEqual(self.shown(low, "%t"), "R")
        self.end(low)
        self.assertEqual(c.run("sacct", "-n", "-P", "-X", "-D", "-j", low, "-o", "State").stdout, "COMPLETED\n")
        c.wait("the replay", lambda: "the daemon's state is the same" in c.run("berth", "replay", "--decide", check=False).stdout)

    def test_it_outlives_the_controller_and_stays_as_it_is(self):
        c = self.cluster
        low, high = self.preempted()
        c.kill("berthd")
        c.up()
        self.assertEqual(c.state_of(low), "SUSPENDED")
        self.assertFalse(self.moves(low))
        self.end(high)
        c.wait("it to go on", lambda: self.moves(low))

    def test_a_run_that_stands_still_can_be_cancelled(self):
        c = self.cluster
        low, high = self.preempted()
        before = self.count(low)
        c.run("scancel", low)
        c.wait_state(low, "CANCELLED")
        self.assertEqual(self.count(low), before, "it was killed where it stood")
        c.wait("the preemptor to go on", lambda: self.moves(high))
        self.end(high)

    def test_the_preemptor_is_cancelled(self):
        c = self.cluster
        low, high = self.preempted()
        c.run("scancel", high)
        c.wait_state(high, "CANCELLED")
        c.wait("it to go on", lambda: self.moves(low))
        self.end(low)


if __name__ == "__main__":
    main()
