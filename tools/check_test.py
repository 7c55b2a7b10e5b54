#!/usr/bin/env python3
"""What ./dev check says of its stages, in a small repository where building is played."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAGE = "#!/bin/sh\necho ran >>build/ran\n[ ! -e fails ]\n"


CTEST = """#!/bin/sh
echo "$@" >>build/asked
mkdir -p build/asan/Testing/Temporary
while [ "$1" != --output-junit ]; do shift; done
echo '<testsuite/>' >"$2"
[ -e build/fails ] || exec sh -c ': >build/asan/Testing/Temporary/LastTestsFailed.log'
echo 7:slow >build/asan/Testing/Temporary/LastTestsFailed.log
exit 8
"""


class Check(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        played = self.root / "played"
        self.tree = self.root / "tree"
        for folder in (played, self.tree / "tools", self.tree / "tests/hostile"):
            folder.mkdir(parents=True)
        for name in ("cmake", "setarch", "ninja"):
            (played / name).write_text("#!/bin/sh\nexit 0\n")
        (played / "dpkg-query").write_text('#!/bin/sh\nshift 3\nfor p in "$@"; do echo "installed $p"; done\n')
        (self.tree / "tests/hostile/run").write_text(STAGE)
        for program in (*played.iterdir(), self.tree / "tests/hostile/run"):
            program.chmod(0o755)
        shutil.copy(ROOT / "dev", self.tree)
        shutil.copy(ROOT / "tools/packages.sh", self.tree / "tools")
        (self.tree / ".gitignore").write_text("/build/\n")
        self.environment = {**os.environ, "PATH": f"{played}:{os.environ['PATH']}"}
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.tree, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "state")

    def check(self, *stages):
        done = subprocess.run(["./dev", "check", *(stages or ["hostile"])], cwd=self.tree, env=self.environment, text=True, capture_output=True)
        ran = self.tree / "build/ran"
        self.said = done.stdout
        return done.returncode, done.stdout.splitlines()[-1], len(ran.read_text().split()) if ran.exists() else 0

    def test_a_stage_names_its_commit_and_time(self):
        head = subprocess.run(["git", "rev-parse", "--short=9", "HEAD"], cwd=self.tree, text=True, capture_output=True).stdout.strip()
        status, said, ran = self.check()
        self.assertEqual((status, ran), (0, 1))
        self.assertRegex(said, rf"^hostile: ok on {head} at \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d in 0 min$")

    def test_an_argument_that_a_command_does_not_take_is_refused(self):
        for command in ("build", "hostile", "asan"):
            done = subprocess.run(["./dev", command, "dev"], cwd=self.tree, env=self.environment, text=True, capture_output=True)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"dev: '{command}' takes no argument, but was given 'dev'\n")

    def test_what_passed_on_the_same_sources_is_not_run_again(self):
        self.check()
        status, said, ran = self.check()
        self.assertEqual((status, ran), (0, 1))
        self.assertRegex(said, "not run again: its sources are the same$")

    def test_a_changed_source_is_checked_again_and_a_changed_text_is_not(self):
        self.check()
        (self.tree / "README.md").write_text("words\n")
        self.assertEqual(self.check()[2], 1)
        (self.tree / "source.cc").write_text("int main() {}\n")
        self.assertEqual(self.check()[2], 2)

    def test_a_document_is_a_source_of_the_stages_that_read_it(self):
        def stages_for(name):
            before = {stage: self.hash_of(stage) for stage in ("test", "oracle", "asan", "tsan", "hostile", "effects", "clang")}
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("words\n")
            return " ".join(stage for stage in before if self.hash_of(stage) != before[stage])

        self.assertEqual(stages_for("docs/admin.md"), "test asan tsan")
        self.assertEqual(stages_for("docs/slurm-differences.md"), "test oracle asan tsan")
        self.assertEqual(stages_for("docs/migrating-from-slurm.md"), "test oracle asan tsan")
        self.assertEqual(stages_for("docs/performance.md"), "test")
        self.assertEqual(stages_for("docs/performance.json"), "test")
        self.assertEqual(stages_for("tests/oracle/run"), "test oracle")
        self.assertEqual(stages_for("tests/e2e/test_trouble.py"), "test asan tsan")
        self.assertEqual(stages_for("tests/e2e/test_launcher.py"), "test asan tsan effects")
        self.assertEqual(stages_for("tests/e2e/cluster.py"), "test oracle asan tsan hostile effects")

    def test_lint_reads_what_changed_since_it_passed_and_all_if_its_rules_did(self):
        files_behind_options = 'while [ "$1" != -j ]; do shift; done\nshift 2\necho "$@" >>build/tidied\n'
        for name, does in {"clang-format-19": "exit 0\n", "run-clang-tidy-19": files_behind_options}.items():
            (self.root / "played" / name).write_text("#!/bin/sh\n" + does)
            (self.root / "played" / name).chmod(0o755)
        for name, text in {"tests/a.h": "", "b.h": '#include "tests/a.h"\n', "a.cc": '#include "b.h"\n', "tests/b.cc": '#include "a.h"\n', "c.cc": "", "CMakeLists.txt": ""}.items():
            (self.tree / name).write_text(text)
        self.commit()

        def tidied():
            self.assertEqual(self.check("lint")[0], 0, self.said)
            return (self.tree / "build/tidied").read_text().splitlines()[-1].replace(str(self.tree), "")

        self.assertIn("/build/lint/", tidied())
        (self.tree / "tests/a.h").write_text("int a;\n")
        self.commit()
        self.assertEqual(tidied(), "^/a.cc$ ^/tests/b.cc$")
        (self.tree / "c.cc").write_text("int c;\n")
        self.assertEqual(tidied(), "^/c.cc$")
        (self.tree / "CMakeLists.txt").write_text("project(a)\n")
        self.commit()
        self.assertIn("/build/lint/", tidied())

    def hash_of(self, stage):
        done = subprocess.run(["./dev", "sources_hash", stage], cwd=self.tree, env=self.environment, text=True, capture_output=True, check=True)
        return done.stdout.strip()

    def hook(self, script):
        (self.tree / "tests/hostile/run").write_text(script)
        self.commit()

    def test_a_stage_that_cannot_run_here_is_not_ok(self):
        self.hook("#!/bin/sh\necho ran >>build/ran\nexit 77\n")
        for ran in (1, 2):
            status, said, count = self.check()
            self.assertEqual((status, count), (0, ran))
            self.assertRegex(said, "^hostile: SKIPPED, at least in part, on ")

    def test_a_stage_without_its_script_fails(self):
        (self.tree / "tests/hostile/run").chmod(0o644)
        self.assertEqual(self.check()[:1], (1,))
        self.assertRegex(self.said.splitlines()[-1], "^hostile: FAILED on ")

    def test_a_stage_names_the_commit_on_which_it_began(self):
        self.hook("#!/bin/sh\ngit -c user.name=a -c user.email=a@b commit -q --allow-empty -m more\n")
        head = subprocess.run(["git", "rev-parse", "--short=9", "HEAD"], cwd=self.tree, text=True, capture_output=True).stdout.strip()
        self.assertRegex(self.check()[1], f"^hostile: ok on {head} at ")

    def test_a_stage_whose_sources_change_under_it_fails(self):
        self.hook("#!/bin/sh\necho 'int main() {}' >source.cc\n")
        status, said, _ = self.check()
        self.assertEqual(status, 1)
        self.assertRegex(said, "^hostile: FAILED, as its sources changed meanwhile, on ")

    def test_of_the_script_a_stage_reads_its_own_function(self):
        script = self.tree / "dev"

        def changed(old, new):
            text = script.read_text()
            self.assertIn(old, text)
            script.write_text(text.replace(old, new))
            return self.check()[2]

        self.check()
        self.assertEqual(changed("do_crash() {", "do_crash() { true &&"), 1)
        self.assertEqual(changed("do_hostile() {", "do_hostile() { true &&"), 2)
        self.assertEqual(changed("do_hook() {", "do_hook() {\n    true"), 3)

    def test_what_sanitizers_leave_out_concerns_their_stages_alone(self):
        self.check()
        (self.tree / "tools/not_sanitized.txt").write_text("slow: it is slow\n")
        self.assertEqual(self.check()[2], 1)

    def test_what_failed_is_run_again(self):
        (self.tree / "fails").touch()
        self.commit()
        self.assertEqual(self.check()[0], 1)
        status, said, ran = self.check()
        self.assertEqual((status, ran), (1, 2))
        self.assertRegex(said, "^hostile: FAILED on ")

    def keep(self):
        done = subprocess.run(["./dev", "keep_checked"], cwd=self.tree, env=self.environment, text=True, capture_output=True, check=True)
        shutil.rmtree(self.tree / "build")  # As on another machine.
        (self.tree / "build").mkdir()
        self.commit()
        return done.stdout

    def test_what_was_kept_is_known_on_other_machines(self):
        _, passed, _ = self.check()
        self.assertEqual(self.keep(), passed + "\n")
        status, said, ran = self.check()
        self.assertEqual((status, ran), (0, 0))
        self.assertEqual(said, passed + ", not run again: its sources are the same")
        (self.tree / "source.cc").write_text("int main() {}\n")
        self.assertEqual(self.check()[2], 1, "another source")

    def test_what_passed_elsewhere_is_kept_though_it_passed_here_on_older_sources(self):
        self.check()
        older = (self.tree / "build/check/hostile").read_text()
        (self.tree / "source.cc").write_text("int main() {}\n")
        self.commit()
        _, passed, _ = self.check()
        self.keep()
        (self.tree / "build/check").mkdir()
        (self.tree / "build/check/hostile").write_text(older)
        self.assertEqual(self.keep(), passed + "\n")

    def test_keeping_changes_no_source_and_forgets_no_stage(self):
        before = self.hash_of("test"), self.hash_of("hostile")
        _, passed, _ = self.check()
        self.keep()
        self.assertEqual((self.hash_of("test"), self.hash_of("hostile")), before)
        self.assertEqual(self.keep(), passed + "\n", "nothing passed since")
        (self.tree / "fails").touch()
        self.commit()
        self.check()
        self.assertEqual(self.keep(), passed + "\n", "what fails is not kept")
        self.assertEqual(self.check()[0], 1, "and what was kept is of other sources")

    def test_what_passed_is_not_built_ahead(self):
        (self.root / "played/cmake").write_text('#!/bin/sh\necho "$@" >>build/cmake\n')
        stamp = self.tree / "build/check/asan"
        stamp.parent.mkdir(parents=True)
        stamp.write_text(self.hash_of("asan") + "\nasan: ok on there\n")
        self.assertEqual(self.check("asan")[1], "asan: ok on there, not run again: its sources are the same")
        self.assertFalse((self.tree / "build/cmake").exists())
        stamp.unlink()
        self.check("asan")
        self.assertIn("--preset asan", (self.tree / "build/cmake").read_text())

    def test_of_a_sanitized_build_what_failed_and_scripts_that_changed_run_again(self):
        played = {"ctest": CTEST, "setarch": '#!/bin/sh\nshift 2\nexec "$@"\n', "promtool": "", "linux.uml": ""}
        for name, text in played.items():
            program = self.root / "played" / name
            program.write_text(text)
            program.chmod(0o755)
        script = self.tree / "tests/e2e/test_up.py"
        script.parent.mkdir()
        script.write_text("pass\n")
        shutil.copy(ROOT / "tools/skipped.py", self.tree / "tools")
        (self.tree / "tools/not_sanitized.txt").write_text("hosts: it needs a kernel\n")
        (self.tree / "build/asan").mkdir(parents=True)
        (self.tree / "build/fails").touch()

        def asked():
            status = self.check("asan")[0]
            return status, (self.tree / "build/asked").read_text().splitlines()[-1].split(".xml ")[1]

        self.assertEqual(asked(), (1, "-E ^(hosts)$"))
        self.assertEqual(asked(), (1, "-R ^(slow)$"))
        (self.tree / "build/asan/Testing/Temporary/LastTestsFailed.log").write_text("3:other\n")  # By a ctest of somebody's own.
        script.write_text("print()\n")
        (self.tree / "build/fails").unlink()
        self.assertEqual(asked(), (0, "-R ^(e2e_up|slow)$"))
        self.assertRegex(self.said.splitlines()[-1], "^asan: ok, after failures of slow \\(2 times\\), on ")
        self.check("asan")
        self.assertRegex(self.said.splitlines()[-1], "^asan: ok, after failures of slow .*not run again")
        script.write_text("print(1)\n")
        self.assertEqual(asked(), (0, "-R ^(e2e_up)$"))
        (self.tree / "source.cc").write_text("int main() {}\n")
        self.assertEqual(asked(), (0, "-E ^(hosts)$"))
        self.assertRegex(self.said.splitlines()[-1], "^asan: ok on ", "nothing failed on these sources")
        (self.root / "played/cmake").write_text('#!/bin/sh\n[ "$1" != --build ]\n')
        (self.tree / "source.cc").write_text("int main() {\n")
        before = (self.tree / "build/asked").read_text()
        self.assertEqual(asked()[0], 1)
        self.assertEqual((self.tree / "build/asked").read_text(), before, "what was built before is not tested")

    def test_what_only_reads_runs_beside_and_is_told_in_its_place(self):
        alone = self.tree / "tools/parse_alone"
        alone.write_text("#!/bin/sh\n[ ! -e fails ] && echo parsed\n")
        alone.chmod(0o755)
        self.commit()
        self.assertEqual(self.check("clang", "hostile")[0], 0)
        self.assertIn("parsed", self.said)
        first, last = self.said.splitlines()[-2:]
        self.assertRegex(first, "^clang: ok on ")
        self.assertRegex(last, "^hostile: ok on ")
        (self.tree / "fails").touch()
        self.commit()
        self.assertEqual(self.check("clang", "hostile")[0], 1)
        self.assertRegex(self.said.splitlines()[-2], "^clang: FAILED on ")


if __name__ == "__main__":
    unittest.main()
