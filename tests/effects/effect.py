"""What an effect test is, and how it is proved to be one.

An effect test gives one thing (an option, a variable, a key) to real programs and sees a difference other than
the thing's own display. It is run twice: with the thing, where it must pass, and with the thing *withheld*, where it must
fail. To be accepted and ignored is the same as to be withheld, so a test that passes both times proves nothing, and fails.
"""

import http.client
import json
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

EFFECTS = []


class NoEffect(AssertionError):
    """What was to be seen was not."""


@dataclass
class Effect:
    name: str        # "sbatch --gpus", "SBATCH_GPUS", "slurm.conf KillWait" …
    seen: str        # What differs.
    world: str       # Which cluster it needs.
    function: Callable
    needs_root: bool = False
    always: bool = False  # What it asks is so without it, too: see names.ALWAYS_SO. Withholding it proves nothing.


def see(condition, what="nothing differs"):
    if not condition:
        raise NoEffect(str(what))


def same(got, wanted):
    if got != wanted:
        raise NoEffect(f"{got!r}, not {wanted!r}")


def ask_socket(cluster, path, method="GET"):
    """What the HTTP API answers over its Unix socket."""
    connection = http.client.HTTPConnection("berth")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(cluster.state / "berthd.sock"))
    try:
        connection.request(method, path.replace(" ", "%20"))
        answer = connection.getresponse()
        body = json.loads(answer.read())
    finally:
        connection.close()
    see(answer.status == 200, body)
    return body


def effect(*names, seen, world="jobs", needs_root=False):
    """The function is called as function(case): see Case below and the worlds' own."""
    def register(function):
        EFFECTS.extend(Effect(name, seen, world, function, needs_root) for name in names)
        return function
    return register


class Case:
    """One call of one effect test: commands on a cluster, with or without what is tested."""

    def __init__(self, cluster, name, withheld):
        self.cluster, self.name, self.withheld = cluster, name, withheld

    def given(self, *words):
        """These words of a command line, or none of them."""
        return () if self.withheld else words

    def variable(self, value):
        return {} if self.withheld else {self.name: value}

    def run(self, *command, ok=True, **more):
        """A command's output; one that fails is an effect not seen, unless a failure is what is looked for."""
        done = self.cluster.run(*command, check=False, **more)
        if ok is not None and (done.returncode == 0) != ok:
            raise NoEffect(f"{' '.join(command)}: exit {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def out(self, *command, **more):
        return self.run(*command, **more).stdout

    def as_nobody(self, *command, **more):
        return self.run("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command, **more)

    def file(self, name):
        path = self.cluster.work / name
        return path.read_text() if path.exists() else None

    def wait(self, what, condition, patience=20.0):
        try:
            return self.cluster.wait(what, condition, patience)
        except AssertionError as error:
            raise NoEffect(str(error).split("\n")[0]) from None


def judge(one, cluster, withheld):
    """None if the effect was seen, else why not."""
    try:
        one.function(one.case(cluster, withheld) if hasattr(one, "case") else Case(cluster, one.name, withheld))
    except (NoEffect, AssertionError, subprocess.TimeoutExpired) as error:
        return str(error) or "it failed"
    return None
