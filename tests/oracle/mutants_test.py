#!/usr/bin/env python3
"""The wrong values that the oracle has to notice, and what notices nothing."""

import unittest

from differences import Rule
from compare import Field, pairs_differ
from mutants import of, of_theirs, survivors
from sdiag import compare_texts
from verdicts import Context, Judge, Verdict

SHOW = "scontrol show job"
OVER = [Field(SHOW, "train", name, value, value) for name, value in
        (("JobId", "7"), ("JobState", "COMPLETED"), ("SubmitTime", "2026-11-22T14:00:00"))]


def texts(field, *others):
    return {mutant.field.berth for mutant in of(field, Context([field, *others]))}


class Mutants(unittest.TestCase):
    def test_are_made_of_every_kind(self):
        self.assertIn("10:30:00", texts(Field(SHOW, "train", "TimeLimit", "00:30:00", "00:30:00")))
        self.assertIn("0:16", texts(Field(SHOW, "train", "ExitCode", "0:15", "0:15")))

    def test_change_each_number(self):
        found = texts(Field(SHOW, "train", "ReqTRES", "cpu=8,node=1", "cpu=8,node=1"))
        self.assertLessEqual({"cpu=9,node=1", "cpu=8,node=2"}, found)

    def test_change_the_layout(self):
        found = texts(Field("squeue", "line", "text", "7 main  train", "7 main  train"))
        self.assertLessEqual({"7  main  train", "7 main   train", "7\nmain  train", "7 main\ntrain"}, found)

    def test_move_what_is_over_by_seconds(self):
        for name, value, wrong in (("RunTime", "00:00:01", "00:00:11"), ("EndTime", "2026-11-22T14:00:01", "2026-11-22T14:00:11")):
            field = Field(SHOW, "train", name, value, value)
            self.assertIn(wrong, texts(field, *OVER))
            self.assertNotIn(wrong, texts(field))
            unnoticed, _ = survivors([field], Judge(Context([field, *OVER])))
            self.assertEqual(unnoticed, [])

    def test_of_slurms_side_find_a_rule_that_looks_at_nothing_there(self):
        blind = Rule("row", "query", ".*", "text", lambda *_: "(absent)")
        sharp = Rule("row", "query", ".*", "text", {"42 main train": "(absent)"})
        field = Field("query", "squeue -S nosuch", "text", "42 main train", "(absent)")
        self.assertTrue(list(of_theirs(field)))
        for rule, count in ((blind, 2), (sharp, 0)):
            unnoticed, _ = survivors([field], Judge(Context([field]), [rule]))
            self.assertEqual(len([one for one in unnoticed if "Slurm's" in one.what]), count)


SDIAG = """\
*******************************************************
sdiag output at Thu Nov 26 14:00:30 2026 (1795701630)
Data since      Thu Nov 26 14:00:00 2026 (1795701600)
*******************************************************
Server thread count:  3
Jobs submitted: 22

Main schedule statistics (microseconds):
\tLast cycle:   123
\tCycles per minute: 60

Backfilling stats
\tLast cycle when: Thu Nov 26 14:00:29 2026 (1795701629)

Remote Procedure Call statistics by message type
\tREQUEST_PING                            ( 1008) count:4      ave_time:120    total_time:480
"""


class Sdiag(unittest.TestCase):
    def verdicts(self, ours):
        fields = [field for field in compare_texts(SDIAG, ours) if "scheduler exit" not in field.subject and "Backfill exit" not in field.subject]
        judge = Judge(Context(fields))
        return {(field.subject, field.field): judge.verdict(field) for field in fields}

    def wrong(self, old, new):
        """The keys that are not explained with `new` in place of `old`, beside the order and what 25.11 has more."""
        found = self.verdicts(SDIAG.replace(old, new))
        return [key for (_, key), verdict in found.items() if verdict is Verdict.UNEXPLAINED and key != "order"]

    def test_has_numbers_of_its_own(self):
        self.assertEqual(self.wrong("cycle:   123", "cycle:   99"), [])
        self.assertIs(self.verdicts(SDIAG)["Main schedule statistics (microseconds):", "Last cycle"], Verdict.OWN)

    def test_is_equal_elsewhere(self):
        self.assertEqual(self.wrong("submitted: 22", "submitted: 21"), ["Jobs submitted"])
        self.assertEqual(self.wrong("submitted: 22", "submitted:  22"), ["Jobs submitted"])

    def test_has_the_form_of_each_number(self):
        self.assertEqual(self.wrong("cycle:   123", "cycle:   many"), ["Last cycle"])
        self.assertEqual(self.wrong("cycle:   123", "cycle: 123 s"), ["Last cycle"])
        self.assertEqual(self.wrong("\tLast cycle:   123\n", ""), ["Last cycle"])
        self.assertEqual(self.wrong("14:00:29", "15:00:29"), ["Last cycle when"])

    def test_has_the_form_of_each_call(self):
        self.assertEqual(self.wrong("count:4 ", "count:5 "), [])
        self.assertEqual(self.wrong("count:4 ", "counted 4 "), ["REQUEST_PING"])
        self.assertEqual(self.wrong("total_time:480", "total_time:480 wrong"), ["REQUEST_PING                            ( 1008)"])


class Records(unittest.TestCase):
    def test_have_nothing_before_them(self):
        fields = list(pairs_differ(SHOW, "train", "JobId=7 A=2\n", "garbage on stderr\nJobId=7 A=2\n"))
        judge = Judge(Context(fields))
        self.assertEqual([field.field for field in fields if judge.verdict(field) is Verdict.UNEXPLAINED], ["(before)"])


if __name__ == "__main__":
    unittest.main()
