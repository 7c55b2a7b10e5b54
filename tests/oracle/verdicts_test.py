#!/usr/bin/env python3
"""What the oracle holds for equal, for explained and for neither: a wrong duration, signal, TRES or reason is none of the first two."""

import unittest

import newer
from compare import ABSENT, Field, pairs_differ, text_differs
from explained import EXPLAINED
from verdicts import Context, Judge, Verdict

SHOWN = """JobId=7 JobName=train
   JobState=RUNNING Reason=None ExitCode=0:0
   RunTime=00:01:40 TimeLimit=00:30:00
   SubmitTime=2026-11-22T14:00:00 StartTime=2026-11-22T14:00:01 EndTime=2026-11-22T14:30:01
   NodeList=gpu1 ReqTRES=cpu=8,mem=16000M,node=1,billing=8,gres/gpu=2
"""
SQUEUE = ("             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)\n"
          "                 7      main    train    games  RUNNING       1:40     30:00      1 gpu1\n"
          "                 8      main     next    games  PENDING       0:00   1:00:00      4 (Resources)\n")


def verdicts(fields):
    judge = Judge(Context(fields))
    return {field.field if field.field != "text" else field.slurm.split()[0]: judge.verdict(field) for field in fields}


def shown(berth):
    return verdicts(list(pairs_differ("scontrol show job", "train", SHOWN, berth)))


def one(command, field, slurm, berth, subject="train", **others):
    fields = [Field(command, subject, field, slurm, berth)]
    context = fields + [Field(command, subject, name, *values) for name, values in others.items()]
    return Judge(Context(context)).verdict(fields[0])


class Clock(unittest.TestCase):
    def test_moves_what_runs_and_moments_by_seconds(self):
        found = shown(SHOWN.replace("00:01:40", "00:01:42").replace("14:00:01", "14:00:03").replace("14:30:01", "14:30:03"))
        self.assertEqual(set(found.values()), {Verdict.EQUAL})

    def test_moves_nothing_by_hours(self):
        found = shown(SHOWN.replace("00:01:40", "10:01:40").replace("T14:30:01", "T15:30:01"))
        self.assertEqual(found["RunTime"], Verdict.UNEXPLAINED)
        self.assertEqual(found["EndTime"], Verdict.UNEXPLAINED)

    def test_moves_no_limit(self):
        self.assertEqual(shown(SHOWN.replace("TimeLimit=00:30:00", "TimeLimit=00:30:01"))["TimeLimit"], Verdict.UNEXPLAINED)

    def test_knows_the_columns_of_a_line(self):
        def lines(berth):
            return verdicts(list(text_differs("squeue -l", SQUEUE, berth, True)))
        self.assertEqual(lines(SQUEUE.replace("1:40", "1:42"))["7"], Verdict.EQUAL)
        self.assertEqual(lines(SQUEUE.replace(" 30:00", " 30:12"))["7"], Verdict.UNEXPLAINED)
        self.assertEqual(lines(SQUEUE.replace("(Resources)", "(Priority)"))["8"], Verdict.UNEXPLAINED)


class Values(unittest.TestCase):
    def test_of_another_kind_are_reported(self):
        for right, wrong, field in (("ExitCode=0:0", "ExitCode=0:15", "ExitCode"), ("cpu=8", "cpu=9", "ReqTRES"),
                                    ("gres/gpu=2", "gres/gpu:a100=2", "ReqTRES"), ("Reason=None", "Reason=Resources", "Reason"),
                                    ("gpu1", "gpu2", "NodeList")):
            self.assertEqual(shown(SHOWN.replace(right, wrong))[field], Verdict.UNEXPLAINED, wrong)

    def test_that_the_old_masks_held_for_equal_are_reported(self):
        self.assertEqual(one("sacct -P", "ExitCode", "0:15", "1:99"), Verdict.UNEXPLAINED)
        self.assertEqual(one("sacct -P", "Timelimit", "00:30:00", "10:00:00"), Verdict.UNEXPLAINED)

    def test_that_are_missing_are_reported(self):
        self.assertEqual(shown(SHOWN.replace(" NodeList=gpu1", " "))["NodeList"], Verdict.UNEXPLAINED)


class Explanations(unittest.TestCase):
    def test_say_what_berth_prints(self):
        self.assertEqual(one("scontrol show job", "Scheduler", "Backfill", "Main"), Verdict.EXPLAINED)
        self.assertEqual(one("scontrol show job", "Scheduler", "Backfill", "Other"), Verdict.UNEXPLAINED)
        self.assertEqual(one("scontrol show job", "Priority", "4294901746", "4294901745", "full"), Verdict.EXPLAINED)
        self.assertEqual(one("scontrol show job", "Priority", "4294901746", "4294901744", "full"), Verdict.UNEXPLAINED)

    def test_ask_what_else_was_printed(self):
        mem = dict(AllocTRES=(ABSENT, "cpu=1,mem=2000M,node=1"))
        self.assertEqual(one("scontrol -d show job", "Mem", "2000", ABSENT, "good", **mem), Verdict.EXPLAINED)
        self.assertEqual(one("scontrol -d show job", "Mem", "4000", ABSENT, "good", **mem), Verdict.UNEXPLAINED)

    def test_let_the_clock_run(self):
        ended = SQUEUE.splitlines()[0] + "\n                 9      main   killed    games  FAILED       0:00     30:00      1 (JobLaunchFailure)\n"
        ours = ended.replace("(JobLaunchFailure)", "(RaisedSignal:9(Killed))")

        def lines(berth):
            return verdicts(list(text_differs("squeue -t all", ended, berth, True)))
        self.assertEqual(lines(ours)["9"], Verdict.EXPLAINED)
        self.assertEqual(lines(ours.replace(" 0:00 ", " 0:01 "))["9"], Verdict.EXPLAINED)
        self.assertEqual(lines(ours.replace(" 30:00", " 30:01"))["9"], Verdict.UNEXPLAINED)

    def test_are_known_by_their_fields(self):
        judge = Judge(Context([]))
        judge.verdict(Field("scontrol show job", "train", "Scheduler", "Backfill", "Main"))
        self.assertEqual(len(judge.idle()), len(EXPLAINED) - 1)


class Newer(unittest.TestCase):
    def test_moves_tres_to_where_25_11_has_them(self):
        old = {"JobId": "7", "NodeList": "gpu1", "TRES": "cpu=8,node=1", "Power": "", "TresPerNode": "gres:gpu:2", "Reason": "None"}
        new = newer.job(old, "billing=8,cpu=8,gres/gpu=2,node=1", "sbatch train.sh")
        self.assertEqual(new["ReqTRES"], "cpu=8,node=1,billing=8,gres/gpu=2")
        self.assertEqual(new["AllocTRES"], "cpu=8,node=1")
        self.assertEqual(new["TresPerNode"], "gres/gpu:2")
        self.assertEqual(new["SubmitLine"], "sbatch train.sh")
        self.assertNotIn("TRES", new)
        self.assertNotIn("Power", new)

    def test_keeps_what_has_another_value_than_it_should(self):
        self.assertIn("CapWatts", newer.node({"CapWatts": "300"}))
        self.assertNotIn("CapWatts", newer.node({"CapWatts": "n/a"}))


if __name__ == "__main__":
    unittest.main()
