#!/usr/bin/env python3
"""A comparison that was kept gives the same outputs again."""

import tempfile
import unittest
from pathlib import Path

from compare import Side
from kept import Done, Keeping, keep, kept_sides


class Cluster:
    """Counts what it is asked, and says where it lives."""

    def __init__(self, folder):
        self.work, self.root, self.mails, self.calls = folder / "work", folder, folder / "mails", 0
        self.mails.mkdir(parents=True)
        (self.mails / "mail.1").write_text("MAIL hello\n")

    def run(self, *command, user=None, **_):
        self.calls += 1
        return Done(0, f"{self.calls} {' '.join(command)} {user} {self.work}\n", "")

    def asked(self, *command, answer):
        return Done(1, "", f"asked {answer}")


class Kept(unittest.TestCase):
    def test_answers_as_before_and_in_order(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            sides = [Side(Cluster(folder / side)) for side in ("a", "b")]
            for side in sides:
                side.ids["train"] = "7"
                side.cluster = Keeping(side)
                for _ in range(2):
                    side.cluster.run("squeue")
                side.cluster.run("sbatch", user="news")
                side.cluster.asked("sacctmgr", answer="y\n")
            keep(folder / "kept", sides)
            for side in kept_sides(folder / "kept"):
                self.assertEqual(side.ids, {"train": "7"})
                self.assertEqual([side.cluster.run("squeue").stdout for _ in range(3)],
                                 ["1 squeue None WORK\n", "2 squeue None WORK\n", "2 squeue None WORK\n"])
                self.assertEqual(side.cluster.run("sbatch", user="news").stdout, "3 sbatch news WORK\n")
                self.assertEqual(side.cluster.asked("sacctmgr", answer="y\n").stderr, "asked y\n")
                self.assertEqual((side.cluster.mails / "mail.1").read_text(), "MAIL hello\n")
                with self.assertRaises(AssertionError):
                    side.cluster.run("sinfo")


if __name__ == "__main__":
    unittest.main()
