"""What the commands show: hidden partitions, -v, -i, ids of array tasks, and users' texts that would move the cursor."""

import http.client
import json
import os
import socket
import subprocess
import unittest

from cluster import Cluster, main

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
        self.assertIn(f"job {array}_0 waits", self.cluster.run("berth", "why", f"{array}_0").stdout)
        self.assertIn(f"job {array}_[0-1] waits", self.cluster.run("berth", "why", array).stdout)
        self.cluster.run("scontrol", "hold", f"{array}_1")  # It has a record of its own now.
        said = self.cluster.run("berth", "why", f"{array}_1").stdout
        self.assertIn(f"job {array}_1 waits", said)
        self.cluster.wait("its planned start", lambda: f"waits for the end of: {holder}" in self.cluster.run("berth", "why", array).stdout)

    def test_entities_are_named_as_scripts_name_them(self):
        c = self.cluster
        job = c.sbatch("--hold", "--wrap", "true")
        whole = c.run("scontrol", "show", "job", job).stdout
        for words in (["jobid", job], ["jobid", "-dd", job], [f"job={job}"], [f"JobId={job}"]):
            self.assertIn(f"JobId={job} ", c.run("scontrol", "show", *words).stdout, words)
        self.assertEqual(c.run("scontrol", "show", f"jobid={job}").stdout, whole)
        self.assertIn("NodeName=node1 ", c.run("scontrol", "show", "node=node1").stdout)
        for words in ("partition=main", "PartitionName=main"):
            self.assertIn("PartitionName=main", c.run("scontrol", "show", words).stdout)
        self.assertIn("invalid entity:foo=3 for keyword:show", c.run("scontrol", "show", "foo=3", check=False).stderr)
        c.run("scontrol", "update", "job", job, "TimeLimit=7")
        self.assertEqual(c.run("squeue", "-h", "-j", job, "-o", "%l").stdout, "7:00\n")
        self.assertEqual(json.loads(c.run("scontrol", "ping", "--json").stdout)["pings"][0]["pinged"], "UP")

    def test_states_that_no_job_and_no_node_is_in_have_no_lines(self):
        c = self.cluster
        c.sbatch("--hold", "--wrap", "true")
        self.assertEqual(c.run("squeue", "-h", "-t", "RS,SE,ST").stdout, "")
        self.assertNotEqual(c.run("squeue", "-h", "-t", "RS,PD").stdout, "")
        self.assertEqual(c.run("sacct", "-nX", "-s", "RS").stdout, "")
        self.assertEqual(c.run("sinfo", "-h", "-N", "-t", "reboot,powered_down,idle&down").stdout, "")
        self.assertEqual(c.run("sinfo", "-h", "-N", "-t", "idle+idle", "-o", "%N").stdout, "node1\nnode2\n")
        c.run("scontrol", "update", "NodeName=node2", "State=drain", "Reason=test")
        try:
            self.assertEqual(c.run("sinfo", "-h", "-N", "-t", "idle&drain", "-o", "%N %U").stdout, "node2 root(0)\n" if os.geteuid() == 0 else "")
        finally:
            c.run("scontrol", "update", "NodeName=node2", "State=resume")

    def test_seff_says_how_well_a_job_used_what_it_held(self):
        c = self.cluster
        job = c.sbatch("-c2", "--mem=100M", script="python3 -c 'import time\nwhile time.process_time() < 1.5: pass'; sleep 1.5")
        waiting = c.sbatch("--hold", "--wrap", "true")
        c.wait_state(job, "COMPLETED")
        said = c.run("seff", job).stdout
        self.assertRegex(said, rf"\AJob ID: {job}\nCluster: \S+\nUser/Group: \S+/\S+\nState: COMPLETED \(exit code 0\)\nCores: 2\n"
                         r"CPU Utilized: 00:00:0\d\nCPU Efficiency: \d+\.\d\d% of 00:00:\d\d core-walltime\nJob Wall-clock time: 00:00:0\d\n"
                         r"Memory Utilized: \d+\.\d\d [KM]B\nMemory Efficiency: \d+\.\d\d% of 100\.00 MB\n\Z")
        self.assertIn("Efficiency not available for jobs in the PENDING state.", c.run("seff", waiting).stdout)
        tasks = c.sbatch("--array=4-5", "--wrap", "true")
        c.wait("the tasks", lambda: c.run("sacct", "-nX", "-j", tasks, "-o", "State").stdout.split() == ["COMPLETED"] * 2)
        self.assertIn(f"Array Job ID: {tasks}_4\n", c.run("seff", f"{tasks}_4").stdout)
        for words, says, code in ((["99999"], "Job not found.", 2), (["x"], "should be a job, such as 12 or 12_3", 1), ([], "Usage: seff", 1)):
            done = c.run("seff", *words, check=False)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.returncode, code)

    def test_sreport_tells_who_used_what_and_what_became_of_the_cluster(self):
        c = self.cluster
        hour = ("start=now-1hour", "end=now")

        def used(*options):
            rows = c.run("sreport", "-nP", "-t", "seconds", *options, "user", "top", *hour, "format=login,used").stdout.split()
            return {user: int(seconds) for user, seconds in (row.split("|") for row in rows)}

        me = c.run("id", "-un").stdout.strip()
        before, gpus_before = used().get(me, 0), used("-T", "gres/gpu").get(me, 0)
        job = c.sbatch("-n1", "-c2", "--gres=gpu:1", "--wrap", "sleep 3")
        c.wait_state(job, "COMPLETED")
        elapsed = int(c.run("sacct", "-nPX", "-j", job, "-o", "ElapsedRaw").stdout)
        self.assertLessEqual(abs(used()[me] - before - 2 * elapsed), 4)
        self.assertLessEqual(abs(used("-T", "gres/gpu")[me] - gpus_before - elapsed), 2)
        self.assertIn(f"|{me}|", c.run("sreport", "-nP", "cluster", "AccountUtilizationByUser", *hour).stdout)
        sizes = c.run("sreport", "-nP", "job", "sizesbyaccount", "grouping=2,3", "printjobcount", *hour).stdout.split("|")
        self.assertGreaterEqual(int(sizes[3]), 1, sizes)
        c.run("scontrol", "update", "NodeName=node2", "State=drain", "Reason=test")
        try:
            c.wait("time to go by", lambda: int(self.utilization("down")) > 0)
        finally:
            c.run("scontrol", "update", "NodeName=node2", "State=resume")
        allocated, down, idle, planned, reported = map(int, self.utilization("allocated,down,idle,planned,reported").split("|"))
        self.assertGreater(allocated, 0)
        self.assertGreater(idle, 0)
        self.assertEqual(allocated + down + idle + planned, reported)
        shown = c.run("sreport", "cluster", "utilization", *hour)
        self.assertRegex(shown.stdout, r"\A-{80}\nCluster Utilization \S+ - \S+\nUsage reported in CPU Minutes\n-{80}\n  Cluster Allocate     Down PLND Dow ")
        self.assertIn("it is not kept which nodes there were", shown.stderr)

    def utilization(self, fields):
        return self.cluster.run("sreport", "-QnP", "-t", "seconds", "cluster", "utilization", "start=now-1hour", "end=now", f"format={fields}").stdout.strip()

    def test_accounts_shares_and_diagnostics_are_json_too(self):
        c = self.cluster
        self.assertEqual([one["name"] for one in json.loads(c.run("sacctmgr", "show", "qos", "--json").stdout)["qos"]][:1], ["normal"])
        self.assertIn("root", [one["name"] for one in json.loads(c.run("sacctmgr", "--json", "show", "account").stdout)["accounts"]])
        self.assertEqual(json.loads(c.run("sshare", "-a", "--json").stdout)["shares"]["shares"][0]["name"], "root")
        self.assertGreaterEqual(json.loads(c.run("sdiag", "--json").stdout)["statistics"]["jobs_submitted"], 0)

    def test_cpus_and_memory_are_counted_by_gpus(self):
        c = self.cluster
        job = c.sbatch("--hold", "--gpus-per-node=2", "-N2", "--cpus-per-gpu=3", "--mem-per-gpu=50M", "--wrap", "true")
        shown = c.run("scontrol", "show", "job", job).stdout
        self.assertIn("cpu=12,mem=200M,node=2", shown)
        spread = c.run("sbatch", "--gpus=2", "--cpus-per-gpu=3", "--wrap", "true", check=False)
        self.assertIn("--cpus-per-gpu is not supported yet where the GPUs", spread.stderr)

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

    def test_no_command_and_no_log_has_a_users_control_characters(self):
        c = self.cluster
        evil = "e\x1b]0;title\a\n2026-01-01T00:00:00.000 error berthd: forged"
        nowhere = c.run("sbatch", "--parsable", "-J", evil, "--comment", evil, "-o", f"/nonexistent/{evil}", "--wrap", "true", check=False).stdout.strip()
        steps = c.sbatch(script=f"srun -J '{evil}' false")
        waits = c.run("sbatch", "--parsable", "-H", "-J", evil, "--wrap", "true").stdout.strip()
        c.wait("both to end", lambda: all(c.state_of(job) == "FAILED" for job in (nowhere, steps)))
        c.run("sacctmgr", "-i", "add", "account", "odd", f"Description={evil}|x", check=False)
        told = [c.run(*command, check=False) for job in (nowhere, steps, waits) for command in (
            ["squeue", "-t", "all", "-o", "%all"], ["squeue", "-s"], ["sacct", "-j", job, "-l"], ["sacct", "-P", "-j", job, "-o", "ALL"],
            ["scontrol", "show", "job", job], ["scontrol", "show", "step", job], ["sstat", "-a", "-j", job], ["seff", job], ["sprio", "-l"],
            ["berth", "why", job], ["berth", "logs", job], ["berth", "queue", "--all"], ["berth", "status"],
            ["sacctmgr", "show", "account"], ["sacctmgr", "-P", "show", "account"], ["sacctmgr", "show", "transactions"])]
        texts = [text for one in told for text in (one.stdout, one.stderr)] + [log.read_text() for log in (c.state / "log").glob("*")]
        for text in texts:
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\a", text)
            self.assertEqual([line for line in text.splitlines() if line.startswith("2026-01-01T00:00:00.000 error")], [])
        self.assertTrue(any("forged" in text for text in texts), "nothing told of them")

    def test_a_name_forges_no_column_whatever_the_delimiter(self):
        job = self.cluster.sbatch("--hold", "-J", "a::FAILED", "--wrap", "true")
        row = self.cluster.run("sacct", "-nPX", "--delimiter=::", "-j", job, "-o", "JobID,JobName,State").stdout
        self.assertEqual(row, f"{job}::a\\x3a:FAILED::PENDING\n")

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
    main()
