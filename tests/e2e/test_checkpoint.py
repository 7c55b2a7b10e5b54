"""PreemptMode checkpoint with real processes: a program saves its step when it is warned, makes room, and goes on from
that step when it runs again. Nobody starts before it has saved, nothing waits forever, and no restart loses a warning."""

import tempfile
import unittest
from pathlib import Path

from cluster import Cluster, main

CONF = """ClusterName=checkpoint
GresTypes=gpu
KillWait=2
NodeName=n1 CPUs=4 Gres=gpu:a100:2
PartitionName=low Nodes=n1 Default=YES MaxTime=1-0
PartitionName=high Nodes=n1 PriorityTier=10 MaxTime=1-0
"""
YAML = "preemption: {by: partition, mode: checkpoint}\n"
# Counts steps from the one in its checkpoint on, until a file says that it is done. SLOW: seconds that saving takes.
PROGRAM = """import os, signal, time
path = os.environ["BERTH_CHECKPOINT"]
step = int(open(path).read()) if os.path.exists(path) else 0
print("from", step, flush=True)
warnings = []
signal.signal(signal.SIGTERM, lambda *_: warnings.append(step))
open("ready", "w").close()
while not os.path.exists("finish"):
    step += 1
    time.sleep(0.01)
    if warnings:
        warnings.clear()
        print("warned", flush=True)
        open("warned", "w").close()
        time.sleep(float(os.environ.get("SLOW", 0)))
        with open(path + ".new", "w") as file:
            file.write(str(step))
        os.rename(path + ".new", path)
        print("saved", step, flush=True)
        if "ENDS" in os.environ:
            raise SystemExit(0)
print("done", step, flush=True)
"""
IGNORES = "trap '' TERM\ntouch ready\nwhile :; do sleep 0.1; done\n"


