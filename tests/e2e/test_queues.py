"""Queues while the cluster runs: quotas given, changed and taken away by `berth queues`, and what it shows."""

import json
import re
import tempfile
import unittest
from datetime import datetime
from pathlib import Path

from cluster import Cluster, main

CONF = """ClusterName=queues
GresTypes=gpu
AccountingStorageEnforce=limits
NodeName=n[1-2] CPUs=8 Gres=gpu:a100:2
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0
"""
YAML = """accounts:
  - {name: lab}
  - {name: vision, parent: lab, users: [root]}
  - {name: speech, parent: lab, users: [root]}
  - {name: guests, users: [games]}
"""
VOLCANO = """apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: lab}
spec: {weight: 8}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: vision}
spec: {parent: lab, deserved: {nvidia.com/gpu: 2, cpu: 4}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: interactive}
spec: {parent: lab, capability: {nvidia.com/gpu: 1}}
"""
CIRCLE = VOLCANO.replace("{weight: 8}", "{parent: vision}")


class Queues(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-queues.")))
        (folder / "slurm.conf").write_text(CONF)
        (folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Type=a100 Count=2\n")
        (folder / "berth.yaml").write_text(YAML)
        self.c = self.enterContext(Cluster(conf=folder / "slurm.conf"))

    def queues(self, *words, **more):
        return self.c.run("berth", "queues", *words, **more)

    def submit(self, account, gpus=2):
        return self.c.sbatch("-A", account, f"--gres=gpu:{gpus}", "-o", "/dev/null", "--wrap", "sleep 600")

    def shown(self):
        """By queue: used, nominal, borrowed, lent; running and waiting jobs."""
        rows = json.loads(self.queues("show", "--json").stdout)
        return {row["name"]: tuple(row["tres"][0].get(key) for key in ("used", "nominal", "borrowed", "lent"))
                + (row["running_jobs"], row["pending_jobs"]) for row in rows}

    def reason(self, job):
        return self.c.run("squeue", "-h", "-j", job, "-o", "%r").stdout.strip()

    def refused(self, says, *words):
        done = self.queues(*words, check=False)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(says, done.stderr)

    def test_quotas_are_given_changed_and_taken_away(self):
        c = self.c
        self.assertRegex(self.queues("show").stdout, r"(?m)^QUEUE +RUNNING +WAITING .*\nguests +0 +0 *\nlab +0 +0 *\n  speech +0 +0 *\n  vision +0 +0 *\n")
        self.assertEqual(self.queues("add", "vision", "nominal=gres/gpu=2").stdout, "queue vision: nominal=gres/gpu=2\n")
        self.queues("add", "Speech", "nominal=gres/gpu=2", "allow_preemption=no")
        running = [self.submit("vision"), self.submit("vision")]
        for job in running:
            c.wait_state(job, "RUNNING")
        waiting = self.submit("vision", 1)
        c.wait("the quota", lambda: self.reason(waiting) == "AssocGrpGRES")
        expected = {"guests": (0, None, 0, 0, 0, 0), "lab": (4, 4, 0, 0, 2, 1), "speech": (0, 2, 0, 2, 0, 0), "vision": (4, 2, 2, 0, 2, 1)}
        self.assertEqual(self.shown(), expected)
        self.assertRegex(self.queues("show", "speech").stdout, r"\n  speech +0 +0 +gres/gpu +0 +2 +0 +- +0 +2 +allow_preemption=no\n")
        # A limit below what runs ends nothing; what was changed survives a controller that dies.
        self.queues("set", "vision", "limit=gres/gpu=3")
        c.kill("berthd")
        c.up()
        self.assertEqual(self.shown(), expected)
        self.assertIn("limit=gres/gpu=3", str(json.loads(self.queues("show", "vision", "--json").stdout)[0]["options"]).replace("', '", "="))
        c.run("scancel", running[0])
        c.wait_state(waiting, "RUNNING")
        last = self.submit("vision", 1)
        c.wait("the limit", lambda: self.reason(last) == "AssocGrpGRES")
        self.queues("set", "vision", "limit=")
        c.wait_state(last, "RUNNING")
        # Without quotas no queue has anything to show.
        self.queues("remove", "vision", "speech")
        free = self.submit("vision", 1)
        c.wait("no quota", lambda: self.reason(free) == "Resources")
        self.assertEqual([row["tres"] for row in json.loads(self.queues("show", "--json").stdout)], [[]] * 4)
        c.run("scancel", "-u", "root")

    def test_who_waits_for_a_quota_has_a_date(self):
        c = self.c
        for queue in ("vision", "speech"):
            self.queues("add", queue, "nominal=gres/gpu=2")
        asked = ("-A", "vision", "-o", "/dev/null")
        first, second = (c.sbatch(*asked, "--gres=gpu:2", "-t", limit, "--wrap", "sleep 600") for limit in ("10", "20"))
        for job in (first, second):
            c.wait_state(job, "RUNNING")
        waiting = c.sbatch(*asked, "--gres=gpu:1", "-t", "30", "--wrap", "sleep 600")
        c.wait("the quota", lambda: self.reason(waiting) == "AssocGrpGRES")
        begun = datetime.now()

        def minutes_until(date):
            return (datetime.fromisoformat(date) - begun).total_seconds() / 60

        date = c.run("squeue", "-h", "-j", waiting, "--start", "-o", "%S").stdout.strip()
        self.assertAlmostEqual(minutes_until(date), 10, delta=2, msg="once the first has given its GPUs back")
        why = c.run("berth", "why", waiting).stdout
        self.assertIn("planned start: " + date, why)
        self.assertIn("tentative: that start uses quota that is lent to its queue", why)
        # Three of four GPUs are then in use: two more have to wait for the second.
        said = c.run("sbatch", "--test-only", *asked, "--gres=gpu:2", "-t", "5", "--wrap", "true", check=False)
        self.assertAlmostEqual(minutes_until(re.search(r"to start at (\S+)", said.stdout + said.stderr)[1]), 20, delta=2)
        c.run("scancel", second)
        c.wait_state(waiting, "RUNNING")
        c.run("scancel", "-u", "root")

    def test_what_other_quotas_would_do_is_tried_on_a_copy(self):
        c = self.c
        for queue in ("vision", "speech"):
            self.queues("add", queue, "nominal=gres/gpu=2")
        self.queues("set", "vision", "limit=gres/gpu=2")
        running, waiting, held = (self.submit("vision") for _ in range(3))
        c.wait_state(running, "RUNNING")
        c.run("scontrol", "hold", held)
        c.wait("the limit", lambda: self.reason(waiting) == "AssocGrpGRES")
        said = self.queues("what-if", "vision", "limit=gres/gpu=4").stdout
        self.assertRegex(said, rf"\A2 jobs wait, 1 would fare otherwise\nJOB +USER +QUEUE +NOW +THEN *\n{waiting} +root +vision +\S+ +at once *\n\Z")
        both = json.loads(self.queues("what-if", "--json", "vision", "limit=gres/gpu=1", "nominal=gres/gpu=1", "speech", "nominal=gres/gpu=3").stdout)
        self.assertEqual(both["waiting"], 2)
        self.assertEqual([(one["job"], one["then"]) for one in both["changes"]], [(waiting, {"starts_now": 0, "reason": "AssocGrpGRES"})])
        removed = self.queues("what-if", "--remove", "vision", "--remove", "speech").stdout
        self.assertIn("at once", removed)
        self.assertEqual(self.queues("what-if", "speech", "nominal=gres/gpu=1").stdout, "2 jobs wait, 0 would fare otherwise\n")
        # Nothing of it has been done, and what is wrong is said as a change would say it.
        self.assertEqual(self.reason(waiting), "AssocGrpGRES")
        for words, says in {("vision",): "say what would change of queue vision", ("limit=gres/gpu=1",): "should follow the name of a queue",
                            ("nosuch", "limit=cpu=1"): "there is no account nosuch", (): "say what would change",
                            ("--remove", "guests"): "queue guests has no quota", ("vision", "nominal=gres/gpu=3"): "above its limit, 2"}.items():
            self.refused(says, "what-if", *words)
        # The change itself does what was said.
        self.queues("set", "vision", "limit=gres/gpu=4")
        c.wait_state(waiting, "RUNNING")
        c.run("scancel", "-u", "root")

    def test_queues_of_volcano_are_imported(self):
        c = self.c
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-import.")))
        file, circle = str(folder / "volcano.yaml"), str(folder / "circle.yaml")
        Path(file).write_text(VOLCANO)
        Path(circle).write_text(CIRCLE)
        done = self.queues("import", file)
        self.assertEqual(done.stdout, f"# From {file}, by `berth queues import`.\n"
                         "accounts:\n  - {name: lab, shares: 8}\n  - {name: vision, parent: lab}\n  - {name: interactive, parent: lab}\n"
                         "queues:\n  vision: {nominal: 'cpu=4,gres/gpu=2'}\n  interactive: {limit: 'gres/gpu=1'}\n")
        self.assertIn(f"berth: {file}:4: warning: spec of Queue lab: weight: divides in Volcano", done.stderr)
        # Nothing has happened yet; a file that is wrong changes nothing either, and prints nothing.
        self.assertEqual([row["options"] for row in json.loads(self.queues("show", "--json").stdout)], [[]] * 4)
        for words in (("import", circle), ("import", "--apply", circle)):
            self.refused(f"{circle}:9: error: the queue vision is above itself", *words)
            self.assertEqual(self.queues(*words, check=False).stdout, "")
        self.refused("cannot read /nosuch.yaml", "import", "/nosuch.yaml")
        self.assertEqual(self.queues("import", "--apply", file).stdout,
                         "account lab: parent=root shares=8\naccount interactive: parent=lab shares=1\n"
                         "queue vision: nominal=cpu=4,gres/gpu=2\nqueue interactive: limit=gres/gpu=1\n")
        self.assertEqual(self.queues("import", "--apply", file).stdout, "nothing changes: the cluster has these queues\n")
        # The new account is one, under its limit.
        c.run("sacctmgr", "-i", "add", "user", "root", "account=interactive")
        running, waiting = self.submit("interactive", 1), self.submit("interactive", 1)
        c.wait_state(running, "RUNNING")
        c.wait("the limit", lambda: self.reason(waiting) == "AssocGrpGRES")
        c.run("scancel", "-u", "root")
        # An account that lies elsewhere is not moved.
        Path(file).write_text(VOLCANO.replace("{name: interactive}", "{name: guests}"))
        self.refused("account guests lies beneath root, and not beneath lab; right would be: sacctmgr modify account guests set parent=lab",
                     "import", "--apply", file)

    def test_what_is_wrong_changes_nothing(self):
        self.refused("there is no account nosuch, and a queue is an account; add it first: sacctmgr add account nosuch",
                     "add", "nosuch", "nominal=cpu=1")
        self.refused("queue vision has no quota yet; give it one with `berth queues add`", "set", "vision", "nominal=cpu=1")
        self.refused("there is no option weight of a queue; there are nominal", "add", "vision", "weight=2")
        self.refused("cpu should be OPTION=VALUE, like nominal=gres/gpu=8", "add", "vision", "cpu")
        self.refused("names gres/tpu, which this cluster does not have", "add", "vision", "nominal=gres/tpu=1")
        self.refused("nothing would be set of queue vision", "add", "vision", "nominal=")
        self.queues("add", "vision", "nominal=gres/gpu=2", "guarantee=gres/gpu=1")
        self.refused("queue vision has a quota already", "add", "vision", "nominal=cpu=1")
        self.refused("its nominal quota of gres/gpu, 2, is above its limit, 1", "set", "vision", "limit=gres/gpu=1")
        self.refused("guarantees of gres/gpu add up to 5 (1 of vision, 4 of speech), above what the cluster has, 4",
                     "add", "speech", "nominal=gres/gpu=4", "guarantee=gres/gpu=4")
        self.refused("nothing would be set", "set", "vision", "nominal=", "guarantee=")
        self.refused("queue guests has no quota", "remove", "guests")
        self.refused("there is no queue nosuch", "show", "nosuch")
        rows = json.loads(self.queues("show", "--json").stdout)
        self.assertEqual([row["name"] for row in rows if row["options"]], ["vision"])


if __name__ == "__main__":
    main()
