"""Slurm's everyday rest: suspend, resume, notify, top, partitions and nodes as administrators change them, on real processes."""

import os
import pwd
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from cluster import BIN, Cluster, main

CONF = """ClusterName=everyday
GresTypes=gpu
SchedulerParameters=enable_user_top
AccountingStorageTRES=gres/gpu
NodeName=n1 CPUs=8 Gres=gpu:a100:4 Features=a100
NodeName=n2 CPUs=8 Gres=gpu:a100:4 Features=a100
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0
"""
TREE = "SwitchName=leaf1 Nodes=n1\nSwitchName=leaf2 Nodes=n2\nSwitchName=top Switches=leaf[1-2]\n"


class Everyday(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e-conf.")))
        (folder / "slurm.conf").write_text(CONF + "TopologyPlugin=topology/tree\n")
        (folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Type=a100 Count=4\n")
        (folder / "topology.conf").write_text(TREE)
        cls.cluster = cls.enterClassContext(Cluster(conf=folder / "slurm.conf"))

    def tearDown(self):
        self.cluster.run("scancel", "-u", "root", check=False)
        self.cluster.wait_all_done()

    def shown(self, *what):
        """Key=value pairs of scontrol show."""
        text = self.cluster.run("scontrol", "-o", "show", *what).stdout
        return dict(re.findall(r"(\S+?)=(\S*)", text))

    def count(self, name="count"):
        try:
            return int((self.cluster.work / name).read_text() or 0)
        except (FileNotFoundError, ValueError):
            return 0

    def moves(self, name="count"):
        before = self.count(name)
        time.sleep(0.5)
        return self.count(name) != before

    def start_counting(self, *options, name="count"):
        job = self.cluster.sbatch(*options, script=f"i=0; while :; do i=$((i+1)); echo $i > {name}; sleep 0.01; done")
        self.cluster.wait("the script to count", lambda: self.count(name) > 3)
        return job

    def test_a_suspended_job_stands_still_and_goes_on(self):
        c = self.cluster
        job = self.start_counting("-t", "10", "--gres=gpu:4", "-w", "n1")
        c.run("scontrol", "suspend", job)
        c.wait("it to stand still", lambda: not self.moves())
        self.assertEqual(c.run("squeue", "-h", "-j", job, "-o", "%t %T").stdout.strip(), "S SUSPENDED")
        ran = self.shown("job", job)
        self.assertEqual(ran["JobState"], "SUSPENDED")
        self.assertRegex(ran["SuspendTime"], r"^\d{4}-")
        time.sleep(1.2)
        self.assertEqual(self.shown("job", job)["RunTime"], ran["RunTime"])
        self.assertEqual(c.state_of(job), "SUSPENDED")
        other = c.sbatch("--gres=gpu:4", "-w", "n1", "-t", "1", script="true")  # Its GPUs stay its own.
        time.sleep(0.5)
        self.assertEqual(c.state_of(other), "PENDING")
        c.run("scontrol", "resume", job)
        c.wait("it to go on", self.moves)
        self.assertEqual(c.state_of(job), "RUNNING")
        stood = c.run("sacct", "-n", "-P", "-X", "-j", job, "-o", "Suspended").stdout.strip()
        self.assertRegex(stood, r"^00:00:0[1-9]$|^00:00:[1-5]\d$")
        again = c.run("scontrol", "resume", job, check=False)
        self.assertEqual((again.returncode, again.stderr), (1, f"Job is not suspended for job {job}\n"))

    def test_a_suspended_job_can_be_cancelled_and_outlives_its_agent(self):
        c = self.cluster
        job = self.start_counting(name="count2")
        c.run("scontrol", "suspend", job)
        c.wait("it to stand still", lambda: not self.moves("count2"))
        c.kill("berthd")
        c.up()
        self.assertEqual(c.state_of(job), "SUSPENDED")
        time.sleep(0.5)
        self.assertFalse(self.moves("count2"))
        c.run("scancel", job)
        c.wait_state(job, "CANCELLED")
        c.wait("its end", lambda: not self.moves("count2"))  # Let go on for TERM, it may count a little.

    @unittest.skipUnless(os.geteuid() == 0, "only root runs other users' jobs")
    def test_users_do_not_suspend(self):
        nobody = pwd.getpwnam("nobody")
        job = self.cluster.sbatch("--wrap", "sleep 60")
        self.cluster.wait_state(job, "RUNNING")
        for command in (["suspend", job], ["create", "PartitionName=mine", "Nodes=n1"]):
            done = subprocess.run([str(BIN / "scontrol"), *command], env=self.cluster.environment(), user=nobody.pw_uid,
                                  group=nobody.pw_gid, extra_groups=[], text=True, capture_output=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("Access/permission denied", done.stderr)

    def test_a_notice_reaches_the_scripts_standard_error(self):
        c = self.cluster
        job = c.sbatch("-e", "notice.err", script="sleep 60")
        c.wait_state(job, "RUNNING")
        c.run("scontrol", "notify", job, "save", "now")
        c.wait("the notice", lambda: (c.work / "notice.err").exists() and
               (c.work / "notice.err").read_text() == "slurmstepd: error: save now\n")
        waiting = c.sbatch("-H", "--wrap", "true")
        told = c.run("scontrol", "notify", waiting, "x", check=False)
        self.assertEqual((told.returncode, told.stderr), (1, "job notify failure: Requested operation is presently disabled\n"))

    def test_top_changes_the_order_of_a_users_jobs(self):
        c = self.cluster
        holder = c.sbatch("-N2", "--exclusive", "--wrap", "sleep 600")
        c.wait_state(holder, "RUNNING")
        jobs = [c.sbatch("-N2", "--exclusive", "-t", "1", "--wrap", "sleep 600") for _ in range(3)]
        c.wait("priorities", lambda: c.run("squeue", "-h", "-t", "PD", "-o", "%Q").stdout.split() == ["1"] * 3)
        c.run("scontrol", "top", f"{jobs[2]},{jobs[1]}")
        c.wait("the other order", lambda: c.run("squeue", "-h", "-t", "PD", "-S", "-p", "-o", "%i").stdout.split() == jobs[::-1])
        c.run("scancel", holder)
        c.wait_state(jobs[2], "RUNNING")

    def test_partitions_come_and_go_and_outlive_a_restart(self):
        c = self.cluster
        self.assertEqual(c.run("scontrol", "create", "PartitionName=night", "Nodes=n2", "MaxTime=60", "State=UP").stdout, "")
        try:
            night = self.shown("partition", "night")
            self.assertEqual((night["Nodes"], night["MaxTime"], night["State"]), ("n2", "01:00:00", "UP"))
            job = c.sbatch("-p", "night", script="sleep 60")
            c.wait_state(job, "RUNNING")
            self.assertEqual(self.shown("job", job)["NodeList"], "n2")
            busy = c.run("scontrol", "delete", "PartitionName=night", check=False)
            self.assertEqual(busy.returncode, 1)
            self.assertTrue(busy.stderr.startswith("delete_partition PartitionName=night: Partition is in use\n"), busy.stderr)
            c.run("scontrol", "update", "PartitionName=night", "State=DOWN", "Nodes+=n1")
            waits = c.sbatch("-p", "night", script="true")
            c.wait("it to wait", lambda: c.run("squeue", "-h", "-j", waits, "-o", "%r").stdout.strip() == "PartitionDown")
            c.kill("berthd")
            c.up()
            night = self.shown("partition", "night")
            self.assertEqual((night["Nodes"], night["State"]), ("n[1-2]", "DOWN"))
            c.run("scontrol", "update", "PartitionName=night", "State=UP")
            c.wait_state(waits, "COMPLETED")
        finally:
            c.run("scancel", "-p", "night", check=False)
            c.wait_all_done()
            c.run("scontrol", "delete", "PartitionName=night")
        self.assertNotIn("night", c.run("sinfo", "-h").stdout)

    def test_partitions_refuse_in_slurms_words(self):
        for words, said in (
            (["create", "PartitionName=main", "Nodes=n1"], "Error creating the partition: Invalid partition name specified\n"),
            (["update", "PartitionName=nope", "State=UP"], "slurm_update error: Invalid partition name specified\n"),
            (["update", "PartitionName=main", "Nodes=nonode"], "slurm_update error: Invalid node name specified\n"),
            (["update", "PartitionName=main", "MaxTime=abc"], "scontrol: error: Invalid input MaxTime=abc\nslurm_update error: No error\n"),
            (["update", "PartitionName=main"], "scontrol: error: No changes specified\n"),
            (["delete", "PartitionName=nope"], "delete_partition PartitionName=nope: Invalid partition name specified\n"),
        ):
            with self.subTest(words):
                done = self.cluster.run("scontrol", *words, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stderr.startswith(said), done.stderr)

    def test_a_nodes_features_weight_and_words_are_changed(self):
        c = self.cluster
        c.run("scontrol", "update", "NodeName=n2", "Features=h100,ib", "Weight=7", "Comment=new fan", "Extra=rack 3")
        try:
            text = c.run("scontrol", "show", "node", "n2").stdout
            for part in ("AvailableFeatures=h100,ib", "Weight=7", "Comment=new fan", "Extra=rack 3"):
                self.assertIn(part, text)
            job = c.sbatch("-C", "h100", script="true")
            c.wait_state(job, "COMPLETED")
            self.assertEqual(self.shown("job", job)["NodeList"], "n2")
        finally:
            c.run("scontrol", "update", "NodeName=n2", "Features=a100", "Weight=1", "Comment=", "Extra=")

    def test_sbcast_puts_a_file_on_the_nodes_of_its_job(self):
        c = self.cluster
        source, there = c.work / "source", c.work / "there"
        source.write_bytes(os.urandom(3_000_000))
        source.chmod(0o640)
        os.utime(source, (1_000_000_000, 981_173_106))
        script = f"sbcast {source} {there}; echo $?; sbcast {source} {there}; echo $?; sbcast -f -p {source} {there}; echo $?"
        job = c.sbatch("-N1", "--gres=gpu:4", "-o", "sbcast.out", "-e", "sbcast.err", script=script)
        c.wait_state(job, "COMPLETED")
        node = self.shown("job", job)["NodeList"]
        self.assertEqual(c.output(job, "sbcast.out").split(), ["0", "17", "0"])
        self.assertEqual(c.output(job, "sbcast.err"), f"sbcast: error: REQUEST_FILE_BCAST({node}): File exists\n")
        self.assertEqual(there.read_bytes(), source.read_bytes())
        self.assertEqual((there.stat().st_mode & 0o777, int(there.stat().st_mtime)), (0o640, 981_173_106))
        both = c.sbatch("-N2", script=f"sbcast -f {source} {c.work}/on.both; echo $?")  # They share this folder.
        c.wait_state(both, "COMPLETED")
        self.assertEqual(c.output(both).split(), ["0"])
        for words, said, code in (
            (["sbcast"], "Need two file names, have 0 names\n", 1),
            (["sbcast", "a", "b"], "sbcast: error: Need a job id to run this command.", 1),
            (["sbcast", "-j", job, str(source), "x/"], "sbcast: error: Target filename cannot be a directory.\n", 1),
            (["sbcast", "-j", job, "/nope", "x"], "sbcast: error: Can't open `/nope`: No such file or directory\n", 255),
            (["sbcast", "-j", job, str(source), "x"], f"sbcast: error: Slurm job {job} is completed, not running\n", 1),
        ):
            with self.subTest(words):
                done = c.run(*words, check=False)
                self.assertEqual(done.returncode, code)
                self.assertTrue(done.stderr.startswith(said), done.stderr)

    def test_a_job_whose_output_cannot_be_opened_fails_and_is_not_held(self):
        c = self.cluster
        for option in ("-o", "-e", "-i"):
            with self.subTest(option):
                job = c.sbatch(option, "/nope/file", script="touch ran")
                c.wait_state(job, "FAILED")
                self.assertEqual(self.shown("job", job)["ExitCode"], "0:53")
                self.assertEqual(c.states(job), {job: "FAILED", f"{job}.batch": "CANCELLED"})
        self.assertFalse((c.work / "ran").exists())

    def test_no_masks_are_claimed_where_cores_are_not_pinned(self):
        job = self.cluster.sbatch("-n1", script="SLURM_CPU_BIND=quiet,mask_cpu:0x1 srun env; env")
        self.cluster.wait_state(job, "COMPLETED")
        self.assertNotIn("SLURM_CPU_BIND", self.cluster.output(job))

    def test_the_topology_is_shown(self):
        self.assertEqual(self.cluster.run("scontrol", "show", "topology").stdout,
                         "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n1\nSwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n2\n"
                         "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-2] Switches=leaf[1-2]\n")
        self.assertEqual(self.cluster.run("scontrol", "show", "topology", "n2").stdout.count("SwitchName="), 2)

    def test_assoc_mgr_shows_limits_and_what_is_used(self):
        c = self.cluster
        c.run("sacctmgr", "-i", "add", "account", "bio")
        limits = {"GrpJobs": "3", "GrpTRES": "cpu=10", "GrpTRESMins": "cpu=600", "GrpWall": "1:00:00"}
        c.run("sacctmgr", "-i", "add", "user", "root", "account=bio", *(f"{name}={value}" for name, value in limits.items()))
        none = {"GrpTRES": "cpu=-1", "GrpTRESMins": "cpu=-1"}
        self.addCleanup(c.run, "sacctmgr", "-i", "modify", "user", "root", "set", *(f"{name}={none.get(name, -1)}" for name in limits))
        job = c.sbatch("-A", "bio", "-c2", "--gres=gpu:1", script="sleep 60")
        c.wait_state(job, "RUNNING")
        text = c.run("scontrol", "show", "assoc_mgr", "users=root", "accounts=bio", "flags=assoc").stdout
        own = text[text.index("UserName=root(0)"):]
        self.assertRegex(own, r"GrpJobs=3\(1\) GrpSubmitJobs=N\(1\) GrpWall=60\(0\.\d\d\)\n")
        self.assertRegex(own, r"GrpTRESMins=cpu=600\(0\),mem=N\(\d+\),node=N\(0\)")
        self.assertRegex(own, r"GrpTRES=cpu=10\(2\),mem=N\(\d+\),node=N\(1\),billing=N\(\d+\),gres/gpu=N\(1\)")
        self.assertIn("QOS=normal(1)", c.run("scontrol", "show", "assoc_mgr", "flags=qos").stdout)
        wrong = c.run("scontrol", "show", "assoc_mgr", "foo=1", check=False)
        self.assertEqual((wrong.returncode, wrong.stderr), (1, "invalid entity: foo=1 for keyword:show assoc_mgr\n"))


if __name__ == "__main__":
    main()
