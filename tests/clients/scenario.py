"""What scenarios share: commands, patience, and the words that tests/clients/run prints."""

import subprocess
import time
from importlib.metadata import version


def ran(package, what):
    print(f"ran: {package} {version(package)}: {what}", flush=True)


def replayed(what):
    print(f"replayed: {what}", flush=True)


def out(*command, check=True, stdin=""):
    done = subprocess.run(command, text=True, input=stdin, capture_output=True, timeout=120)
    assert not check or done.returncode == 0, f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def state_of(job):
    return out("sacct", "-n", "-X", "-P", "-j", str(job), "-o", "State").strip().split(" ")[0]


def wait(what, condition, patience=90.0):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if value := condition():
            return value
        time.sleep(0.1)
    raise AssertionError(f"waited {patience:.0f} s for {what}")
