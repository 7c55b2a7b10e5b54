"""A published guide to preemption in Slurm, as its reader follows it: both blocks of its configuration load without a note,
and squeue, scontrol, srun and sacctmgr show what its author saw. (seeds/004; job ids count from 1 here, and from 44 there.)"""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from cluster import Cluster, main

NODES = "rhel-dcv,rhel-efserver,rhel-compute,rhel-openscow,rhel-login"
CONF = f"""ClusterName=guide
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
PriorityType=priority/multifactor
PreemptMode=SUSPEND,GANG
PreemptType=%s
NodeName=rhel-efserver NodeAddr=192.168.1.25 CPUs=8 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=1024 Procs=1 State=UNKNOWN
NodeName=rhel-compute NodeAddr=192.168.1.24 CPUs=16 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=10240 Procs=1 State=UNKNOWN
NodeName=rhel-dcv NodeAddr=192.168.1.26 CPUs=8 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=8192 Procs=1 State=UNKNOWN
NodeName=rhel-openscow NodeAddr=192.168.1.28 CPUs=16 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=4096 Procs=1 State=UNKNOWN
NodeName=rhel-login NodeAddr=192.168.1.27 CPUs=8 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=2048 Procs=1 State=UNKNOWN
PartitionName=compute Nodes=rhel-compute Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:1
PartitionName=dcv Nodes=rhel-dcv Default=NO MaxTime=INFINITE State=UP
PartitionName=debug Nodes={NODES} Default=NO MaxTime=INFINITE State=UP
PartitionName=high_prio_debug Nodes={NODES} Priority=10000 Default=NO MaxTime=INFINITE State=UP
"""
# What `scontrol show partitions` of the guide says in the lines that the configuration decides.
PARTITIONS = {
    "compute": ("rhel-compute", 1, "FORCE:1", 16, 1, "cpu=16,mem=10G,node=1,billing=16"),
    "dcv": ("rhel-dcv", 1, "NO", 8, 1, "cpu=8,mem=8G,node=1,billing=8"),
    "debug": ("rhel-compute,rhel-dcv,rhel-efserver,rhel-login,rhel-openscow", 1, "NO", 56, 5, "cpu=56,mem=25G,node=5,billing=56"),
    "high_prio_debug": ("rhel-compute,rhel-dcv,rhel-efserver,rhel-login,rhel-openscow", 10000, "NO", 56, 5,
                        "cpu=56,mem=25G,node=5,billing=56"),
}


