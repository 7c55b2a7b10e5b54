#!/usr/bin/env python3
"""What the clock may move, and by how much: no layout, no job that is over, and a moment only together with the job's submission."""

import unittest

from clock import mixed_up
from compare import Field, text_differs, widths_differ
from verdicts import Context, Judge, Verdict

SHOW = "scontrol show job"
RUNNING = {"JobId": ("7", "7"), "JobState": ("RUNNING", "RUNNING"), "SubmitTime": ("2026-11-22T14:00:00", "2026-11-22T14:00:02")}
OVER = RUNNING | {"JobState": ("COMPLETED", "COMPLETED")}


def verdict(command, field, slurm, berth, job=OVER, subject="train"):
    one = Field(command, subject, field, slurm, berth)
    others = [Field(SHOW, "train", name, *values) for name, values in job.items() if name != field]
    return Judge(Context([*others, one])).verdict(one)


def lines(command, slurm, berth, job=RUNNING):
    fields = list(text_differs(command, slurm, berth, True))
    context = Context([Field(SHOW, "train", name, *values) for name, values in job.items()])
    return [Judge(context).verdict(field) for field in fields]


class Layout(unittest.TestCase):
    HEAD = "             JOBID PARTITION     NAME       TIME TIME_LIMI\n"
    LINE = "                 7      main    train       1:40     30:00\n"

    def test_of_a_line_is_compared(self):
        self.assertNotIn(Verdict.EQUAL, lines("squeue", "  1     main   train\n", "  1 main train\n"))
        self.assertNotIn(Verdict.EQUAL, lines("squeue", "  1     main   train \n", "  1     main   train\n"))

    def test_of_a_head_is_compared(self):
        head = list(widths_differ("squeue", self.HEAD, self.HEAD.replace("     NAME", "    NAME")))
        self.assertEqual(Judge(Context(head)).verdict(head[0]), Verdict.UNEXPLAINED)

    def test_lines_are_not_joined(self):
        self.assertEqual(verdict("query", "stderr", "a: b\nc: d", "a: b c: d"), Verdict.UNEXPLAINED)
        self.assertEqual(verdict("query", "stderr", "a: b", "a:  b"), Verdict.UNEXPLAINED)

    def test_leaves_room_for_a_longer_time(self):
        first, longer = self.HEAD + self.LINE.replace(" 1:40", " 9:58"), self.HEAD + self.LINE.replace(" 1:40", "10:02")
        self.assertEqual(lines("squeue", first, longer), [Verdict.EQUAL] * 2)
        self.assertEqual(lines("squeue", longer, first), [Verdict.EQUAL] * 2)
        self.assertEqual(lines("squeue", first, longer.replace("10:02", " 10:02"))[1], Verdict.UNEXPLAINED)
        self.assertEqual(lines("squeue", first, longer.replace("10:02  ", "10:02 "))[1], Verdict.UNEXPLAINED)


