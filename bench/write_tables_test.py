#!/usr/bin/env python3
"""What bench/write_tables makes of rows and gates: what was not measured has met no gate."""

import importlib.machinery
import importlib.util
import unittest
from pathlib import Path

LOADER = importlib.machinery.SourceFileLoader("write_tables", str(Path(__file__).with_name("write_tables")))
write_tables = importlib.util.module_from_spec(importlib.util.spec_from_loader("write_tables", LOADER))
LOADER.exec_module(write_tables)


def engine_row(case, **others):
    row = {"case": case, "pending": 10, "nodes": 1, "shapes": 2, "planned": 8, "full_cycle_ms": 4.0, "us_per_planned": 2.0, "event_ms": 1.0,
           "event_worst_ms": 2.0, "settle_ms": 3.0, "bytes_per_job": 900}
    return row | others


def engine_lines(rows, gates):
    return write_tables.engine_table(rows, gates).splitlines()[2:]


class EngineTable(unittest.TestCase):
    def test_puts_first_what_misses_its_gate(self):
        lines = engine_lines([engine_row("a"), engine_row("b", event_ms=6.0), engine_row("c")], {("a", "event_ms"): 5, ("b", "event_ms"): 5})
        self.assertEqual([line.split(" | ")[:2] for line in lines], [["| b", "**missed**"], ["| a", "met"], ["| c", "none"]])
        self.assertIn("| **6.00, missed: ≤ 5** |", lines[0])
        self.assertIn("| 1.00 (≤ 5) |", lines[1])

    def test_does_not_pass_a_gate_on_what_was_not_measured(self):
        (line,) = engine_lines([engine_row("a", event_ms=None)], {("a", "event_ms"): 5})
        self.assertTrue(line.startswith("| a | **missed** |"), line)
        self.assertIn("| **not measured, missed: ≤ 5** |", line)

    def test_says_what_was_not_measured_without_a_gate(self):
        (line,) = engine_lines([engine_row("a", event_worst_ms=None)], {})
        self.assertIn("| not measured |", line)

    def test_does_not_pass_a_gate_on_a_ratio_whose_other_case_is_missing(self):
        (line,) = engine_lines([engine_row("a")], {("a", "over_unlimited"): 1.25})
        self.assertTrue(line.startswith("| a | **missed** |"), line)

    def test_compares_a_case_with_the_one_beside_it(self):
        rows = [engine_row("a"), engine_row("a_unlimited", full_cycle_ms=2.0, us_per_planned=0.5)]
        lines = engine_lines(rows, {("a", "over_unlimited"): 5, ("a", "cycle_over_unlimited"): 1.25})
        self.assertIn("| 4.00; **2.00, missed: ≤ 1.25** × without limits | 2.00; 4.00 (≤ 5) × without limits |", lines[0])
        self.assertIn("| 2.00 | 0.50 |", lines[1])


def control_line(**others):
    row = {"what": "a", "value": 2.0, "unit": "% more", "asked": 5, "at_least": False, "met": True, "how": "so"}
    return write_tables.control_table([row | others]).splitlines()[2]


class ControlTable(unittest.TestCase):
    def test_shows_how_unsure_a_figure_is(self):
        self.assertEqual(control_line(unsure=0), "| a | met | ≤ 5 % more | 2.00 % more | so |")
        self.assertEqual(control_line(), "| a | met | ≤ 5 % more | 2.00 % more | so |", "of an older bench")
        self.assertEqual(control_line(unsure=3.0), "| a | met | ≤ 5 % more | 2.00 ± 3.00 % more | so |")

    def test_says_that_noise_exceeds_the_gate(self):
        self.assertEqual(control_line(unsure=7.9, met=False), "| a | **missed** | ≤ 5 % more | **2.00 ± 7.90 % more, the noise exceeds the gate** | so |")
        self.assertEqual(control_line(value=9.0, unsure=1.0, met=False), "| a | **missed** | ≤ 5 % more | **9.00 ± 1.00 % more** | so |")

    def test_says_what_was_not_measured(self):
        self.assertEqual(control_line(value=None, unsure=None, met=False), "| a | **missed** | ≤ 5 % more | **not measured** | so |")
        self.assertEqual(control_line(value=None, asked=0), "| a | none |  | not measured | so |")


class Published(unittest.TestCase):
    """Made-up cases a and b, a gate on one of them, and the rows and the table that are published."""

    def disagreements(self, cases=("a", "b"), gates=(("a", "event_ms"),), rows=("a", "b"), table=("a", "b")):
        text = f"<!-- engine: written by bench/write_tables -->\n{write_tables.engine_table([engine_row(case) for case in table], {})}\n\nLoad: | 3 |\n<!-- end of engine -->\n| c |\n"
        return write_tables.disagreements(list(cases), dict.fromkeys(gates, 5), [engine_row(case) for case in rows], text)

    def test_agree(self):
        self.assertEqual(self.disagreements(), [])
        self.assertEqual(self.disagreements(table=("b", "a")), [], "missed rows come first in the table")

    def test_have_a_row_for_each_case(self):
        self.assertEqual(self.disagreements(cases=("a", "b", "c")),
                         ["docs/performance.json has no row for the case c of engine_bench", "docs/performance.md has no row for the case c of engine_bench"])

    def test_have_no_row_without_a_case(self):
        self.assertEqual(self.disagreements(rows=("a", "b", "old")), ["docs/performance.json has a row old, which is no case of engine_bench"])
        self.assertEqual(self.disagreements(table=("a", "b", "old")), ["docs/performance.md has a row old, which is no case of engine_bench"])

    def test_have_one_row_for_each_case(self):
        self.assertEqual(self.disagreements(table=("a", "b", "a")), ["docs/performance.md has 2 rows for the case a"])

    def test_have_the_case_and_the_value_of_each_gate(self):
        self.assertEqual(self.disagreements(gates=(("a", "event_ms"), ("c", "event_ms"), ("b", "cycle"))),
                         ["bench/engine_gates.txt has a gate for c, which is no case of engine_bench",
                          "bench/engine_gates.txt has a gate for b cycle, and docs/performance.json has no such value"])

    def test_have_the_ratios_that_gates_name(self):
        cases = ("a", "a_unlimited")
        self.assertEqual(self.disagreements(cases=cases, rows=cases, table=cases, gates=(("a", "cycle_over_unlimited"),)), [])


if __name__ == "__main__":
    unittest.main()