class PreemptionGuide(unittest.TestCase):
    def up(self, by):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-guide.")))
        (folder / "slurm.conf").write_text(CONF % by)
        self.cluster = self.enterContext(Cluster(conf=folder / "slurm.conf"))
        checked = self.cluster.run("berth", "config", "check", str(folder))
        notes = [line for line in (checked.stdout + checked.stderr).splitlines() if re.search(r"\b(error|warning|note)\b", line)]
        self.assertEqual(notes, [], "both blocks load without a note")
        return self.cluster

    def queue(self, *options):
        """{job: (partition, state, time, where or why)} as squeue prints them."""
        lines = self.cluster.run("squeue", "-h", "-o", "%i %P %t %M %R", *options).stdout.splitlines()
        return {words[0]: tuple(words[1:]) for words in (line.split() for line in lines)}

    def state(self, job):
        return self.queue().get(str(job), (None, None))[1]

    def wait_states(self, **wanted):
        for job, state in wanted.items():
            self.cluster.wait(f"job {job[1:]} to be {state}", lambda j=job[1:], s=state: self.state(j) == s)

    def fill(self):
        """One job of one CPU on each of the 16, and two that wait."""
        for _ in range(16):
            self.cluster.sbatch("-o", "/dev/null", "--wrap", "sleep 1d")
        self.cluster.wait("16 jobs to run", lambda: sum(one[1] == "R" for one in self.queue().values()) == 16)

    def waiting(self, *words):
        """A command that waits for its job, as a user's in the background."""
        process = subprocess.Popen(["srun", *words, "sleep", "1d"], cwd=self.cluster.work, env=self.cluster.environment(),
                                   text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.kill()
        process.wait()
        process.stderr.close()

    def test_partitions_are_shown_as_in_the_guide(self):
        records = self.up("preempt/partition_prio").run("scontrol", "show", "partitions").stdout.split("\n\n")
        shown = {re.match(r"PartitionName=(\S+)", record)[1]: record for record in records if record.strip()}
        self.assertEqual(set(shown), set(PARTITIONS))
        for name, (nodes, priority, shared, cpus, count, tres) in PARTITIONS.items():
            for line in (f"   Nodes={nodes}\n", f"PriorityJobFactor={priority} PriorityTier={priority} ", f"OverSubscribe={shared}\n",
                         "PreemptMode=GANG,SUSPEND\n", f"State=UP TotalCPUs={cpus} TotalNodes={count} ", f"TRES={tres}\n",
                         f"Default={'YES' if name == 'compute' else 'NO'} "):
                self.assertIn(line, shown[name] + "\n")

    def test_a_partition_of_higher_priority_suspends_the_oldest(self):
        c = self.up("preempt/partition_prio")
        self.fill()
        seventeenth = self.waiting()
        self.assertEqual(seventeenth.stderr.readline(), "srun: job 17 queued and waiting for resources\n")
        self.waiting()
        c.wait("both to wait", lambda: (self.queue().get("17", ())[-1:], self.queue().get("18", ())[-1:]) == (("(Resources)",), ("(Priority)",)))

        first = self.waiting("--partition=high_prio_debug", "-w", "rhel-compute")
        self.wait_states(j1="S", j19="R")
        frozen = self.queue()["1"][2]
        queue = self.queue()
        self.assertEqual(c.run("squeue", "-h", "-j", "19", "-o", "%.9P").stdout, "high_prio\n")
        self.assertEqual({job for job, one in queue.items() if one[1] == "S"}, {"1"}, "one job alone stands still")

        c.run("scontrol", "update", "jobid=17", "partition=high_prio_debug", "nodelist=rhel-compute")
        self.wait_states(j2="S", j17="R")
        self.assertEqual(seventeenth.stderr.readline(), "srun: job 17 has been allocated resources\n")
        self.assertEqual(self.queue()["18"][-1], "(Resources)")
        self.assertEqual(self.queue()["1"][2], frozen, "its TIME stands still")
        c.run("scancel", "19")
        self.wait_states(j1="R")
        self.assertEqual(self.state(2), "S")
        c.run("scancel", "17")
        for one in (seventeenth, first):
            one.wait(timeout=60)

    def test_a_qos_shares_by_turns(self):
        c = self.up("preempt/qos")
        c.run("sacctmgr", "-i", "add", "qos", "low")
        words = lambda *command, **more: c.run(*command, **more).stdout.split()
        self.assertEqual(words("sacctmgr", "show", "qos", "format=name"), ["Name", "-" * 10, "normal", "low"])
        added = c.run("sacctmgr", "add", "qos", "high", "preempt=normal", "preemptmode=gang,suspend", "priority=10", stdin="y\n").stdout
        self.assertEqual([line.split() for line in added.splitlines()][:6],
                         [["Adding", "QOS(s)"], ["high"], ["Settings"], ["Description", "=", "high"], ["Preempt", "=", "normal"],
                          ["PreemptMode", "=", "GANG,SUSPEND"]])
        self.assertRegex(added, r"Priority +=")
        self.assertIn("Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): ", added)
        self.assertEqual(words("sacctmgr", "-n", "show", "qos", "format=name,priority,preempt"),
                         ["normal", "0", "low", "0", "high", "10", "normal"])

        self.fill()
        c.sbatch("-o", "/dev/null", "--wrap", "sleep 1d")
        c.wait("job 17 to wait", lambda: self.queue()["17"][-1] == "(Resources)")
        c.sbatch("-o", "/dev/null", "-w", "rhel-compute", "--qos=high", "--wrap", "sleep 1d")
        c.wait("job 18 to start", lambda: self.state(18) in ("S", "R"))
        self.assertEqual(self.queue()["18"][:3], ("compute", "S", "0:00"), "it waits for its first turn")
        self.assertEqual(self.queue()["17"][-1], "(Resources)")
        # Each turn takes 30 s. Never do both run.
        def states():
            queue = self.queue()
            pair = (queue["1"][1], queue["18"][1])
            self.assertNotEqual(pair, ("R", "R"))
            return pair

        c.wait("its first turn", lambda: states() == ("S", "R"))
        c.wait("the turn of the oldest job", lambda: states() == ("R", "S"))


if __name__ == "__main__":
    main()