class Moments(unittest.TestCase):
    def test_are_compared_after_the_submission(self):
        self.assertEqual(verdict(SHOW, "StartTime", "2026-11-22T14:00:01", "2026-11-22T14:00:03"), Verdict.EQUAL)
        self.assertEqual(verdict(SHOW, "StartTime", "2026-11-22T14:00:01", "2026-11-22T14:00:08"), Verdict.UNEXPLAINED)
        self.assertEqual(verdict(SHOW, "EndTime", "2026-11-22T14:00:02", "2026-11-22T13:59:40"), Verdict.UNEXPLAINED)
        self.assertEqual(verdict("squeue -o %e", "%e", "2026-11-22T14:00:02", "2026-11-22T13:59:40", subject="train-N/A"), Verdict.UNEXPLAINED)
        self.assertEqual(verdict("sacct -P", "End", "2026-11-22T14:00:02", "2026-11-22T13:59:40", subject="7"), Verdict.UNEXPLAINED)

    def test_of_a_submission_are_near(self):
        self.assertEqual(verdict(SHOW, "SubmitTime", "2026-11-22T14:00:01", "2026-11-22T14:00:03"), Verdict.EQUAL)
        self.assertEqual(verdict(SHOW, "SubmitTime", "2026-11-22T14:00:01", "2026-11-22T14:00:11"), Verdict.UNEXPLAINED)

    def test_of_a_node_are_compared_after_its_start(self):
        start = Field("scontrol show node", "gpu1", "SlurmdStartTime", "2026-11-22T14:00:00", "2026-11-22T14:00:20")
        for berth, expected in (("2026-11-22T14:00:20", Verdict.EQUAL), ("2026-11-22T14:00:28", Verdict.UNEXPLAINED)):
            busy = Field("scontrol show node", "gpu1", "LastBusyTime", "2026-11-22T14:00:00", berth)
            self.assertEqual([Judge(Context([start, busy])).verdict(field) for field in (start, busy)], [Verdict.EQUAL, expected])

    def test_are_planned_later_behind_a_job_that_waits(self):
        def planned(subject, berth):
            fields = [Field(SHOW, subject, name, *both) for name, both in
                      (("JobId", ("8", "8")), ("SubmitTime", ("2026-11-22T14:00:00",) * 2), ("StartTime", ("2026-11-22T15:00:00", berth)))]
            return Judge(Context(fields)).verdict(fields[2])

        self.assertEqual(planned("behind", "2026-11-22T15:01:00"), Verdict.EQUAL)
        self.assertEqual(planned("full", "2026-11-22T15:01:00"), Verdict.UNEXPLAINED)
        self.assertEqual(planned("behind", "2026-11-22T15:02:00"), Verdict.UNEXPLAINED)

    def test_of_a_line_too(self):
        line = "7 train 2026-11-22T14:00:01\n"
        self.assertEqual(lines("query sacct", line, line.replace("00:01", "00:03")), [Verdict.EQUAL])
        self.assertEqual(lines("query sacct", line, line.replace("00:01", "00:12")), [Verdict.UNEXPLAINED])


class Jobs(unittest.TestCase):
    def test_tell_moments_apart(self):
        def mixed(submit, eligible, start, end):
            names = "SubmitTime", "EligibleTime", "StartTime", "EndTime"
            values = [f"2026-11-22T14:00:{second:02}" for second in (submit, eligible, start, end)]
            return mixed_up(Context([Field(SHOW, "train", name, value, value) for name, value in zip(names, values)]), ["train"])

        self.assertEqual(mixed(0, 10, 20, 30), [])
        self.assertEqual(mixed(0, 10, 12, 30), [("EligibleTime", "StartTime")])


class Spans(unittest.TestCase):
    def test_run_while_the_job_does(self):
        self.assertEqual(verdict(SHOW, "RunTime", "00:01:01", "00:01:05", RUNNING), Verdict.EQUAL)
        self.assertEqual(verdict(SHOW, "RunTime", "00:01:01", "00:01:30", RUNNING), Verdict.UNEXPLAINED)

    def test_stand_once_it_is_over(self):
        self.assertEqual(verdict(SHOW, "RunTime", "00:00:01", "00:00:02"), Verdict.EQUAL)
        self.assertEqual(verdict(SHOW, "RunTime", "00:00:01", "00:00:30"), Verdict.UNEXPLAINED)
        self.assertEqual(verdict("squeue -o %M", "%M", "0:01", "0:05", subject="train-N/A"), Verdict.UNEXPLAINED)

    def test_stand_in_accounting(self):
        for field, slurm, berth in (("Elapsed", "00:00:00", "00:00:29"), ("ElapsedRaw", "0", "29")):
            one = Field("sacct -P", "7.0", field, slurm, berth)
            state = Field("sacct -P", "7.0", "State", "COMPLETED", "COMPLETED")
            self.assertEqual(Judge(Context([one, state])).verdict(one), Verdict.UNEXPLAINED)

    def test_stand_in_mails(self):
        mail = "Slurm Job_id=ID Name=x Ended, Run time 00:00:0{}, COMPLETED, ExitCode 0"
        self.assertEqual(verdict("MailProg", "mails", mail.format(0), mail.format(1), subject="mail-ok"), Verdict.EQUAL)
        self.assertEqual(verdict("MailProg", "mails", mail.format(0), mail.format(9), subject="mail-ok"), Verdict.UNEXPLAINED)


if __name__ == "__main__":
    unittest.main()
