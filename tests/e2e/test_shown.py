"""What the commands show: hidden partitions, -v, -i, ids of array tasks, and users' texts that would move the cursor."""

import http.client
import json
import os
import socket
import subprocess
import unittest

from cluster import Cluster

NOBODY = 65534


class Shown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:2", nodes=2))

    def tearDown(self):
        self.cluster.run("scancel", "-u", str(os.geteuid()))
        self.cluster.wait("the queue to be empty", lambda: not self.cluster.run("squeue", "-h").stdout)

    @unittest.skipUnless(os.geteuid() == 0, "SKIPPED: needs root, to be another user")
    def test_hidden_partitions_are_for_operators_and_who_asks(self):
        c = self.cluster
        c.run("scontrol", "create", "PartitionName=dark", "Nodes=ALL", "Hidden=YES")
        job = c.sbatch("-p", "dark", "--hold", "--wrap", "true")

        def seen(*command, user=NOBODY):
            return c.run("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command).stdout

        self.assertEqual(seen("squeue", "-h", "-o", "%i"), "")
        self.assertEqual(seen("squeue", "-h", "-o", "%i", "-a"), f"{job}\n")
        self.assertEqual(seen("env", "SQUEUE_ALL=1", "squeue", "-h", "-o", "%i"), f"{job}\n")
        self.assertEqual(seen("squeue", "-h", "-o", "%i", "-p", "dark"), f"{job}\n")
        self.assertEqual(seen("squeue", "-h", "-o", "%i", "-j", job), f"{job}\n")
        self.assertEqual(seen("squeue", "-h", "-o", "%i", user=0), f"{job}\n")
        self.assertNotIn("dark", seen("sinfo", "-h", "-o", "%R"))
        for more in (["-a"], ["-p", "dark"]):
            self.assertIn("dark", seen("sinfo", "-h", "-o", "%R", *more))
        self.assertIn("dark", seen("sinfo", "-h", "-o", "%R", user=0))
        c.run("scancel", job)
        c.wait_state(job, "CANCELLED")
        c.run("scontrol", "delete", "PartitionName=dark")

    def test_iterate_shows_again_and_again(self):
        for command in ("squeue", "sinfo"):
            done = subprocess.run(["timeout", "4", command, "-i", "1"], env=self.cluster.environment(), text=True,
                                  capture_output=True, timeout=20)
            self.assertEqual(done.returncode, 124)
            self.assertGreaterEqual(done.stdout.count("PARTITION"), 2, done.stdout)

    def test_units_are_converted_or_not(self):
        job = self.cluster.sbatch("--hold", "--mem=2G", "--wrap", "true")
        sacct = ["sacct", "-nPX", "-j", job, "-o", "ReqMem"]
        self.assertEqual(self.cluster.run(*sacct).stdout, "2G\n")
        self.assertEqual(self.cluster.run(*sacct, "--noconvert").stdout, "2048M\n")
        self.assertEqual(self.cluster.run(*sacct, "--units=K").stdout, "2097152K\n")
        self.assertEqual(self.cluster.run("squeue", "-h", "-o", "%m", "--noconvert").stdout, "2048M\n")

    def test_verbose_tells_of_job_nodes_and_options(self):
        said = self.cluster.run("srun", "-v", "-N2", "true").stderr
        self.assertRegex(said, r"srun: nodes               : 2\n")
        self.assertRegex(said, r"srun: jobid \d+: nodes\(2\):`node\[1-2\]', cpu counts: 1\(x2\)\n")
        self.assertRegex(said, r"srun: launching StepId=\d+\.0 on node\[1-2\], 2 tasks")
        said = self.cluster.run("salloc", "-v", "true").stderr
        self.assertRegex(said, r"salloc: jobid \d+: nodes\(1\):`node\d', cpu counts: 1\n")
        for command in (["srun", "true"], ["salloc", "true"]):
            self.assertNotIn("jobid", self.cluster.run(*command).stderr)

    def test_variables_of_srun_are_its_options(self):
        def srun(*command, **variables):
            return self.cluster.run("srun", *command, env=variables, check=False)

        self.assertEqual(srun("echo", "hi", SLURM_NPROCS="3").stdout, "hi\n" * 3)
        self.assertEqual(srun("echo", "hi", SLURM_NPROCS="3", SLURM_NTASKS="2").stdout, "hi\n" * 2)
        self.assertEqual(srun("-n1", "echo", "hi", SLURM_NPROCS="3").stdout, "hi\n")
        self.assertEqual(srun("echo", "hi", SLURM_STDOUTMODE="mode.txt").stdout, "")
        self.assertEqual((self.cluster.work / "mode.txt").read_text(), "hi\n")
        self.assertEqual(srun("sh", "-c", "echo oh >&2", SLURM_STDERRMODE="err.txt").stderr, "")
        self.assertEqual((self.cluster.work / "err.txt").read_text(), "oh\n")
        self.assertEqual(srun("cat", SLURM_STDINMODE="mode.txt").stdout, "hi\n")
        self.assertEqual(srun("pwd", SLURM_WORKING_DIR="/usr").stdout, "/usr\n")
        self.assertEqual(srun("-N", "x", "true", SLURM_EXIT_ERROR="42").returncode, 42)
        self.assertEqual(srun("--gpus=99", "true", SLURM_EXIT_ERROR="42").returncode, 42)
        within = self.cluster.run("salloc", "-n2", "srun", "echo", "hi", env={"SLURM_LABELIO": "1"})
        self.assertEqual(sorted(within.stdout.splitlines()), ["0: hi", "1: hi"])

    def test_a_task_of_an_array_is_called_as_users_call_it(self):
        holder = self.cluster.sbatch("-N2", "--exclusive", "--wrap", "sleep 60")
        self.cluster.wait_state(holder, "RUNNING")
        array = self.cluster.sbatch("-a", "0-1", "-N2", "--wrap", "true")
        self.cluster.run("scontrol", "hold", f"{array}_1")  # It has a record of its own now.
        said = self.cluster.run("berth", "why", f"{array}_1").stdout
        self.assertIn(f"job {array}_1 waits", said)
        self.assertIn(f"waits for the end of: {holder}", self.cluster.run("berth", "why", array).stdout)

    def test_users_texts_cannot_move_the_cursor_nor_make_lines(self):
        name = "a\nJobState=FAILED\x1b[2Jb|c"
        job = self.cluster.sbatch("--hold", "-J", name, "--comment", "x\ty\r", "--wrap", "true")
        shown = r"a\nJobState=FAILED\x1b[2Jb|c"
        lines = self.cluster.run("squeue", "-h", "-o", "%i %j %k").stdout
        self.assertEqual(lines, f"{job} {shown} x\\ty\\r\n")
        record = self.cluster.run("scontrol", "show", "job", job).stdout
        self.assertIn(f"JobName={shown}\n", record)
        self.assertEqual([line.split()[0] for line in record.splitlines() if line.strip().startswith("JobState=")], ["JobState=PENDING"])
        row = self.cluster.run("sacct", "-nPX", "-j", job, "-o", "JobID,JobName,State").stdout
        self.assertEqual(row, f"{job}|{shown.replace('|', chr(92) + 'x7c')}|PENDING\n")
        for command in (["squeue"], ["berth", "queue"], ["sacct", "-X"], ["scontrol", "show", "job", job],
                        ["squeue", "-O", "name:60"], ["scontrol", "-o", "show", "job"]):
            self.assertNotIn("\x1b", self.cluster.run(*command).stdout, command)

    def test_a_text_with_a_nul_is_refused(self):
        class OverSocket(http.client.HTTPConnection):
            def connect(connection):
                connection.sock = socket.socket(socket.AF_UNIX)
                connection.sock.connect(str(self.cluster.state / "berthd.sock"))

        for field in ("name", "comment"):
            connection = OverSocket("berth")
            connection.request("POST", "/v1/jobs", json.dumps({"spec": {field: "a\0b"}, "payload": {"script": "#!/bin/sh\n"}}))
            answer = connection.getresponse()
            self.assertEqual(answer.status, 400)
            self.assertIn("holds a NUL byte: leave it out", answer.read().decode())
            connection.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
