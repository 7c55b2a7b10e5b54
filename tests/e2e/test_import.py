"""berth import slurm: a Slurm site's files become a cluster here, and what differs is said at file and line."""

import os
import random
import re
import shutil
import signal
import unittest
from pathlib import Path

from cluster import Cluster, main

SITE = Path(__file__).resolve().parents[1] / "data/slurm_site"
ROOT = os.geteuid() == 0


class Import(unittest.TestCase):
    def site(self, c):
        """The site's files in a folder of the cluster's, with its work folder as theirs."""
        site = c.root / "site"
        shutil.copytree(SITE, site)
        (site / "jobs").write_text((site / "jobs").read_text().replace("WORK", str(c.work)))
        return site

    def words(self, site, *others, jobs=ROOT):
        words = ["berth", "import", "slurm", f"--conf={site}/conf"]
        words += [f"--{option}={site}/{name}" for option, name in (
            ("sacctmgr-dump", "accounts"), ("qos", "qos"), ("reservations", "reservations"), ("usage", "usage"))]
        if jobs:
            words += ["--state=jobs", f"--jobs={site}/jobs", f"--owners={site}/owners"]
        return words + list(others)

    def test_it_says_what_differs_and_changes_nothing(self):
        c = Cluster()
        try:
            site = self.site(c)
            done = c.run(*self.words(site, jobs=True), check=False)
            self.assertEqual(done.returncode, 1, done.stdout)
            for line in (
                    "slurm.conf:3: warning: AuthType=auth/munge has no effect: it configures a part of Slurm that Berth replaces",
                    "slurm.conf:4: warning: SlurmdTimeout: a node that is silent for so long takes no new work",
                    f"{site}/accounts:5: error: GrpTRESRunMins is not supported yet: GrpTRESRunMins=cpu=1000; instead: fair share, or a queue with a quota",
                    f"{site}/reservations:2: error: reservation course: flag MAGNETIC is not supported yet",
                    f"{site}/reservations:3: warning: reservation past: it has ended and is left out",
                    f"{site}/usage:9: error: user gone is not in account physics: the usage of 100 s is lost",
                    f"{site}/jobs:3: error: job 9 (games, bash): it has no script: its owner calls srun or salloc again",
                    f"{site}/jobs:4: warning: job 10 (games, long): it runs: it stays with Slurm until it ends"):
                self.assertIn(line, done.stdout)
            self.assertRegex(done.stdout, r"\n2 nodes, 1 partitions, 2 QOS, 2 accounts, 4 users in accounts, 2 reservations, usage of 4 users, "
                                          r"2 jobs; 4 errors, \d+ warnings and notes\n$")
            self.assertIn("nothing was changed: correct what the errors name, or add --lenient to leave it out", done.stderr)
            self.assertFalse(c.state.exists())
            lenient = c.run(*self.words(site, "--lenient"))
            self.assertEqual(lenient.stderr, "")
            no_controller = c.run(*self.words(site, "--lenient", "--apply"), check=False)
            self.assertEqual(no_controller.returncode, 1)
            self.assertIn("--apply needs a controller that runs; --new-cluster=DIR starts one", no_controller.stderr)
        finally:
            c.__exit__()

    def test_a_new_cluster_has_all_of_it(self):
        c = Cluster()
        try:
            site = self.site(c)
            done = c.run(*self.words(site, "--lenient", f"--new-cluster={c.state}"))
            self.assertTrue(done.stdout.endswith("imported\n"), done.stdout)
            self.assertRegex(c.run("scontrol", "show", "config").stdout, r"(?m)^ClusterName\s+= lab$")
            self.holds(c)
            if ROOT:
                self.runs_the_jobs(c, done.stdout)
            again = c.run(*self.words(site, "--lenient", "--apply"))
            self.assertIn("reservation maint is there already", again.stdout)
            self.assertIn("0 accounts, 0 users in accounts", again.stdout)
            self.holds(c, usage=False)
            if ROOT:
                moved = re.findall(r"^job \d+ of \w+ is job \d+$", done.stdout, re.M)
                self.assertEqual(re.findall(r"^job \d+ of \w+ is job \d+$", again.stdout, re.M), moved, "they stay the jobs that they are")
        finally:
            c.__exit__()

    def holds(self, c, usage=True):
        shown = lambda *command: c.run(*command).stdout.splitlines()
        self.assertEqual(shown("sacctmgr", "-nP", "show", "qos", "format=Name,Priority,MaxWall,MaxTRESPU,Preempt,Flags,GraceTime"),
                         ["normal|10|||||00:00:00", "high|100|02:00:00|gres/gpu=4|normal|DenyOnLimit|00:00:30"])
        accounts = shown("sacctmgr", "-nP", "show", "assoc", "format=Account,User,Share,GrpTRES,MaxJobs,MaxSubmit")
        self.assertIn("physics||60|cpu=64,gres/gpu=8|10|", accounts)
        self.assertIn("physics|daemon|3||10|7", accounts)
        self.assertIn("physics|games|5||10|", accounts)
        self.assertIn("bio||40|||", accounts)
        qos = dict(line.split("|") for line in shown("sacctmgr", "-nP", "show", "assoc", "format=User,QOS"))
        self.assertEqual({user: set(qos[user].split(",")) for user in ("daemon", "games", "news")},
                         {"daemon": {"normal"}, "games": {"high", "normal"}, "news": {"high", "normal"}})
        self.assertIn("games|physics|Operator", shown("sacctmgr", "-nP", "show", "user", "format=User,DefaultAccount,AdminLevel"))
        if usage:
            self.assertIn("physics|daemon|3600", [line.strip() for line in shown("sshare", "-a", "-nP", "-o", "Account,User,RawUsage")])
        reservations = c.run("scontrol", "show", "reservation", "-o").stdout
        self.assertIn("ReservationName=maint StartTime=2099-01-01T08:00:00 EndTime=2099-01-01T12:00:00", reservations)
        self.assertIn("ReservationName=course", reservations)
        self.assertNotIn("ReservationName=past", reservations)

    def runs_the_jobs(self, c, said):
        moved = dict(re.findall(r"^job (\d+) of \w+ is job (\d+)$", said, re.M))
        self.assertEqual(sorted(moved), ["7", "8"])
        c.wait_state(moved["8"], "COMPLETED")
        ran = (c.work / "ran-7").read_text().split()
        self.assertEqual(ran, ["games", "normal", "one", "two"])
        self.assertEqual((c.work / "ran-8").read_text(), "news\n")
        shown = c.run("sacct", "-nP", "-X", "-j", moved["7"], "-o", "JobName,User,Account,TimelimitRaw").stdout
        self.assertEqual(shown, "train it|games|physics|10\n", "what the record says wins over the script")

    @unittest.skipUnless(ROOT, "SKIPPED: jobs of other users are submitted by root")
    def test_jobs_that_run_begin_again_and_are_held(self):
        c = Cluster()
        try:
            site = self.site(c)
            words = self.words(site, "--lenient", f"--new-cluster={c.state}")
            words[words.index("--state=jobs")] = "--state=running"
            done = c.run(*words)
            number = re.search(r"^job 10 of games is job (\d+)$", done.stdout, re.M)[1]
            self.assertEqual(c.run("squeue", "-h", "-j", number, "-o", "%u %T %r").stdout, "games PENDING JobHeldUser\n")
        finally:
            c.__exit__()

    @unittest.skipUnless(ROOT, "SKIPPED: jobs of other users are submitted by root")
    def test_nobody_becomes_root_by_a_record(self):
        c = Cluster()
        try:
            site = self.site(c)
            text = (site / "jobs").read_text()
            first = text.splitlines()[0]
            forged = first.replace("UserId=games(5)", "UserId=root(0)")
            for name, wrong in (("JobName=train it", "JobName=x UserId=root(0)"), ("MailType=NONE", f"MailType=NONE\n{forged}"),
                                ("UserId=games(5)", "UserId=root(0)"), ("UserId=games(5)", "UserId=games(0)")):
                (site / "jobs").write_text(text.replace(name, wrong, 1))
                done = c.run(*self.words(site, "--lenient", *(["--apply"] if c.state.exists() else [f"--new-cluster={c.state}"])), check=False)
                self.assertNotRegex(done.stdout, r"(?m)^job 7 of \w+ is job", wrong)
            self.assertEqual(c.run("squeue", "-h", "-t", "all", "-u", "root").stdout, "")
        finally:
            c.__exit__()

    def test_damaged_files_are_refused_or_read(self):
        rng = random.Random(7)
        c = Cluster()
        try:
            site = self.site(c)
            whole = {name: (site / name).read_bytes() for name in ("accounts", "qos", "reservations", "usage", "jobs", "owners")}
            for _ in range(30):
                for name, text in whole.items():
                    damaged = bytearray(text)
                    for _ in range(rng.randrange(3)):
                        at = rng.randrange(len(damaged))
                        damaged[at:at + rng.randrange(40)] = bytes(rng.randrange(256) for _ in range(rng.randrange(3)))
                    (site / name).write_bytes(damaged)
                done = c.run(*self.words(site, jobs=True), check=False, errors="replace")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertIn(" nodes, ", done.stdout)
            for option in ("qos", "reservations"):
                folder = c.run("berth", "import", "slurm", f"--conf={site}/conf", f"--{option}={site}", check=False)
                self.assertEqual((folder.returncode, folder.stderr), (1, f"berth: {site} is a directory; it should be a file\n"))
            # What is below a line without meaning is about something else: no whole file is left out.
            (site / "accounts").write_text("Cluster - 'lab'\nParent - 'gone'\nAccount - 'bio'\n")
            unread = c.run("berth", "import", "slurm", "--lenient", f"--conf={site}/conf", f"--sacctmgr-dump={site}/accounts", check=False)
            self.assertEqual(unread.returncode, 1)
            self.assertIn("nothing was changed: a file cannot be read, and --lenient does not leave out whole files", unread.stderr)
            missing = c.run("berth", "import", "slurm", f"--conf={site}/conf", f"--qos={site}/nowhere", check=False)
            self.assertEqual((missing.returncode, missing.stderr), (1, f"berth: cannot read {site}/nowhere\n"))
        finally:
            c.__exit__()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
