"""Keys of slurm.conf and terms of jobs that were accepted once and not kept: each by its effect, with real programs."""

import os
import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

from cluster import Cluster, main

ROOT = os.geteuid() == 0
CONF = """ClusterName=said
SlurmctldLogFile={logs}/ctld.log
SlurmdLogFile={logs}/%n.log
DebugFlags=Gres
GresTypes=gpu,gpumem
KillWait=1
MinJobAge=60
PrivateData=jobs,usage
EnforcePartLimits=ALL
AccountingStorageEnforce=associations
ReturnToService=0
NodeName=n1 CPUs=8 RealMemory=16000 Gres=gpu:a100:4,gpumem:320G
PartitionName=main Nodes=ALL Default=YES
PartitionName=small Nodes=ALL MaxMemPerNode=1000
"""
GRES = "Name=gpu Type=a100 Count=4\n"
YAML = """accounts:
  - name: Physics
    users: [root, daemon]
"""


class Enforced(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-said.")))
        folder.chmod(0o755)
        cls.logs = folder / "logs"
        cls.logs.mkdir(mode=0o777)
        (folder / "slurm.conf").write_text(CONF.format(logs=cls.logs))
        (folder / "gres.conf").write_text(GRES)
        (folder / "berth.yaml").write_text(YAML)
        cls.cluster = cls.enterClassContext(Cluster(conf=folder / "slurm.conf"))

    def refused(self, *options, words):
        done = self.cluster.run("sbatch", *options, "--wrap", "true", check=False)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(words, done.stderr)

    def as_daemon(self, *command, check=True):
        return self.cluster.run(*command, check=check, user="daemon", group="daemon", extra_groups=[]).stdout

    def test_an_unknown_job_is_not_waited_for(self):
        self.refused("-d", "afterok:123456", words="Job dependency problem")

    def test_jobs_share_a_gpu_while_its_memory_suffices(self):
        c = self.cluster
        go = c.work / "shared"
        jobs = [c.sbatch(f"--gres=gpumem:{amount}", script=f"echo $SLURM_JOB_GPUS; until [ -e {go} ]; do sleep 0.1; done")
                for amount in ("50G", "30720M", "1G")]
        for job in jobs:
            c.wait("it to have written", lambda: (c.work / f"slurm-{job}.out").exists() and c.output(job))
        go.touch()
        first, second, third = (c.output(job) for job in jobs)
        self.assertEqual(first, second)
        self.assertNotEqual(first, third)
        self.refused("--gres=gpumem:81G", words="Requested node configuration is not available")

    def test_a_deadline_that_cannot_be_met_is_refused(self):
        words = "Requested time limit is invalid"
        self.refused("--deadline=now+1hour", words=words)
        self.refused("-t", "120", "--deadline=now+1hour", words=words)
        self.cluster.sbatch("-t", "30", "--deadline=now+1hour", "--wrap", "true")

    def test_a_job_without_a_limit_starts_in_its_reservation(self):
        c = self.cluster
        c.wait_all_done()
        c.run("scontrol", "create", "reservation", "ReservationName=class", "StartTime=now", "Duration=30", "Users=root", "Nodes=n1")
        try:
            job = c.sbatch("--reservation=class", "--wrap", "true")
            c.wait_state(job, "COMPLETED")
            limit = c.run("sacct", "-n", "-X", "-P", "-j", job, "-o", "TimelimitRaw").stdout.strip()
            self.assertLessEqual(int(limit), 30)
        finally:
            c.run("scontrol", "delete", "ReservationName=class")

    def test_memory_above_the_partitions_maximum_is_refused(self):
        self.refused("-p", "small", "--mem=1001", words="Memory required by task is not available")
        self.cluster.sbatch("-p", "small", "--mem=1000", "--wrap", "true")

    def test_accounts_are_of_one_case(self):
        job = self.cluster.sbatch("-A", "PHYSICS", "--wrap", "true")
        self.assertIn("Account=physics", self.cluster.run("scontrol", "show", "job", job).stdout)

    def test_the_qos_of_an_account_are_those_of_its_users(self):
        c = self.cluster
        for line in ("add qos gold", "add account lab QOS=gold DefaultQOS=gold", "add user root account=lab"):
            c.run("sacctmgr", "-i", *line.split())
        self.refused("-A", "lab", "--qos=normal", words="Invalid qos specification")
        job = c.sbatch("-A", "lab", "-H", script="true")
        self.assertEqual(c.run("squeue", "-h", "-j", job, "-o", "%q").stdout.strip(), "gold")
        c.run("scancel", job)

    def test_a_dump_brings_accounts_and_limits_back(self):
        c = self.cluster
        for line in ("add account deep parent=physics MaxJobs=7", "add user daemon account=deep MaxSubmitJobs=0"):
            c.run("sacctmgr", "-i", *line.split())
        c.run("sacctmgr", "dump", "said", "file=tree")
        self.assertIn("Nothing new added", c.run("sacctmgr", "-i", "load", "tree").stdout)
        c.run("sacctmgr", "-i", "delete", "user", "daemon", "account=deep")
        c.run("sacctmgr", "-i", "delete", "account", "deep")
        self.assertIn("Changes Discarded", c.run("sacctmgr", "load", "tree", stdin="n\n").stdout)
        self.assertEqual(c.run("sacctmgr", "-nP", "show", "account", "deep").stdout, "")
        if ROOT:
            self.assertEqual(self.as_daemon("sbatch", "-A", "deep", "-H", "--wrap", "true", check=False), "")
        c.run("sacctmgr", "-i", "load", "file=tree")
        limits = c.run("sacctmgr", "-nP", "show", "assoc", "account=deep", "format=user,maxjobs,maxsubmit").stdout
        self.assertEqual(limits, "|7|\ndaemon|7|0\n")
        if ROOT:
            self.assertIn("Submitted", self.as_daemon("sbatch", "-A", "deep", "-H", "--wrap", "true"))
            self.as_daemon("scancel", "-u", "daemon")
        (c.work / "less").write_text("Cluster - 'said'\nParent - 'root'\nAccount - 'physics'\nParent - 'physics'\nUser - 'root'\nUser - 'daemon'\n")
        refused = c.run("sacctmgr", "-r", "load", "less", check=False)
        self.assertIn("readonly", refused.stderr)
        removed = c.run("sacctmgr", "-i", "load", "less", "clean").stdout
        self.assertIn(" Removed Account deep\n", removed)
        self.assertEqual(c.run("sacctmgr", "-nP", "show", "account", "deep").stdout, "")

    def test_logs_are_where_slurm_conf_says_and_tell_of_gres(self):
        job = self.cluster.sbatch("--gres=gpu:2", "--wrap", "true")
        self.cluster.wait_state(job, "COMPLETED")
        self.cluster.run("sbatch", "--gres=gpu:9", "--wrap", "true", check=False)
        log = (self.logs / "ctld.log").read_text()
        self.assertIn("gres: node n1 registered with gpu:a100:4(IDX:0-3)", log)
        self.assertRegex(log, rf"gres: job {job} of \S+ has gpu:a100:2\(IDX:[0-9,-]+\) of node n1")
        self.assertIn("gres: refused to", log)
        self.assertIn("gres: gpu:a100 index 0", (self.logs / "n1.log").read_text())

    def test_why_says_how_a_job_went_wrong(self):
        c = self.cluster
        job = c.sbatch("-t", "10", "--wrap", "exit 3")
        c.wait_state(job, "FAILED")
        said = c.run("berth", "why", job).stdout
        self.assertIn(f"job {job} failed: its script ended with exit code 3", said)
        self.assertIn("on n1", said)
        job = c.sbatch("--begin=now+2hours", "--wrap", "true")
        self.assertRegex(c.run("berth", "why", job).stdout, r"not to begin yet \(--begin\)\. until 20\d\d-")
        c.run("scancel", job)

    def test_unlimited_is_no_number(self):
        """Neither beside a partition's MaxTime nor when a limit is changed by some minutes."""
        c = self.cluster
        job = c.sbatch("-H", "-p", "small", "-t", "UNLIMITED", "--wrap", "true")
        limit = lambda: re.search(r"TimeLimit=(\S+)", c.run("scontrol", "show", "job", job).stdout)[1]  # noqa: E731
        c.run("scontrol", "update", "PartitionName=small", "MaxTime=60")
        try:
            c.run("scontrol", "release", job)
            c.wait("its reason", lambda: "PartitionTimeLimit" in c.run("squeue", "-h", "-o", "%r").stdout)
            self.assertIn("asks for no time limit; the partition allows at most 01:00:00.\n", c.run("berth", "why", job).stdout)
            for change in "+10", "-10":
                c.run("scontrol", "update", f"JobId={job}", f"TimeLimit={change}", check=False)
                self.assertEqual(limit(), "UNLIMITED")
            c.run("scontrol", "update", f"JobId={job}", "TimeLimit=50")
            c.run("scontrol", "update", f"JobId={job}", "TimeLimit=+10")
            self.assertEqual(limit(), "01:00:00")
            c.wait_state(job, "COMPLETED")
        finally:
            c.run("scontrol", "update", "PartitionName=small", "MaxTime=UNLIMITED")

    @unittest.skipUnless(ROOT, "needs root, to be two users")
    def test_users_do_not_see_the_jobs_of_others(self):
        c = self.cluster
        own = c.run("sbatch", "--parsable", "--wrap", "sleep 60", user="daemon", group="daemon", extra_groups=[]).stdout.strip()
        others = c.sbatch("--wrap", "sleep 60")
        try:
            seen = self.as_daemon("squeue", "-h", "-o", "%i").split()
            self.assertIn(own, seen)
            self.assertNotIn(others, seen)
            self.assertNotIn(others, self.as_daemon("sacct", "-n", "-X", "-P", "-a", "-o", "JobID").split())
            self.assertIn(others, c.run("squeue", "-h", "-o", "%i").stdout.split())
        finally:
            c.run("scancel", own, others)

    def test_a_script_that_ended_in_time_is_no_timeout(self):
        """Its agent is asleep when the limit is over."""
        c = self.cluster
        job = c.sbatch("-t", "1", "--wrap", "sleep 3")
        c.wait_state(job, "RUNNING")
        time.sleep(1)
        agents = [int(p.read_text().split()[0]) for p in c.state.glob("agent*.pid")]
        for pid in agents:
            os.kill(pid, signal.SIGSTOP)
        try:
            c.wait("the limit to be over", lambda: "COMPLETING" in c.run("squeue", "-h", "-o", "%T", "-j", job).stdout, patience=120)
        finally:
            for pid in agents:
                os.kill(pid, signal.SIGCONT)
        c.wait_state(job, "COMPLETED")
        elapsed = c.run("sacct", "-n", "-X", "-P", "-j", job, "-o", "ElapsedRaw").stdout.strip()
        self.assertLess(int(elapsed), 30)


if __name__ == "__main__":
    main()
