"""salloc, and srun outside of a job: asked for, waited for, used, given back; and srun --pty at a terminal."""

import os
import pty
import select
import signal
import subprocess
import time
import unittest

from cluster import Cluster, main


class Interactive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:8", nodes=2))

    def run_it(self, *command, code=0, **more):
        done = self.cluster.run(*command, check=False, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def last_job(self):
        return self.cluster.run("sacct", "-n", "-X", "-P", "-o", "JobID").stdout.split()[-1]

    def start(self, *command):
        return subprocess.Popen(command, cwd=self.cluster.work, env=self.cluster.environment(), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_srun_gets_a_job_of_its_own(self):
        done = self.run_it("srun", "-n4", "-N2", "--gres=gpu:2", "-J", "own", "-t", "5", "sh", "-c",
                           "echo $SLURM_PROCID $SLURM_JOB_NUM_NODES $SLURM_NTASKS $(echo $CUDA_VISIBLE_DEVICES | tr , '\\n' | wc -l)")
        self.assertEqual(sorted(done.stdout.splitlines()), [f"{i} 2 4 2" for i in range(4)])
        job = self.last_job()
        over = {job: "COMPLETED", f"{job}.0": "COMPLETED"}
        self.cluster.wait("the ends of the job and its step", lambda: self.cluster.states(job) == over)
        row = self.cluster.run("sacct", "-n", "-X", "-P", "-j", job, "-o", "JobName,Timelimit,AllocTRES").stdout.strip()
        self.assertTrue(row.startswith("own|00:05:00|"), row)
        self.assertIn("gres/gpu=4", row)

    def test_the_job_ends_as_the_command_did(self):
        for command, code, state, exit_code in (("true", 0, "COMPLETED", "0:0"), ("exit 3", 3, "FAILED", "3:0"),
                                                ("kill -9 $$", 137, "FAILED", "0:9")):
            for program in ("srun", "salloc"):
                with self.subTest(f"{program} {command}"):
                    self.run_it(program, "sh", "-c", command, code=code)
                    job = self.last_job()
                    self.cluster.wait_state(job, state)
                    got = self.cluster.run("sacct", "-n", "-X", "-P", "-j", job, "-o", "ExitCode").stdout.strip()
                    self.assertEqual(got, exit_code)

    def test_input_comes_through(self):
        self.assertEqual(self.run_it("srun", "cat", stdin="one\ntwo\n").stdout, "one\ntwo\n")

    def test_salloc_tells_its_command_of_the_job(self):
        done = self.run_it("salloc", "-N2", "-n4", "--gres=gpu:1", "sh", "-c",
                           "echo $SLURM_JOB_ID $SLURM_NNODES $SLURM_NTASKS $SLURM_TASKS_PER_NODE; srun -l true; "
                           "srun hostname | wc -l; scontrol show job $SLURM_JOB_ID")
        job = self.last_job()
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], f"{job} 2 4 2(x2)")
        self.assertEqual(lines[1].strip(), "4")
        self.assertIn("BatchFlag=0", done.stdout)
        self.assertNotIn("BatchHost", done.stdout)
        self.assertEqual(done.stderr.splitlines(),
                         [f"salloc: Granted job allocation {job}", "salloc: Nodes node[1-2] are ready for job",
                          f"salloc: Relinquishing job allocation {job}"])
        self.cluster.wait_state(job, "COMPLETED")

    def test_who_waits_is_told_so_and_starts_when_there_is_room(self):
        holder = self.cluster.sbatch("-N2", "--exclusive", "--wrap", "sleep 600")
        self.cluster.wait_state(holder, "RUNNING")
        waiting = self.start("srun", "-N2", "true")
        self.cluster.wait("srun's job to wait", lambda: "PENDING" in self.cluster.run("squeue", "-h", "-o", "%T").stdout)
        time.sleep(0.5)
        self.cluster.run("scancel", holder)
        _, said = waiting.communicate(timeout=60)
        job = self.last_job()
        self.assertEqual(waiting.returncode, 0)
        self.assertEqual(said.splitlines(), [f"srun: job {job} queued and waiting for resources",
                                             f"srun: job {job} has been allocated resources"])

    def test_ctrl_c_while_waiting_takes_the_job_out_of_the_queue(self):
        holder = self.cluster.sbatch("-N2", "--exclusive", "--wrap", "sleep 600")
        self.cluster.wait_state(holder, "RUNNING")
        for program in ("srun", "salloc"):
            waiting = self.start(program, "-N2", "true")
            self.cluster.wait("it to wait", lambda: "PENDING" in self.cluster.run("squeue", "-h", "-o", "%T").stdout)
            time.sleep(0.5)
            waiting.send_signal(signal.SIGINT)
            _, said = waiting.communicate(timeout=60)
            self.assertEqual(waiting.returncode, 1)
            self.assertIn("has been revoked.", said)
            self.cluster.wait_state(self.last_job(), "CANCELLED")
        done = self.run_it("srun", "--immediate=1", "-N2", "true", code=1)
        self.assertIn("Requested nodes are busy", done.stderr)
        self.cluster.wait_state(self.last_job(), "CANCELLED")
        self.cluster.run("scancel", holder)

    def test_an_allocation_that_is_cancelled_is_said_to_be_gone(self):
        running = self.start("salloc", "-K", "sh", "-c", "touch begun; exec sleep 600")
        self.cluster.wait("its command", (self.cluster.work / "begun").exists)
        job = self.last_job()
        self.cluster.run("scancel", job)
        _, said = running.communicate(timeout=60)
        self.assertIn(f"salloc: Job allocation {job} has been revoked.", said)
        self.assertEqual(running.returncode, 128 + signal.SIGTERM)

    def test_ctrl_c_ends_the_waiting_for_a_busy_job(self):
        job = self.cluster.sbatch("-n1", "--wrap", "srun sleep 600")
        self.cluster.wait("its step", lambda: f"{job}.0" in self.cluster.run("squeue", "-h", "-s", "-o", "%i").stdout)
        waiting = self.start("srun", "--jobid", job, "true")
        self.assertIn("step creation temporarily disabled", waiting.stderr.readline())
        waiting.send_signal(signal.SIGINT)
        _, said = waiting.communicate(timeout=60)
        self.assertEqual(waiting.returncode, 1)
        self.assertIn("Cancelled pending job step with signal 2", said)
        self.cluster.run("scancel", job)

    def test_an_allocation_without_a_shell_stays(self):
        self.run_it("salloc", "--no-shell", "-n2")
        job = self.last_job()
        self.assertEqual(len(self.run_it("srun", "--jobid", job, "-n2", "hostname").stdout.split()), 2)
        self.assertEqual(self.cluster.state_of(job), "RUNNING")
        self.cluster.run("scancel", job)
        self.cluster.wait_state(job, "CANCELLED")

    def test_what_is_the_jobs_is_not_silently_taken_for_a_step(self):
        job = self.cluster.sbatch("--wrap", "srun -p main true")
        self.cluster.wait_state(job, "COMPLETED")
        self.assertIn("--partition is the job's, and has no effect on a step", self.cluster.output(job))

    def test_what_cannot_be_given_is_refused(self):
        self.assertIn("salloc: error: Job submit/allocate failed: ", self.run_it("salloc", "-C", "nosuch", "true", code=1).stderr)
        self.assertIn("srun: error: Unable to allocate resources: ", self.run_it("srun", "-p", "nowhere", "true", code=1).stderr)
        self.assertIn("--hint=memory_bound is not supported with 2 CPUs per task", self.run_it("salloc", "--hint=memory_bound", "-c2", "true", code=1).stderr)

    def test_srun_pty_is_a_terminal_on_the_node(self):
        ours, theirs = pty.openpty()
        import fcntl, struct, termios
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
        srun = subprocess.Popen(["srun", "--pty", "bash", "--norc", "-i"], cwd=self.cluster.work,
                                env=self.cluster.environment() | {"PS1": "ready> ", "TERM": "dumb"},
                                stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        seen = ""

        def wait_for(text):
            nonlocal seen
            until = time.monotonic() + 60
            while text not in seen:
                self.assertLess(time.monotonic(), until, f"no {text!r} in {seen!r}")
                if select.select([ours], [], [], 0.2)[0]:
                    seen += os.read(ours, 4096).decode()

        wait_for("ready> ")
        os.write(ours, b"tty; stty size\n")
        wait_for("/dev/pts/")
        wait_for("33 111")
        os.write(ours, b"sleep 600 || echo inter''rupted\n")
        time.sleep(0.5)
        os.write(ours, b"\x03")  # Ctrl-C: of the job, not of srun.
        wait_for("ready> ")
        os.write(ours, b"echo still $((40 + 2))\n")
        wait_for("still 42")
        os.write(ours, b"exit 5\n")
        until = time.monotonic() + 60
        while srun.poll() is None and time.monotonic() < until:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    os.read(ours, 4096)
                except OSError:
                    pass
        self.assertEqual(srun.returncode, 5)
        os.close(ours)


if __name__ == "__main__":
    main()
