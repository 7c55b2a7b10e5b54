"""Jobs that share cores and take turns, with real processes: counts and CPU time show that one runs at a time, and each has its part."""

import re
import tempfile
import time
import unittest
from pathlib import Path

from cluster import Cluster, main

SHARED = """ClusterName=turns
KillWait=2
PreemptMode=GANG
SchedulerTimeSlice=5
NodeName=n[1-2] CPUs=2
PartitionName=shared Nodes=n[1-2] Default=YES MaxTime=1-0 OverSubscribe=FORCE:2
"""
# Slurm's own example: a QOS preempts another in the same partition.
BY_QOS = """ClusterName=turns
KillWait=2
PreemptType=preempt/qos
PreemptMode=SUSPEND,GANG
SchedulerTimeSlice=5
NodeName=n1 CPUs=2
PartitionName=main Nodes=n1 Default=YES MaxTime=1-0 OverSubscribe=FORCE:1
"""
QOS = """qos:
  - {name: normal}
  - {name: high, priority: 10, preempt: [normal]}
"""
COUNT = "i=0; while :; do i=$((i+1)); echo $i > count.$SLURM_JOB_ID; [ -e end.$SLURM_JOB_ID ] && exit 0; sleep 0.01; done"
BURN = "while [ ! -e end.$SLURM_JOB_ID ]; do :; done"


