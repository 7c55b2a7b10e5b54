"""A test that did not run never counts as passed: from unittest by ctest to the line that ./dev test ends with."""

import os
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

from cluster import main

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "tools"
OPENING = """
import unittest
from cluster import main

class Some(unittest.TestCase):
"""
PASSES = """
    def test_{name}(self):
        pass
"""
FAILS = """
    def test_{name}(self):
        self.fail("wrong")
"""
SKIPS = """
    @unittest.skip("SKIPPED: needs root")
    def test_{name}(self):
        pass
"""
SKIPS_IN_PART = """
    def test_{name}(self):
        for number in range(2):
            with self.subTest(number):
                self.skipTest("SKIPPED: needs fish")
"""
SKIPPED_CLASS = """
@unittest.skip("SKIPPED: needs root")
class Others(unittest.TestCase):
    def test_one(self):
        pass
    def test_two(self):
        pass
"""
CLASS_THAT_SKIPS = """
class Others(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("SKIPPED: needs a GPU")
    def test_one(self):
        pass
"""
NOTHING = """
    pass
"""


def program(*parts):
    body = "".join(part.format(name=number) for number, part in enumerate(parts))
    return f"{OPENING}{body}\nmain()\n"


class Skips(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = os.environ | {"PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}

    def run_one(self, *parts):
        """Exit status, and the lines on what was skipped."""
        path = self.folder / "some.py"
        path.write_text(program(*parts))
        done = subprocess.run([sys.executable, str(path)], env=self.environment, text=True, capture_output=True)
        return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("skipped: ")]

    def test_all_skipped_is_77(self):
        self.assertEqual(self.run_one(SKIPS, SKIPS), (77, ["skipped: 2 × needs root"]))
        self.assertEqual(self.run_one(NOTHING, SKIPPED_CLASS), (77, ["skipped: 2 × needs root"]))
        self.assertEqual(self.run_one(NOTHING, CLASS_THAT_SKIPS), (77, ["skipped: 1 × needs a GPU"]))
        self.assertEqual(self.run_one(SKIPS_IN_PART), (77, ["skipped: 2 × needs fish"]))

    def test_some_skipped_are_named(self):
        self.assertEqual(self.run_one(PASSES), (0, []))
        self.assertEqual(self.run_one(PASSES, SKIPS), (0, ["skipped: 1 × needs root"]))
        self.assertEqual(self.run_one(PASSES, CLASS_THAT_SKIPS), (0, ["skipped: 1 × needs a GPU"]))

    def test_a_failure_is_no_skip(self):
        self.assertEqual(self.run_one(FAILS, SKIPS), (1, ["skipped: 1 × needs root"]))
        self.assertEqual(self.run_one(NOTHING), (1, []))

    def test_skips_are_counted_behind_ctest(self):
        tests = {"passes": [PASSES], "skips": [SKIPS, SKIPS], "skips_some": [PASSES] * 40 + [SKIPS], "fails": [FAILS, SKIPS]}
        lines = []
        for name, parts in tests.items():
            (self.folder / f"{name}.py").write_text(program(*parts))
            lines.append(f'add_test({name} "{sys.executable}" "{self.folder}/{name}.py")\n'
                         f"set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)\n")
        (self.folder / "CTestTestfile.cmake").write_text("".join(lines))
        ctest = subprocess.run(["ctest", "--output-junit", str(self.folder / "ctest.xml")], cwd=self.folder, env=self.environment,
                               text=True, capture_output=True)
        self.assertRegex(ctest.stdout, r"passes \.+ +Passed")
        self.assertRegex(ctest.stdout, r"skips \.+\*\*\*Skipped")
        self.assertRegex(ctest.stdout, r"fails \.+\*\*\*Failed")
        said = subprocess.run([sys.executable, str(TOOLS / "skipped.py"), str(self.folder / "ctest.xml")], text=True,
                              capture_output=True, check=True)
        self.assertEqual(said.stdout, "Skipped: 4 (4 × needs root)\n")

    def test_foreign_clients_that_cannot_be_had_are_no_success(self):
        loader = SourceFileLoader("clients_run", str(HERE.parent / "clients/run"))
        run = module_from_spec(spec_from_loader(loader.name, loader))
        loader.exec_module(run)
        skipped = "skipped, since what they need cannot be had here: toil, ray"
        self.assertEqual(run.conclusion({"ok": ["dask"]}, named=False), (0, []))
        self.assertEqual(run.conclusion({"SKIPPED": ["toil", "ray"]}, named=False), (77, [skipped]))
        self.assertEqual(run.conclusion({"SKIPPED": ["toil", "ray"]}, named=True), (1, [skipped]))
        self.assertEqual(run.conclusion({"ok": ["dask"], "SKIPPED": ["toil", "ray"]}, named=False), (1, [skipped]))
        self.assertEqual(run.conclusion({"FAILED": ["dask"], "SKIPPED": ["toil", "ray"]}, named=False),
                         (1, ["failed: dask", skipped]))

    def test_tidy_finds_a_program_without_it(self):
        (self.folder / "tests/e2e").mkdir(parents=True)
        (self.folder / "tests/e2e/test_some.py").write_text("import unittest\nunittest.main()\n")
        code = "import sys, tidy\nfor found in tidy.check_skips(tidy.Path(sys.argv[1])): print(found)"
        done = subprocess.run([sys.executable, "-c", code, str(self.folder)], env=self.environment | {"PYTHONPATH": str(TOOLS)},
                              text=True, capture_output=True, check=True)
        self.assertIn("tests/e2e/test_some.py:2: unittest.main() exits with 0", done.stdout)


if __name__ == "__main__":
    main()
