#!/usr/bin/env python3
"""A script with an option that Berth refuses by name: what else is wrong with it is reported all the same."""

import unittest

from compare import ABSENT, Field
from refusals import RULES, words_of
from verdicts import Context, Judge, Verdict

NAME = "gpu/train"
ERROR = "sbatch: error: in #SBATCH line 4 of the script\nsbatch: error: --gpu-freq is not supported: memory is bound with the cores"


def verdicts(*fields):
    judge = Judge(Context(fields), RULES)
    return [judge.verdict(field) for field in fields]


def script(what, slurm, berth):
    return Field("script", NAME, what, slurm, berth)


class Refused(unittest.TestCase):
    CODE = script("exit code", "0", "1")
    SAYS = script("says", "Submitted batch job <0>", ERROR)

    def test_at_submission_it_leaves_nothing(self):
        fields = (self.CODE, self.SAYS, script("state", "<0>: COMPLETED None", ABSENT), Field("call", NAME, "python x", "called", ABSENT))
        self.assertEqual(set(verdicts(*fields)), {Verdict.EXPLAINED})
        self.assertEqual(words_of(fields), {NAME: {"--gpu-freq"}})

    def test_at_submission_it_hides_nothing_else(self):
        wrong = (script("file out", "a", "b"), script("state", "<0>: COMPLETED None", "<0>: FAILED None"), script("says", "Submitted batch job <0>", "no"))
        for field in wrong:
            self.assertIs(verdicts(field, self.CODE, self.SAYS)[0], Verdict.UNEXPLAINED)
        self.assertIs(verdicts(script("exit code", "0", "2"), self.SAYS)[0], Verdict.UNEXPLAINED)
        self.assertIs(verdicts(script("says", "Submitted batch job <0>", ERROR + "\nSegmentation fault"), self.CODE)[0], Verdict.UNEXPLAINED)

    def test_in_a_step_it_hides_nothing_else(self):
        taken = script("exit code", "0", "0")
        refused = "first\nsrun: error: --gpu-freq is not supported: memory is bound with the cores"
        good = (script("file out", "first\nsecond", refused), script("state", "<0>: COMPLETED None", "<0>: FAILED NonZeroExitCode"), taken)
        self.assertEqual(verdicts(*good), [Verdict.EXPLAINED, Verdict.EXPLAINED, Verdict.EQUAL])
        limit = Field("scontrol show job", NAME, "TimeLimit", "00:10:00", "00:20:00")
        for field in (limit, script("file other", "a", "b"), script("file out", "first\nsecond", refused + "\nthird")):
            self.assertIs(verdicts(field, *good[:1], taken)[0], Verdict.UNEXPLAINED)


if __name__ == "__main__":
    unittest.main()
