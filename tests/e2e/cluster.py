"""A real cluster on this machine for one test: berth up in a temporary directory, and the commands as a user calls them."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from functools import cache
from pathlib import Path

import leftovers

BIN = Path(os.environ.get("BERTH_BIN", Path(__file__).resolve().parents[2] / "build/bin"))
PATIENCE = 60.0  # Seconds; machines are shared and slow.
ALL_SKIPPED = 77  # The SKIP_RETURN_CODE of tests/CMakeLists.txt.

sweep_once = cache(leftovers.sweep)


def ended(pid):
    """The process is gone, and each of its threads: until then it keeps its files and their locks."""
    process = Path(f"/proc/{pid}")
    try:
        return process.joinpath("stat").read_text().split()[2] == "Z" and len(list(process.joinpath("task").iterdir())) == 1
    except OSError:
        return True


class Cluster:
    """`with Cluster("a100:8") as cluster`: started on entry, stopped and removed on exit."""

    def __init__(self, gpus="a100:8", nodes=1, cpus=16, conf=None, parent=None):
        sweep_once()
        self.root = Path(tempfile.mkdtemp(prefix="berth-e2e.", dir=parent))
        self.root.chmod(0o755)
        leftovers.claim(self.root, *([Path(conf).parent] if conf else []))
        self.state = self.root / "cluster"
        self.work = self.root / "work"
        self.work.mkdir(mode=0o777)
        self.work.chmod(0o777)
        self.up_arguments = ["--slurm-conf", str(conf)] if conf else [
            "--simulate-gpus", gpus, "--nodes", str(nodes), "--cpus", str(cpus)]

    def environment(self):
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_"))}
        keep.update(BERTH_STATE=str(self.state), BERTH_SOCKET=str(self.state / "berthd.sock"),
                    PATH=f"{BIN}:{os.environ['PATH']}")
        return keep

    def __enter__(self):
        try:
            self.up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.run("berth", "down", "--kill", check=False)
        shutil.rmtree(self.root, ignore_errors=True)

    def up(self):
        self.run("berth", "up", *self.up_arguments)

    def run(self, *command, check=True, stdin=None, **more):
        done = subprocess.run(command, cwd=self.work, env=self.environment() | more.pop("env", {}), text=True,
                              input=stdin if stdin is not None else "", capture_output=True, timeout=120, **more)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}{self.log_ends()}")
        return done

    def log_ends(self):
        ends = ""
        for log in sorted((self.state / "log").glob("*")):
            ends += f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}\n"
        return ends

    def sbatch(self, *arguments, script=None):
        command = ["sbatch", "--parsable", *arguments]
        return self.run(*command, stdin="#!/bin/bash\n" + script if script is not None else None).stdout.strip()

    def states(self, job):
        """{"12": "COMPLETED", "12.batch": …} from sacct."""
        text = self.run("sacct", "-n", "-P", "-j", str(job), "-o", "JobID,State").stdout
        return dict(line.split("|") for line in text.splitlines())

    def state_of(self, job):
        return self.states(job).get(str(job), "").split(" ")[0]

    def wait(self, what, condition, patience=PATIENCE):
        until = time.monotonic() + patience
        while time.monotonic() < until:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        queue = self.run("squeue", "-t", "all", check=False)
        raise AssertionError(f"waited {patience:.0f} s for {what}\n{queue.stdout}{queue.stderr}{self.log_ends()}")

    def wait_state(self, job, *states):
        return self.wait(f"job {job} to be {' or '.join(states)}", lambda: self.state_of(job) in states and self.state_of(job))

    def wait_all_done(self):
        """As long as the queue becomes shorter."""
        def waiting():
            return self.run("squeue", "-h", "-t", "PENDING,RUNNING,COMPLETING").stdout.count("\n")

        least = waiting()
        while least > 0:
            least = self.wait("the queue to become shorter", lambda: [left] if (left := waiting()) < least else None)[0]

    def output(self, job, name="slurm-{}.out"):
        return (self.work / name.format(job)).read_text()

    def pid(self, daemon):
        return int((self.state / f"{daemon}.pid").read_text().split()[0])

    def kill(self, daemon, how=signal.SIGKILL):
        pid = self.pid(daemon)
        os.kill(pid, how)
        self.wait(f"{daemon} to be gone", lambda: ended(pid))


class CountingResult(unittest.TextTestResult):
    """Counts what passed. unittest does not, and its testsRun counts skipped tests in some versions of Python only."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


class CountingRunner(unittest.TextTestRunner):
    resultclass = CountingResult


def main():
    """Runs the tests of the program. Exits with 1 if a test failed or none ran, with 77 if all were skipped, otherwise with 0.

    unittest.main() exits with 0 if all were skipped. tools/skipped.py reads the lines on what was skipped; ctest cuts the output
    of a test that passed before them, unless it finds the word below."""
    result = unittest.main(testRunner=CountingRunner, verbosity=2, exit=False).result
    reasons = Counter(reason.removeprefix("SKIPPED: ") for _, reason in result.skipped)
    for reason, count in reasons.most_common():
        print(f"skipped: {count} × {reason}")
    if reasons:
        print("CTEST_FULL_OUTPUT", flush=True)
    if not result.wasSuccessful():
        sys.exit(1)
    if result.passed == 0:
        sys.exit(ALL_SKIPPED if reasons else "no test ran")
    sys.exit(0)