class Turns(unittest.TestCase):
    def up(self, conf, yaml=None):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-turns.")))
        (folder / "slurm.conf").write_text(conf)
        if yaml:
            (folder / "berth.yaml").write_text(yaml)
        self.cluster = self.enterContext(Cluster(conf=folder / "slurm.conf"))
        return self.cluster

    def start(self, *options, script=COUNT):
        return self.cluster.sbatch("-t", "60", "-o", "/dev/null", *options, script=script)

    def count(self, job):
        path = self.cluster.work / f"count.{job}"
        text = path.read_text().strip() if path.exists() else ""
        return int(text) if text else 0

    def moving(self, *jobs):
        """Which of them count while one looks."""
        before = [self.count(job) for job in jobs]
        time.sleep(0.4)
        return {job for job, was in zip(jobs, before) if self.count(job) != was}

    def end(self, *jobs):
        for job in jobs:
            (self.cluster.work / f"end.{job}").touch()
        for job in jobs:
            self.cluster.wait_state(job, "COMPLETED")

    def shown(self, job, form):
        return self.cluster.run("squeue", "-h", "-t", "all", "-j", job, "-o", form).stdout.strip()

    def watch(self, jobs, seconds):
        """Who moved in each look; never two of them at a time."""
        seen = []
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            states = self.cluster.run("squeue", "-h", "-j", ",".join(jobs), "-o", "%i %t").stdout
            self.assertLessEqual(states.count(" R"), 1, states)
            now = self.moving(*jobs)
            if len(now) == 2:  # A turn may end while one looks.
                now = self.moving(*jobs)
            self.assertLessEqual(len(now), 1, "two jobs run on the same cores")
            seen.extend(now)
        return seen

    def test_two_jobs_on_the_same_cores_run_in_turns(self):
        c = self.up(SHARED)
        first = self.start("-w", "n1", "-c", "2")
        c.wait("it to count", lambda: self.count(first) > 3)
        second = self.start("-w", "n1", "-c", "2")
        c.wait("it to start", lambda: self.shown(second, "%t") in ("S", "R"))
        seen = self.watch([first, second], 17)
        self.assertEqual(set(seen), {first, second}, "each has its turn")
        third = self.start("-w", "n1", "-c", "2")
        time.sleep(1)
        self.assertEqual(self.shown(third, "%t"), "PD", "two jobs share a core, not three")
        c.wait("the turn of the first", lambda: self.shown(second, "%t") == "S")
        record = c.run("scontrol", "show", "job", second).stdout
        self.assertIn("OverSubscribe=YES", record)
        self.assertRegex(record, r"SuspendTime=\d{4}-")
        why = [c.run("berth", "why", job).stdout for job in (first, second)]
        self.assertIn("takes turns with others on its cores", "".join(why))
        self.end(first)
        c.wait("the second to have its cores to itself", lambda: self.moving(second) and self.shown(second, "%t") == "R")
        self.end(second, third)
        c.wait("the replay", lambda: "the daemon's state is the same" in c.run("berth", "replay", "--decide", check=False).stdout)

    def test_cpu_time_is_shared(self):
        c = self.up(SHARED)
        jobs = [self.start("-w", "n1", "-c", "1", script=BURN)]
        c.wait("it to run", lambda: self.shown(jobs[0], "%t") == "R")
        jobs += [self.start("-w", "n1", "-c", "2", script=BURN)]
        c.wait("it to start", lambda: self.shown(jobs[1], "%t") in ("S", "R"))
        began = time.monotonic()
        time.sleep(21)
        self.end(*jobs)
        took = time.monotonic() - began
        used = []
        for job in jobs:
            text = c.run("sacct", "-n", "-P", "-j", f"{job}.batch", "-o", "TotalCPU").stdout.strip()
            minutes, seconds = re.fullmatch(r"(?:0+:)?(\d+):(\d+(?:\.\d+)?)", text).groups()
            used.append(int(minutes) * 60 + float(seconds))
        for one in used:
            self.assertGreater(one, 4, f"each had turns: {used}")
        self.assertLess(used[1], took - 4, f"it stood still while the other ran: {used}")

    def test_it_outlives_the_controller(self):
        c = self.up(SHARED)
        first = self.start("-w", "n1", "-c", "2")
        c.wait("it to count", lambda: self.count(first) > 3)
        second = self.start("-w", "n1", "-c", "2")
        c.wait("its turn", lambda: self.count(second) > 3)
        c.kill("berthd")
        c.up()
        self.assertEqual(set(self.watch([first, second], 16)), {first, second})

    def test_what_stands_still_is_cancelled_where_it_stands(self):
        c = self.up(SHARED)
        first = self.start("-w", "n1", "-c", "2")
        c.wait("it to count", lambda: self.count(first) > 3)
        second = self.start("-w", "n1", "-c", "2")
        c.wait("its turn", lambda: self.count(second) > 3)
        c.wait("the first to stand still", lambda: self.shown(first, "%t") == "S" and not self.moving(first))
        before = self.count(first)
        c.run("scancel", first)
        c.wait_state(first, "CANCELLED")
        self.assertEqual(self.count(first), before)
        c.wait("the other to go on", lambda: self.moving(second))

    def test_operators_hold_one_back(self):
        c = self.up(SHARED)
        first = self.start("-w", "n1", "-c", "2")
        c.wait("it to count", lambda: self.count(first) > 3)
        second = self.start("-w", "n1", "-c", "2")
        c.wait("it to start", lambda: self.shown(second, "%t") in ("S", "R"))
        c.run("scontrol", "suspend", first)
        c.wait("the other to have all turns", lambda: self.moving(second))
        time.sleep(11)
        self.assertEqual(self.moving(first), set())
        c.wait("the other to go on", lambda: self.moving(second))
        c.run("scontrol", "resume", first)
        c.wait("its turn", lambda: self.moving(first))

    def test_srun_waits_for_its_turn(self):
        c = self.up(SHARED)
        first = self.start("-w", "n1", "-c", "2")
        c.wait("it to count", lambda: self.count(first) > 3)
        done = c.run("srun", "-w", "n1", "-c", "2", "-t", "10", "sh", "-c", "cat /proc/self/cgroup >/dev/null; echo done")
        self.assertEqual(done.stdout, "done\n")
        c.wait("the other to have its cores to itself", lambda: self.shown(first, "%t") == "R" and self.moving(first))

    def test_a_preemptor_takes_turns_with_the_oldest_victim(self):
        c = self.up(BY_QOS, QOS)
        low = [self.start("-c", "1") for _ in range(2)]
        for job in low:
            c.wait("it to count", lambda job=job: self.count(job) > 3)
        high = self.start("-c", "1", "--qos=high")
        c.wait("it to start", lambda: self.shown(high, "%t") != "PD")
        state, ran = self.shown(high, "%t %M").split()
        if state == "S" and not self.count(high):
            self.assertEqual(ran, "0:00", "it waits for its turn")
        seen = self.watch([low[0], high], 17)
        self.assertEqual(set(seen), {low[0], high})
        c.wait("the younger one to count", lambda: self.moving(low[1]))
        self.assertIn("SuspendTime=None", c.run("scontrol", "show", "job", low[1]).stdout, "it is left alone")
        self.end(high)
        c.wait("the victim to have its core again", lambda: self.moving(low[0]) and self.shown(low[0], "%t") == "R")
        self.end(*low)
        self.assertEqual(c.run("sacct", "-n", "-P", "-X", "-D", "-j", low[0], "-o", "State").stdout, "COMPLETED\n")


if __name__ == "__main__":
    main()
