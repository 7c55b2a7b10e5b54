#!/usr/bin/env python3
"""What ./dev installs on a machine where much, little or nothing of it is known to dpkg."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent

# As Debian's: it prints what it knows, and fails if it knows nothing of one of the names.
DPKG_QUERY = """#!/bin/sh
status=0
shift 3
for name in "$@"; do
    if grep -qx "$name" "$FOLDER/installed"; then echo "installed $name"; else status=1; fi
done
exit $status
"""
# Installs, unless it is to fail or another is at it, and writes down what it was asked.
APT_GET = """#!/bin/sh
echo "$*" >>"$FOLDER/asked"
[ -e "$FOLDER/no-network" ] && exit 100
mkdir "$FOLDER/locked" 2>/dev/null || exit 100
trap 'rmdir "$FOLDER/locked"' EXIT
sleep 0.1
[ "$1" = install ] || exit 0
for word in "$@"; do echo "$word" >>"$FOLDER/installed"; done
"""
AS_DEV = "set -euo pipefail; . '%s/packages.sh'; PACKAGES_build='g++ ccache' PACKAGES_lint=tidy; need build lint; echo built"


class Packages(unittest.TestCase):
    def need(self, installed, *files, script=AS_DEV):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in (("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET), ("sudo", '#!/bin/sh\nexec "$@"\n')):
                (root / name).write_text(text)
                (root / name).chmod(0o755)
            (root / "installed").write_text("".join(f"{name}\n" for name in installed))
            (root / "asked").touch()
            for name in files:
                (root / name).touch()
            environment = {**os.environ, "FOLDER": folder, "PATH": f"{folder}:{os.environ['PATH']}"}
            done = subprocess.run(["bash", "-c", script % TOOLS], cwd=folder, env=environment, text=True,
                                  capture_output=True)
            return done, (root / "asked").read_text()

    def test_a_bare_machine_gets_all_of_it(self):
        done, asked = self.need([])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("install -q -y --no-install-recommends ccache g++ tidy", asked)
        self.assertIn("built", done.stdout)

    def test_what_is_there_is_not_installed_again(self):
        done, asked = self.need(["g++", "tidy"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("install -q -y --no-install-recommends ccache\n", asked)

    def test_nothing_is_asked_where_nothing_is_missing(self):
        done, asked = self.need(["g++", "ccache", "tidy"])
        self.assertEqual((done.stdout, asked), ("built\n", ""))

    def test_what_cannot_be_installed_ends_it_by_name(self):
        done, _ = self.need(["g++"], "no-network")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("still missing: ccache tidy", done.stderr)
        self.assertNotIn("built", done.stdout)

    def test_two_stages_at_once_wait_for_each_other(self):
        twice = AS_DEV.replace("need build lint;", "need build & need lint & wait -n; wait -n;")
        done, _ = self.need([], script=twice)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(done.stdout.count("dev: installing"), 2)


if __name__ == "__main__":
    unittest.main()
