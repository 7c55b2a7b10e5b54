"""Preemption with real processes: by partition and by QOS, requeued and cancelled, warned and not; by an array, task by
task; and with a controller that dies between the decision and the start. No GPU ever has two jobs."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from cluster import Cluster, main

CONF = """ClusterName=preempt
GresTypes=gpu
KillWait=2
{keys}
NodeName=n[1-2] CPUs=8 Gres=gpu:a100:2
PartitionName=low Nodes=n[1-2] Default=YES MaxTime=1-0
PartitionName=high Nodes=n[1-2] PriorityTier=10 MaxTime=1-0
"""
BY_PARTITION = "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE"
BY_QOS = "PreemptType=preempt/qos\nPreemptMode=CANCEL"

# Locks its GPUs for as long as any process of it lives, and tells when another has them.
CLAIM = """for gpu in ${SLURM_JOB_GPUS//,/ }; do
  exec {lock}>lock.$SLURMD_NODENAME.$gpu
  flock -n $lock || echo "$SLURM_JOB_ID: $SLURMD_NODENAME $gpu" >> twice
done
echo "run ${SLURM_RESTART_COUNT:-0}"
"""


def until(name, before=""):
    return CLAIM + before + f"until [ -e {name} ]; do sleep 0.1; done\n"


class Preemption(unittest.TestCase):
    def make(self, keys, yaml=None):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-preempt.")))
        (folder / "slurm.conf").write_text(CONF.format(keys=keys))
        (folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Type=a100 Count=2\n")
        if yaml:
            (folder / "berth.yaml").write_text(yaml)
        cluster = self.enterContext(Cluster(conf=folder / "slurm.conf"))
        self.addCleanup(lambda: self.assertFalse((cluster.work / "twice").exists(), "a GPU had two jobs"))
        return cluster

    def queue(self, c, form="%A %T"):
        return dict(line.split(" ", 1) for line in c.run("squeue", "-h", "-t", "all", "-o", form).stdout.splitlines())

    def wait_state(self, c, job, state):
        c.wait(f"job {job} to be {state}", lambda: self.queue(c).get(job) == state)

    def attempts(self, c, job):
        return c.run("sacct", "-n", "-P", "-X", "-D", "-j", job, "-o", "State").stdout.split()

    def same_when_replayed(self, c):
        c.wait("the replay", lambda: "the daemon's state is the same" in c.run("berth", "replay", "--decide", check=False).stdout)

    def test_a_script_that_fails_with_its_step_in_the_grace_time_is_put_back(self):
        c = self.make(BY_PARTITION)
        c.run("scontrol", "update", "PartitionName=low", "GraceTime=30")
        victim = c.sbatch("-N2", "--gres=gpu:2", "-o", "/dev/null", "--wrap", "srun sleep 300")
        self.wait_state(c, victim, "RUNNING")
        c.wait("its step", lambda: f"{victim}.0" in c.run("squeue", "-s", "-h", "-o", "%i").stdout.split())
        preemptor = c.sbatch("-p", "high", "-N2", "--gres=gpu:2", "-o", "/dev/null", script=until("end"))
        self.wait_state(c, preemptor, "RUNNING")
        self.assertEqual(self.attempts(c, victim), ["PREEMPTED", "PENDING"])
        (c.work / "end").touch()
        self.wait_state(c, victim, "RUNNING")
        self.same_when_replayed(c)

    def test_a_higher_partition_puts_a_run_back_into_the_queue(self):
        c = self.make(BY_PARTITION)
        self.assertEqual(c.run("sinfo", "-h", "-p", "low", "-o", "%M").stdout.split(), ["REQUEUE"])
        self.assertIn("PreemptMode=REQUEUE", c.run("scontrol", "show", "partition", "low").stdout)
        shown = c.run("scontrol", "show", "config").stdout
        self.assertRegex(shown, r"PreemptType\s+= preempt/partition_prio\n")
        self.assertRegex(shown, r"PreemptMode\s+= REQUEUE\n")
        spared = c.sbatch("-w", "n2", "--gres=gpu:1", "-o", "/dev/null", script=until("end"))
        victim = c.sbatch("-w", "n1", "--gres=gpu:2", "-o", "victim", "--open-mode=append", script=until("end"))
        kept = c.sbatch("-w", "n2", "--gres=gpu:1", "-o", "/dev/null", "--no-requeue", script=until("end"))
        for job in (spared, victim, kept):
            self.wait_state(c, job, "RUNNING")
        c.wait("its first line", lambda: (c.work / "victim").exists() and c.output(victim, "victim"))
        self.assertRegex(c.run("scontrol", "show", "job", victim).stdout, r"PreemptEligibleTime=20\S+ PreemptTime=None")
        first = c.sbatch("-p", "high", "-w", "n1", "--gres=gpu:2", "-o", "/dev/null", script=until("go"))
        self.wait_state(c, first, "RUNNING")
        self.assertEqual([self.queue(c)[job] for job in (spared, victim, kept)], ["RUNNING", "PENDING", "RUNNING"])
        self.assertEqual(self.attempts(c, victim), ["PREEMPTED", "PENDING"])
        self.assertIn(f"It was preempted by job {first} and waits to run again.", c.run("berth", "why", victim).stdout)
        self.assertNotIn("PreemptTime", c.run("scontrol", "show", "job", victim).stdout)
        # One that may not be requeued is cancelled.
        second = c.sbatch("-p", "high", "-w", "n2", "--gres=gpu:2", "-o", "/dev/null", script=until("go"))
        self.wait_state(c, second, "RUNNING")
        c.wait_state(kept, "PREEMPTED")
        self.assertEqual(self.queue(c)[spared], "PENDING")
        self.assertIn(f"job {kept} was preempted by job {second}", c.run("berth", "why", kept).stdout)
        self.assertEqual(c.run("squeue", "-h", "-t", "PR", "-o", "%A %t %r").stdout, f"{kept} PR None\n")
        self.assertEqual(c.run("sacct", "-n", "-P", "-X", "-s", "PR", "-o", "JobID,State,ExitCode").stdout, f"{kept}|PREEMPTED|0:0\n")
        (c.work / "go").touch()
        (c.work / "end").touch()
        c.wait_state(victim, "COMPLETED")
        self.assertEqual(self.attempts(c, victim), ["PREEMPTED", "COMPLETED"])
        self.assertRegex(c.output(victim, "victim"),
                         rf"^run 0\nslurmstepd: error: \*\*\* JOB {victim} ON n1 CANCELLED AT \S+ DUE TO PREEMPTION \*\*\*\nrun 1\n$")
        self.assertIn("Restarts=1", c.run("scontrol", "show", "job", victim).stdout)
        self.same_when_replayed(c)

    def test_a_partition_can_be_protected_while_it_runs(self):
        c = self.make(BY_PARTITION)
        c.run("scontrol", "update", "PartitionName=low", "PreemptMode=OFF", "GraceTime=1")
        self.assertRegex(c.run("scontrol", "show", "partition", "low").stdout, r"(?s)GraceTime=1 .* PreemptMode=OFF\n")
        refused = c.run("scontrol", "update", "PartitionName=low", "PreemptMode=GANG", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("PreemptMode=GANG", refused.stderr)
        victim = c.sbatch("-w", "n1", "--gres=gpu:2", "-o", "/dev/null", script=until("end"))
        self.wait_state(c, victim, "RUNNING")
        first = c.sbatch("-p", "high", "-w", "n1", "--gres=gpu:2", "-o", "/dev/null", script=until("end"))
        c.wait("the reason", lambda: f"It may not preempt job {victim}: PreemptMode is OFF in the partition."
               in c.run("berth", "why", first).stdout)
        c.run("scontrol", "update", "PartitionName=low", "PreemptMode=CANCEL")
        self.wait_state(c, first, "RUNNING")
        c.wait_state(victim, "PREEMPTED")

    def test_the_steps_of_a_cancelled_one_are_warned(self):
        c = self.make(BY_QOS)
        adds = c.run("sacctmgr", "add", "qos", "scav", "GraceTime=5", stdin="y\n").stdout
        self.assertIn("  GraceTime                = 5\nWould you like to commit changes?", adds)
        c.run("sacctmgr", "-i", "add", "qos", "high", "Preempt=scav", "priority=10")
        self.assertEqual(c.run("sacctmgr", "-n", "-P", "show", "qos", "format=name,priority,preempt,preemptmode,gracetime").stdout,
                         "normal|0||cluster|00:00:00\nscav|0||cluster|00:00:05\nhigh|10|scav|cluster|00:00:00\n")
        c.run("sacctmgr", "-i", "modify", "qos", "high", "set", "PreemptMode=requeue")
        self.assertEqual(c.run("scontrol", "show", "assoc_mgr", "flags=qos").stdout.count("    PreemptMode=OFF\n    Priority=0\n"), 2)
        self.assertIn("    PreemptMode=REQUEUE\n    Priority=10\n", c.run("scontrol", "show", "assoc_mgr", "flags=qos").stdout)
        circle = c.run("sacctmgr", "modify", "qos", "scav", "set", "Preempt=high", check=False)
        self.assertEqual(circle.stderr, "sacctmgr: error: QOS Preemption loop detected\n Error with request: QOS Preemption loop detected\n")
        step = "trap 'echo the step saw TERM > seen' TERM; touch on; until [ -e never ]; do sleep 0.1; done"
        victim = c.sbatch("-w", "n1", "--gres=gpu:2", "--qos=scav", "-o", "/dev/null",
                          script=CLAIM + f'srun -n1 bash -c "{step}" & while :; do wait; done')
        other = c.sbatch("-w", "n2", "--gres=gpu:2", "-o", "/dev/null", script=until("end"))
        c.wait("the step", lambda: (c.work / "on").exists())
        self.wait_state(c, other, "RUNNING")
        first = c.sbatch("--gres=gpu:2", "--qos=high", "-o", "/dev/null", script=until("end"))
        c.wait("the warning", lambda: (c.work / "seen").exists())
        self.assertEqual(self.queue(c)[victim], "RUNNING")
        self.assertRegex(c.run("squeue", "-h", "-j", victim, "-O", "preempttime").stdout, r"^20\d\d-")
        self.assertRegex(c.run("scontrol", "show", "job", victim).stdout, r"PreemptTime=20\d\d-")
        self.assertIn(f"It waits for job {victim}, which it preempts, to end: at the latest until ", c.run("berth", "why", first).stdout)
        self.assertIn(f"must end: job {first} preempts it", c.run("berth", "why", victim).stdout)
        self.wait_state(c, first, "RUNNING")
        c.wait_state(victim, "PREEMPTED")
        self.assertEqual(self.queue(c)[other], "RUNNING")
        (c.work / "end").touch()
        c.wait_all_done()
        # Attached clients end with Slurm's words.
        (c.work / "end").unlink()
        (c.work / "seen").unlink()
        for command, says in ((("salloc", "-K"), "salloc: Job allocation .* has been revoked."), (("srun",), r"srun: error: \*\*\* STEP \d+\.0 ON n1 CANCELLED AT \S+ DUE TO PREEMPTION \*\*\*\n"
                                                                               r"srun: error: n1: task 0: Terminated")):
            client = subprocess.Popen([*command, "-w", "n1", "--gres=gpu:2", "--qos=scav", "bash", "-c", "touch here; exec sleep 600"],
                                      cwd=c.work, env=c.environment(), text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
            c.wait("the client's command", lambda: (c.work / "here").exists())
            (c.work / "here").unlink()
            next_one = c.sbatch("-w", "n1", "--gres=gpu:2", "--qos=high", "-o", "/dev/null", script=CLAIM)
            c.wait_state(next_one, "COMPLETED")
            said = client.communicate(timeout=30)[0]
            self.assertRegex(said, says)
            self.assertNotEqual(client.returncode, 0)

    def test_an_array_preempts_task_by_task(self):
        c = self.make(BY_PARTITION)
        victims = [c.sbatch("--gres=gpu:1", "-o", f"victim{i}", "--open-mode=append", script=until("end")) for i in range(4)]
        for job in victims:
            self.wait_state(c, job, "RUNNING")
        array = c.sbatch("-p", "high", "--array=0-2", "--gres=gpu:1", "-o", "/dev/null", script=until("go"))
        c.wait("three tasks", lambda: c.run("squeue", "-h", "-p", "high", "-t", "R", "-o", "%F").stdout.count(array) == 3)
        states = sorted(self.queue(c)[job] for job in victims)
        self.assertEqual(states, ["PENDING", "PENDING", "PENDING", "RUNNING"])
        (c.work / "go").touch()
        (c.work / "end").touch()
        for job in victims:
            c.wait_state(job, "COMPLETED")
        self.assertEqual(sorted(len(self.attempts(c, job)) for job in victims), [1, 2, 2, 2])
        self.assertEqual(set(self.attempts(c, array)), {"COMPLETED"})
        self.same_when_replayed(c)

    def test_a_controller_that_dies_meanwhile_loses_nothing(self):
        c = self.make(BY_QOS, "qos:\n- {name: scav, grace_time: 4, preempt_mode: requeue}\n- {name: high, preempt: scav}\n")
        for round_ in range(2):  # In the grace time, and once it is over.
            (c.work / "end").unlink(missing_ok=True)
            victim = c.sbatch("-w", "n1", "--gres=gpu:2", "--qos=scav", "-o", "/dev/null", script=until("end", "trap '' TERM\n"))
            self.wait_state(c, victim, "RUNNING")
            first = c.sbatch("-w", "n1", "--gres=gpu:2", "--qos=high", "-o", "/dev/null", script=until("end"))
            due = "COMPLETING" if round_ else "RUNNING"
            c.wait("the decision", lambda: "N/A" not in c.run("squeue", "-h", "-j", victim, "-O", "preempttime").stdout
                   and self.queue(c)[victim] == due)
            c.kill("berthd")
            c.up()
            self.wait_state(c, first, "RUNNING")
            self.assertEqual(self.queue(c)[victim], "PENDING")
            self.assertEqual(self.attempts(c, victim), ["PREEMPTED", "PENDING"])
            (c.work / "end").touch()
            c.wait_state(first, "COMPLETED")
            c.wait_state(victim, "COMPLETED")
        self.same_when_replayed(c)


if __name__ == "__main__":
    main()