class Checkpoint(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-checkpoint.")))
        (folder / "slurm.conf").write_text(CONF)
        (folder / "gres.conf").write_text("NodeName=n1 Name=gpu Type=a100 Count=2\n")
        (folder / "berth.yaml").write_text(YAML)
        self.cluster = self.enterContext(Cluster(conf=folder / "slurm.conf"))
        (self.cluster.work / "train.py").write_text(PROGRAM)

    def start(self, script, *options):
        """A run that is ready to be warned."""
        c = self.cluster
        (c.work / "ready").unlink(missing_ok=True)
        job = c.sbatch("--gres=gpu:2", "-t", "60", "-o", "out", "--open-mode=append", *options, script=script)
        c.wait("the program", lambda: (c.work / "ready").exists())
        return job

    def preempt(self):
        return self.cluster.sbatch("-p", "high", "--gres=gpu:2", "-t", "60", "-o", "/dev/null",
                                   script="until [ -e go ]; do sleep 0.1; done\n")

    def shown(self, job, form):
        return self.cluster.run("squeue", "-h", "-t", "all", "-j", job, "-o", form).stdout.strip()

    def wait_state(self, job, state):
        self.cluster.wait(f"job {job} to be {state}", lambda: self.shown(job, "%T") == state)

    def said(self):
        return [line.split() for line in (self.cluster.work / "out").read_text().splitlines() if line.split()[0] in ("from", "saved", "done")]

    def reasons(self, job):
        return self.cluster.run("sacct", "-n", "-P", "-X", "-D", "-j", job, "-o", "State,Reason").stdout

    def goes_on_at_its_step(self, low, high):
        """The run has saved and waits; it goes on from there."""
        c = self.cluster
        self.wait_state(high, "RUNNING")
        self.assertEqual(self.shown(low, "%T"), "PENDING")
        saved = int((c.work / f"step-{low}").read_text())
        self.assertGreater(saved, 0)
        (c.work / "go").touch()
        c.wait("the next run", lambda: ["from", str(saved)] in self.said())
        (c.work / "finish").touch()
        c.wait_state(low, "COMPLETED")
        self.assertGreater(int(self.said()[-1][1]), saved)
        self.assertEqual(c.run("sacct", "-n", "-P", "-X", "-D", "-j", low, "-o", "State").stdout, "PREEMPTED\nCOMPLETED\n")
        c.wait("the replay", lambda: "the daemon's state is the same" in c.run("berth", "replay", "--decide", check=False).stdout)

    def test_a_script_saves_and_goes_on_at_its_step(self):
        low = self.start("exec python3 train.py\n", "--berth-checkpoint=step-%j")
        record = self.cluster.run("scontrol", "show", "job", low).stdout
        self.assertIn("Checkpoint=step-%j LastCheckpoint=None", record)
        self.goes_on_at_its_step(low, self.preempt())
        self.assertNotIn("timeout", self.reasons(low))

    def test_a_step_saves_and_goes_on_at_its_step(self):
        low = self.start("#SBATCH --berth-checkpoint=step-%j\nsrun -n1 python3 train.py\n")
        self.goes_on_at_its_step(low, self.preempt())

    def test_a_program_may_save_and_end_with_0(self):
        low = self.start("export ENDS=1\nexec python3 train.py\n", "--berth-checkpoint=step-%j")
        self.goes_on_at_its_step(low, self.preempt())

    def test_it_is_waited_for_and_shown(self):
        c = self.cluster
        low = self.start("export SLOW=4\nexec python3 train.py\n", "--berth-checkpoint=step-%j")
        high = self.preempt()
        c.wait("the warning", lambda: (c.work / "warned").exists())
        self.assertEqual([self.shown(low, "%T"), self.shown(high, "%T")], ["RUNNING", "PENDING"])
        self.assertIn(f"It waits for job {low}, which it preempts, to save a checkpoint and end: at the latest until ",
                      c.run("berth", "why", high).stdout)
        self.assertRegex(c.run("berth", "why", low).stdout, r"it has 00:00:\d\d to save its checkpoint, step-%j")
        self.goes_on_at_its_step(low, high)

    def test_neither_controller_nor_agent_need_live_through_it(self):
        c = self.cluster
        low = self.start("export SLOW=3\nexec python3 train.py\n", "--berth-checkpoint=step-%j")
        high = self.preempt()
        c.wait("the warning", lambda: (c.work / "warned").exists())
        for daemon in ("berthd", "agent-n1"):
            c.kill(daemon)
        c.up()
        self.goes_on_at_its_step(low, high)

    def test_what_never_saves_is_killed_in_the_end(self):
        c = self.cluster
        c.run("scontrol", "update", "PartitionName=low", "GraceTime=2")
        low = self.start(IGNORES, "--berth-checkpoint=never")
        high = self.preempt()
        self.wait_state(high, "RUNNING")
        self.assertEqual(self.shown(low, "%T"), "PENDING")
        self.assertIn(f"PREEMPTED|Preempted by job {high}: checkpoint timeout", self.reasons(low))
        self.assertIn(f"It was preempted by job {high}, saved no checkpoint in time, and waits to run again.", c.run("berth", "why", low).stdout)

    def test_what_names_no_file_is_not_waited_for(self):
        low = self.start(IGNORES)
        high = self.preempt()
        self.wait_state(high, "RUNNING")
        self.assertEqual(self.shown(low, "%T"), "PENDING")
        self.assertIn(f"PREEMPTED|Preempted by job {high}\n", self.reasons(low))

    def test_a_job_says_itself_that_it_has_saved(self):
        c = self.cluster
        low = self.start("trap 'berth checkpoint done' TERM\ntouch ready\nwhile :; do sleep 0.1; done\n", "--berth-checkpoint=unused")
        c.run("berth", "checkpoint", "done", low)
        self.assertRegex(c.run("scontrol", "show", "job", low).stdout, r" LastCheckpoint=20\d\d-")
        self.assertEqual(self.shown(low, "%T"), "RUNNING")
        high = self.preempt()
        self.wait_state(high, "RUNNING")
        self.assertNotIn("timeout", self.reasons(low))
        self.assertFalse((c.work / "unused").exists())
        other = c.sbatch("-o", "/dev/null", script="sleep 60\n")
        self.wait_state(other, "RUNNING")
        self.assertIn("was submitted without --berth-checkpoint", c.run("berth", "checkpoint", "done", other, check=False).stderr)

    def test_who_cannot_save_is_refused(self):
        c = self.cluster
        for words, says in ((("sbatch", "--berth-checkpoint=", "--wrap", "true"), "Invalid --berth-checkpoint specification"),
                            (("sbatch", "--berth-checkpoint=models/", "--wrap", "true"), "should be the path of a file"),
                            (("srun", "--berth-checkpoint=model", "true"), "unrecognized option '--berth-checkpoint=model'")):
            done = c.run(*words, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    main()
