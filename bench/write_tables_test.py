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


if __name__ == "__main__":
    unittest.main()
