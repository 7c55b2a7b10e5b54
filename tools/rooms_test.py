#!/usr/bin/env python3
"""Draws a small house, and changes it behind the drawing's back."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import rooms  # noqa: E402

HOUSE = {
    "berth/base/CMakeLists.txt": "berth_module(base PURE)",
    "berth/base/a.h": "",
    "berth/engine/CMakeLists.txt":
        "# state: what is so now, and how each fact changes it\n"
        "# plan: when what waits will start,\n#   as far as that is known\n"
        "# cycle: one round of decisions\n"
        "berth_module(engine PURE ROOMS state plan cycle DEPS base)",
    "berth/engine/state/jobs.h": '#include "berth/base/a.h"\n',
    "berth/engine/state/jobs.cc": '#include "berth/engine/state/jobs.h"\n',
    "berth/engine/plan/holes.h": '#include "berth/engine/state/jobs.h"\n',
    "berth/engine/cycle/turn.cc": '#include "berth/engine/state/jobs.h"\n',
    "berth/engine/cycle/turn_test.cc": '#include "berth/engine/plan/holes.h"\n',
    "ARCHITECTURE.md": f"# The house\n\n{rooms.BEGIN}\nold\n{rooms.END}\n\nMore.\n",
}
DRAWN = """\
┌ berth ─────────────────────────────────────────────────────────────────────────────────── 6 files ┐
│  1  engine    5  → base                                                                           │
│  0  base      1                                                                                   │
└───────────────────────────────────────────────────────────────────────────────────────────────────┘
"""
ROOMS = """\
┌ engine ────────────────────────────────────────────────────────────────────────────────── 5 files ┐
│ cycle    2  one round of decisions                              → state                           │
│ plan     1  when what waits will start, as far as that is       → state                           │
│             known                                                                                 │
│ state    2  what is so now, and how each fact changes it                                          │
└───────────────────────────────────────────────────────────────────────────────────────────────────┘
"""


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in HOUSE.items():
            self.write(name, text)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def run_it(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            return rooms.main(self.root, list(arguments)), said.getvalue()

    def drawn(self):
        return (self.root / "ARCHITECTURE.md").read_text()

    def test_draws_what_is_included(self):
        self.assertEqual(self.run_it(), (0, ""))
        narrow = [line.replace("─", "").replace(" ", "") for line in self.drawn().splitlines()]
        for line in (DRAWN + ROOMS).splitlines():
            self.assertIn(line.replace("─", "").replace(" ", ""), narrow)
        self.assertTrue(self.drawn().startswith("# The house\n\n"))
        self.assertTrue(self.drawn().endswith(f"{rooms.END}\n\nMore.\n"))
        self.assertNotIn("old", self.drawn())
        self.assertEqual({len(line) for line in self.drawn().splitlines() if line[:1] in {*"┌│└"}},
                         {rooms.WIDTH})

    def test_check_says_when_it_is_not_of_today(self):
        self.assertEqual(self.run_it("--check")[0], 1)
        self.assertIn("old", self.drawn())
        changes = {"berth/engine/cycle/turn.cc": '#include "berth/engine/plan/holes.h"\n',
                   "berth/engine/plan/book.h": "",
                   "berth/engine/CMakeLists.txt": HOUSE["berth/engine/CMakeLists.txt"].replace("so now", "so")}
        for name, text in changes.items():
            self.run_it()
            self.assertEqual(self.run_it("--check"), (0, ""))
            self.write(name, text)
            self.assertEqual(self.run_it("--check"), (
                1, "the drawing of ARCHITECTURE.md is not that of today: run tools/rooms.py\n"), name)
        self.run_it()
        self.write("berth/engine/cycle/turn_test.cc", "")  # What tests include is not drawn.
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_where_it_cannot_draw(self):
        self.write("ARCHITECTURE.md", "# The house\n")
        self.assertEqual(self.run_it()[0], 1)
        self.write("ARCHITECTURE.md", f"{rooms.END}\n{rooms.BEGIN}\n")
        self.assertEqual(self.run_it()[0], 1)
        self.write("ARCHITECTURE.md", HOUSE["ARCHITECTURE.md"])
        self.write("berth/base/a.h", '#include "berth/engine/plan/holes.h"\n')
        with self.assertRaisesRegex(SystemExit, "base, engine include one another"):
            self.run_it()


if __name__ == "__main__":
    unittest.main()
