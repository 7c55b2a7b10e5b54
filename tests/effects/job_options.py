"""How the options of sbatch, srun and salloc are tested: as options, as #SBATCH lines and as variables."""

import os
import signal
import subprocess
import uuid
from contextlib import contextmanager

import names
from effect import EFFECTS, Case, Effect

ALL = ("sbatch", "srun", "salloc")


class Job(Case):
    """A case whose option stands on a command line, in a script or in the environment."""

    def __init__(self, cluster, name, withheld, form, command, option, value):
        super().__init__(cluster, name, withheld)
        self.form, self.command, self.option, self.value = form, command, option, value

    def words(self):
        """The option as words of a command line."""
        if self.withheld or self.form != "option":
            return ()
        return (f"--{self.option}" if self.value is None else f"--{self.option}={self.value}",)

    def line(self):
        if self.withheld or self.form != "directive":
            return ""
        return f"#SBATCH --{self.option}" + ("" if self.value is None else f"={self.value}") + "\n"

    def environment(self):
        return {self.name.split()[-1]: self.value or "1"} if self.form == "variable" and not self.withheld else {}

    def submit(self, script, *others, ok=True, wait=True, head=""):
        """sbatch, with the option: what it printed."""
        more = ("--wait",) if wait else ()
        return self.run("sbatch", "--parsable", *more, *others, *self.words(), ok=ok, env=self.environment(),
                        stdin="#!/bin/bash\n" + head + self.line() + script + "\n")

    def output(self, script, *others, on_node=False):
        """What a job of this script prints, whatever starts it. What salloc starts runs here, and not on a node, unless one says so."""
        if self.command == "sbatch":
            name = f"out-{uuid.uuid4().hex[:8]}"
            self.submit(script, "-o", name, *others)
            return (self.file(name) or "").strip()
        step = ("srun",) if self.command == "salloc" and on_node else ()
        return self.out(self.command, *others, *self.words(), *step, "/bin/bash", "-c", script, env=self.environment()).strip()

    def start(self, script, *others, ok=True):
        """A job that is waited for, as done: exit code and streams."""
        if self.command == "sbatch":
            return self.submit(script, *others, ok=ok)
        return self.run(self.command, *others, *self.words(), "/bin/bash", "-c", script, ok=ok, env=self.environment())

    def starts(self, *others):
        """Whether a job starts at once."""
        if self.command != "sbatch":
            return self.run(self.command, "-I1", *others, *self.words(), "true", ok=None, env=self.environment()).returncode == 0
        job = self.submit("sleep 300", *others, wait=False).stdout.strip()
        shown = lambda: self.out("squeue", "-h", "-j", job, "-o", "%t %r").split()
        return self.wait("the job to start, or a reason", lambda: "None" not in (found := shown()) and found[0] or found[0] == "R" and "R") == "R"

    @contextmanager
    def waiting(self, *others, script="true"):
        """The number of a job that may be waiting, whatever submitted it; and the process that waits for it."""
        if self.command == "sbatch":
            yield self.submit(script, *others, wait=False).stdout.strip(), None
            return
        with self.process(self.command, *others, *self.words(), "/bin/bash", "-c", script) as process:
            before = set(self.out("squeue", "-h", "-o", "%A").split())
            new = lambda: set(self.out("squeue", "-h", "-n", "bash", "-o", "%A").split())
            yield max(self.wait("the job", new) or before, key=int), process

    @contextmanager
    def process(self, *command):
        """A command that goes on beside the test."""
        process = subprocess.Popen(command, cwd=self.cluster.work, env=self.cluster.environment() | self.environment(), text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            yield process
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # With what salloc has started.
            except ProcessLookupError:
                pass
            process.communicate()

    def busy(self, *nodes):
        """These nodes are taken."""
        for node in nodes:
            self.run("sbatch", "-w", node, "--exclusive", "-o", "/dev/null", "--wrap", "sleep 300")
        self.wait("the nodes to be busy", lambda: set(nodes) <= set(self.out("squeue", "-h", "-t", "R", "-o", "%N").split()))

    @contextmanager
    def reserved(self, node, start="now"):
        self.run("scontrol", "create", "reservation", "ReservationName=held", f"StartTime={start}", "Duration=60", f"Nodes={node}", "Users=root")
        try:
            yield
        finally:
            self.run("scancel", "-u", "root", ok=None)
            self.cluster.wait_all_done()
            self.run("scontrol", "delete", "ReservationName=held")

    def held(self, *others):
        """What the job holds: {"cpu": "4", "gres/gpu": "2", …}"""
        text = self.output("scontrol show job $SLURM_JOB_ID | grep -o 'AllocTRES=.*'", *others).split("\n")[0]
        return dict(one.rsplit("=", 1) for one in text.removeprefix("AllocTRES=").split(","))


def job_option(name, value=None, seen="", commands=ALL, variable_value=None, world="jobs", forms=("option", "directive", "variable"), needs_root=False):
    """Registers one test for all the forms in which these commands take the option."""
    rows = [row for row in names.job_options().get(name, []) if row["built"]]

    def register(function):
        for row in rows:
            for command in sorted(set(row["commands"]) & set(commands)):
                all_forms = [("option", f"{command} --{name}", value)]
                if command == "sbatch":
                    all_forms.append(("directive", f"#SBATCH --{name}", value))
                for variable in names.input_variables().get((command, name), []):
                    all_forms.append(("variable", names.variable_name(command, variable), variable_value or value))
                for form, full, given in all_forms:
                    if form not in forms:
                        continue
                    one = Effect(full, seen, world, function, needs_root, always=full in names.ALWAYS_SO)
                    one.case = lambda cluster, withheld, f=form, n=full, v=given, c=command: Job(cluster, n, withheld, f, c, name, v)
                    EFFECTS.append(one)
        return function
    return register
