"""What the checks of tests/crash/preempt find."""

import collections
import unittest

from preempted import check_cores, check_ends, check_saved, parse

KINDS = {"1": ("cores", 0.0), "2": ("high cores", 1.0), "3": ("saves", 0.0)}


def states(**of):
    return collections.defaultdict(list, {job[1:]: words.split() for job, words in of.items()})


class Checks(unittest.TestCase):
    def test_a_tick_within_the_preemptors_time_is_found(self):
        stands_still = "1 0 tick 1.0 0\n1 0 tick 1.4 0\n1 0 tick 2.6 0\n2 0 start 1.5 0\n2 0 end 2.5 0\n"
        self.assertEqual(check_cores(KINDS, parse(stands_still)), ([], 1))
        wrong, _ = check_cores(KINDS, parse(stands_still + "1 0 tick 2.0 0\n"))
        self.assertEqual(wrong, ["job 1 ran on the cores of job 2"])

    def test_a_run_that_begins_before_its_checkpoint_is_found(self):
        first = "3 0 start 1.0 0\n3 0 saved 2.0 40\n"
        self.assertEqual(check_saved(KINDS, parse(first + "3 1 start 3.0 40\n")), ([], 1))
        wrong, _ = check_saved(KINDS, parse(first + "3 1 start 3.0 0\n"))
        self.assertEqual(wrong, ["run 1 of job 3 began at step 0, and 40 had been saved"])

    def test_a_job_that_did_not_end_well_is_found(self):
        kinds, ran = {"3": KINDS["3"]}, "3 0 start 1.0 0\n3 1 start 2.0 0\n3 1 end 3.0 0\n"
        self.assertEqual(check_ends(kinds, parse(ran), states(_3="PREEMPTED COMPLETED")), ([], 1))
        for wrong in ("PREEMPTED", "PREEMPTED FAILED", "NODE_FAIL COMPLETED", "PREEMPTED PREEMPTED", ""):
            self.assertNotEqual(check_ends(kinds, parse(ran), states(_3=wrong))[0], [], wrong)

    def test_a_run_that_is_not_accounted_for_is_found(self):
        kinds = {"3": KINDS["3"]}
        self.assertNotEqual(check_ends(kinds, parse("3 0 start 1.0 0\n3 1 start 2.0 0\n3 1 end 3.0 0\n"), states(_3="COMPLETED"))[0], [])
        self.assertNotEqual(check_ends(kinds, parse("3 0 start 1.0 0\n3 0 start 2.0 0\n3 0 end 3.0 0\n"), states(_3="COMPLETED"))[0], [])

    def test_a_job_without_an_end_is_found(self):
        self.assertNotEqual(check_ends({"3": KINDS["3"]}, parse("3 0 start 1.0 0\n"), states(_3="COMPLETED"))[0], [])


if __name__ == "__main__":
    unittest.main()
