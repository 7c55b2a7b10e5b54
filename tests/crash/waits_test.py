#!/usr/bin/env python3
"""What tests/crash/run holds for a node that takes work again."""

import unittest

from waits import check_waits, waits_after


class Waits(unittest.TestCase):
    def test_last_until_the_next_start(self):
        self.assertEqual(waits_after([10.0, 20.0], [10.5, 11.0, 21.5], stopped=22.0), [0.5, 1.5])

    def test_behind_the_last_start_count_while_jobs_are_submitted(self):
        self.assertEqual(waits_after([10.0, 29.5], [9.0], stopped=30.0), [20.0])

    def test_of_two_seconds_are_right(self):
        self.assertEqual(check_waits("berthd", [0.1] * 39 + [2.0]), [])

    def test_may_be_longer_once_in_twenty(self):
        self.assertEqual(check_waits("berthd", [0.1] * 38 + [3.0, 4.0]), [])
        self.assertEqual(check_waits("berthd", [0.1] * 37 + [2.5, 3.0, 4.0]),
                         ["after 3 of 40 deaths of berthd the node took no work for more than 2 s"])

    def test_in_a_short_run_one_may_be_longer(self):
        self.assertEqual(check_waits("session", [0.1, 5.0]), [])
        self.assertEqual(len(check_waits("session", [5.0, 5.0])), 1)

    def test_of_slow_programs_may_be_longer(self):
        self.assertEqual(check_waits("berthd", [3.0] * 12, most=6.0), [])
        self.assertEqual(len(check_waits("berthd", [7.0] * 12, most=6.0)), 1)

    def test_of_a_black_hole_are_wrong_even_once(self):
        self.assertEqual(check_waits("upgrade", [0.1] * 40 + [21.0]), ["the node took no work for 21 s after a death of upgrade"])


if __name__ == "__main__":
    unittest.main()
