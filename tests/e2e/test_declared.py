"""What administrators declare while the cluster runs: reservations, licences, limits, accounts; and what users see of it."""

import json
import re
import tempfile
import time
import unittest
from pathlib import Path

from cluster import PATIENCE, Cluster, main

CONF = """ClusterName=declared
GresTypes=gpu
Licenses=matlab:2
SchedulerParameters=bf_max_job_user=50,bf_resolution=60
NodeName=n1 CPUs=8 Gres=gpu:a100:4
NodeName=n2 CPUs=8 Gres=gpu:a100:4
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0
"""


class Declared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e-conf.")))
        (folder / "slurm.conf").write_text(CONF)
        (folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Type=a100 Count=4\n")
        cls.cluster = cls.enterClassContext(Cluster(conf=folder / "slurm.conf"))

    def tearDown(self):
        c = self.cluster
        c.run("scancel", "-u", "root", check=False)
        deadline = time.monotonic() + PATIENCE
        while c.run("squeue", "-h").stdout and time.monotonic() < deadline:
            time.sleep(0.1)

    def squeue(self, job, what):
        return self.cluster.run("squeue", "-h", "-j", job, "-o", what).stdout.strip()

    def wait_for(self, what, seen):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            last = seen()
            if last == what:
                return
            time.sleep(0.1)
        self.fail(f"{last!r}, not {what!r}\n{self.cluster.log_ends()}")

    def test_a_reservation_keeps_its_nodes(self):
        c = self.cluster
        c.run("scontrol", "create", "reservation", "ReservationName=course", "StartTime=now", "Duration=60", "Nodes=n1", "Users=root")
        try:
            self.assertIn("course", c.run("sinfo", "-T").stdout)
            self.wait_for(["n1 resv", "n2 idle"], lambda: c.run("sinfo", "-h", "-N", "-o", "%N %t").stdout.split("\n")[:2])
            self.assertIn("State=IDLE+RESERVED", c.run("scontrol", "show", "node", "n1").stdout)
            shown = json.loads(c.run("scontrol", "--json", "show", "reservation", "course").stdout)["reservations"]
            self.assertEqual([(one["name"], one["node_list"], one["users"]) for one in shown], [("course", "n1", "root")])
            self.assertIn("Requested reservation is invalid", c.run("scontrol", "--json", "show", "reservation", "none", check=False).stderr)
            outside = c.sbatch("-N2", "-t", "5", script="sleep 60")
            self.wait_for("ReqNodeNotAvail, May be reserved for other job", lambda: self.squeue(outside, "%r"))
            inside = c.sbatch("--reservation=course", "-t", "5", "--gres=gpu:4", script="sleep 60")
            c.wait_state(inside, "RUNNING")
            self.assertEqual(self.squeue(inside, "%N"), "n1")
            self.assertEqual(c.run("squeue", "-h", "-R", "course", "-o", "%i").stdout.strip(), inside)
            refused = c.run("scontrol", "delete", "reservation=course", check=False)
            self.assertNotEqual(refused.returncode, 0)
            c.run("scancel", inside)
            c.wait_state(inside, "CANCELLED")
        finally:
            self.wait_for(0, lambda: c.run("scontrol", "delete", "reservation=course", check=False).returncode)
        c.wait_state(outside, "RUNNING")
        self.assertIn("No reservations", c.run("sinfo", "-T").stdout)

    def test_licences_are_counted_and_an_update_changes_them(self):
        c = self.cluster
        first = c.sbatch("-L", "matlab:2", "-t", "5", script="sleep 60")
        c.wait_state(first, "RUNNING")
        self.assertIn("Total=2 Used=2 Free=0", c.run("scontrol", "show", "licenses").stdout)
        shown = json.loads(c.run("scontrol", "show", "licenses", "--json").stdout)["licenses"]
        self.assertEqual([(one["LicenseName"], one["Total"], one["Used"]) for one in shown], [("matlab", 2, 2)])
        second = c.sbatch("-L", "matlab:1", "-t", "5", script="true")
        self.wait_for("(Licenses)", lambda: self.squeue(second, "%R"))
        self.assertEqual(c.run("squeue", "-h", "-L", "matlab", "-o", "%i").stdout.split(), [second, first])
        why = c.run("berth", "why", second).stdout
        self.assertIn("It asks for 1 license matlab; 0 of 2 are free.", why)
        self.assertRegex(c.run("squeue", "--start", "-h", "-j", second).stdout, r"PD \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
        c.run("scontrol", "update", f"JobId={second}", "Licenses=")
        c.wait_state(second, "COMPLETED")

    def test_accounts_and_limits_by_sacctmgr(self):
        c = self.cluster
        c.run("sacctmgr", "-i", "add", "account", "physics", "GrpTRES=gres/gpu=4")
        c.run("sacctmgr", "-i", "add", "user", "root", "account=physics", "MaxJobs=2")
        shown = c.run("sacctmgr", "-n", "-P", "show", "assoc", "account=physics", "format=account,user,grptres,maxjobs").stdout
        self.assertIn("physics||gres/gpu=4|", shown)
        self.assertIn("physics|root||2", shown)
        first = c.sbatch("-A", "physics", "--gres=gpu:3", "-t", "5", script="sleep 60")
        c.wait_state(first, "RUNNING")
        second = c.sbatch("-A", "physics", "--gres=gpu:2", "-t", "5", script="true")
        self.wait_for("(AssocGrpGRES)", lambda: self.squeue(second, "%R"))
        self.assertIn("account physics allows 4 gres/gpu; it asks for 2, and 3 are in use.", c.run("berth", "why", second).stdout)
        c.run("sacctmgr", "-i", "modify", "account", "physics", "set", "GrpTRES=gres/gpu=8")
        c.wait_state(second, "COMPLETED")
        c.run("scancel", first)
        self.wait_for("", lambda: c.run("squeue", "-h").stdout)  # Until its nodes are clean.
        c.run("sacctmgr", "-i", "delete", "user", "root", "account=physics")
        c.run("sacctmgr", "-i", "delete", "account", "physics")

    def test_an_update_changes_what_a_waiting_job_asks_for(self):
        c = self.cluster
        job = c.sbatch("-H", "-t", "30", script="true")
        c.run("scontrol", "update", f"JobId={job}", "NumNodes=2", "TimeMin=10", "Switches=1@5:00", "Deadline=now+2hours")
        shown = c.run("scontrol", "show", "job", job).stdout
        for part in ("TimeMin=00:10:00", "Switches=1@00:05:00", "NumNodes=2"):
            self.assertIn(part, shown)
        wrong = c.run("scontrol", "update", f"JobId={job}", "Features=nosuch", check=False)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("Invalid feature specification", wrong.stdout + wrong.stderr)
        c.run("scontrol", "release", job)
        c.wait_state(job, "COMPLETED")

    def test_sdiag_counts(self):
        c = self.cluster
        def counts():
            return {key: int(n) for key, n in re.findall(r"^Jobs (\w+): +(\d+)$", c.run("sdiag").stdout, re.M)}
        before = counts()
        good = c.sbatch(script="true")
        bad = c.sbatch(script="false")
        held = c.sbatch("-H", script="true")
        c.run("scancel", held)
        c.wait_state(good, "COMPLETED")
        c.wait_state(bad, "FAILED")
        after = counts()
        self.assertEqual({key: after[key] - before[key] for key in ("submitted", "started", "completed", "canceled", "failed")},
                         {"submitted": 3, "started": 2, "completed": 2, "canceled": 1, "failed": 0})
        text = c.run("sdiag", "-i").stdout
        self.assertRegex(text, r"REQUEST_SUBMIT_BATCH_JOB +\( 4003\) count:\d+ +ave_time:\d+ +total_time:\d+")
        self.assertRegex(text, r"\troot +\( +0\) count:")
        self.assertGreater(int(re.search(r"Total cycles: (\d+)", text)[1]), 0)
        self.assertEqual(c.run("sdiag", "-r").stdout, "Reset scheduling statistics\n")
        self.assertEqual(counts()["submitted"], 0)

    def test_the_configuration_names_what_has_no_effect(self):
        said = self.cluster.run("berth", "config", "check", str(self.cluster.state / "etc/slurm.conf"), check=False)
        self.assertIn("bf_resolution=60 has no effect: planned starts are exact", said.stdout + said.stderr)


if __name__ == "__main__":
    main()
