"""What a test of a configuration key is given: the key's text, a cluster or a simulation that has it, and jobs on it."""

import csv
import json
import os
import re
import signal
import subprocess
import tempfile
import uuid
from contextlib import contextmanager
from pathlib import Path

import leftovers
import worlds
from effect import EFFECTS, Case, Effect, NoEffect
from cluster import BIN, Cluster
from names import ALWAYS_SO

BASE = {"ClusterName": "keys", "GresTypes": "gpu", "KillWait": "1"}
NODE = "CPUs=8 RealMemory=16000 Gres=gpu:a100:4"
NODES = [f"NodeName=n[1-4] {NODE}"]
PARTITIONS = ["PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0", "PartitionName=all Nodes=n[1-4] MaxTime=1-0"]
GRES = "NodeName=n[1-4] Name=gpu Type=a100 Count=4\n"
LISTS = ("SchedulerParameters", "PreemptParameters", "SlurmctldParameters", "PriorityFlags", "AccountingStorageEnforce",
         "PrivateData", "JobSubmitPlugins", "DebugFlags")  # Keys whose value is a list of words.
FILES = ("gres.conf", "cgroup.conf", "topology.conf", "berth.yaml", "job_submit.lua")
USER = "games"  # An ordinary user of every Debian.
SIM_BEGIN = 1_800_000_000
MISSING = set(Path(__file__).with_name("missing.txt").read_text().splitlines())


def without(tree, path):
    """A copy of the tree in which the last name of the path is nowhere; lists are walked through."""
    if isinstance(tree, list):
        return [without(one, path) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if len(path) == 1:
        return {key: value for key, value in tree.items() if key != path[0]}
    return {key: without(value, path[1:]) if path[0] in (key, "*") else value for key, value in tree.items()}


class KeyCase(Case):
    """`self.it` is the tested key as text, or nothing where it is withheld; so is what its kind of file gets by itself."""

    def __init__(self, cluster, name, withheld, kind, key, value):
        super().__init__(cluster, name, withheld)
        self.kind, self.key, self.value, self.stopped = kind, key, value, []

    # ---- The configuration.

    @property
    def word(self):
        """KEY=VALUE, or KEY alone."""
        return self.key if self.value == "" else f"{self.key}={self.value}"

    @property
    def it(self):
        return "" if self.withheld else self.word

    def of(self, kind):
        return self.it if kind == self.kind else ""

    def slurm_conf(self, lines=(), nodes=NODES, partitions=PARTITIONS):
        """lines: whole lines, whose keys stand instead of the usual ones; lists of words (SchedulerParameters …) are joined with what is tested."""
        given = [line.partition("=")[::2] for line in lines]
        lists = {kind: [value for key, value in given if key == kind] + [self.of(kind)] for kind in LISTS}
        said = {key for key, _ in given} | ({self.key} if self.kind == "slurm.conf" else set())
        text = [f"{key}={value}" for key, value in BASE.items() if key not in said]
        text += [f"{key}={value}" for key, value in given if key not in LISTS]
        text += [f"{kind}={','.join(filter(None, words))}" for kind, words in lists.items() if any(words)]
        text += [self.of("slurm.conf"), *nodes, *partitions]
        return "\n".join(text).format(it=self.it) + "\n"

    def write(self, folder, files, yaml, **conf):
        texts = {"slurm.conf": self.slurm_conf(**conf), "gres.conf": GRES} | (files or {})
        if yaml is not None:
            path = re.sub(r"^(gpu_types|priority_classes|queues|flavors)\.", r"\1.*.", self.key).split(".") if self.kind == "berth.yaml" and self.withheld else ()
            texts["berth.yaml"] = json.dumps(without(yaml, path) if path else yaml)
        for name in FILES:
            (folder / name).unlink(missing_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text)

    def configure(self, *lines, files=None, yaml=None, **conf):
        """The world's cluster gets another configuration while it runs: berthd has it, the agents have only what berthd tells them."""
        self.write(Path(self.cluster.state) / "etc", files, yaml, lines=lines, **conf)
        self.run("scontrol", "reconfigure")

    @contextmanager
    def started(self, *lines, files=None, yaml=None, **conf):
        """A cluster of its own, for what only a start reads."""
        with tempfile.TemporaryDirectory(prefix="berth-keys.") as name:
            folder = Path(name)
            folder.chmod(0o755)
            self.write(folder, files, yaml, lines=lines, **conf)
            shared = self.cluster
            try:
                with Cluster(conf=folder / "slurm.conf") as self.cluster:
                    try:
                        yield self.cluster
                    finally:
                        self.tidy()
            finally:
                self.cluster = shared

    def simulated(self, *lines, jobs, files=None, yaml=None, options=(), **conf):
        """What became of jobs in virtual time: {number: {"first_start_s": …}}. Each is a dict of a trace's fields: at, runs (seconds), limit
        (minutes), cpus, and User, Account, Partition, QOS."""
        with tempfile.TemporaryDirectory(prefix="berth-keys.") as name:
            folder = Path(name)
            (folder / "etc").mkdir()
            self.write(folder / "etc", files, yaml, lines=lines, **conf)
            rows = ["JobID|JobName|User|Account|Partition|QOS|State|Submit|ElapsedRaw|TimelimitRaw|ReqTRES"]
            for number, job in enumerate(jobs, 1):
                limit = job.get("limit", 60)
                rows.append("|".join(str(field) for field in (
                    number, job.get("JobName", f"job{number}"), job.get("User", "ann"), job.get("Account", ""), job.get("Partition", "main"),
                    job.get("QOS", ""), "COMPLETED", SIM_BEGIN + job.get("at", 0), job.get("runs", 60), "" if limit is None else limit,
                    f"cpu={job.get('cpus', 8)},node={job.get('nodes', 1)}" + job.get("tres", ""))))
            (folder / "trace").write_text("\n".join(rows) + "\n")
            done = subprocess.run([str(BIN / "berth"), "sim", "run", "--trace", f"sacct:{folder}/trace", "--cluster", str(folder / "etc"),
                                   "--limits", "exact", "--moves", "0", "--csv", str(folder / "csv"), *options],
                                  text=True, capture_output=True, timeout=60)
            if done.returncode != 0:
                raise NoEffect(done.stdout + done.stderr)
            with open(folder / "csv") as file:
                return {int(row["job"]): row for row in csv.DictReader(file)}

    def first(self, *lines, **more):
        """Which of two jobs that wait for the same node starts first in a simulation (one of nobody's runs before them)."""
        pair = more.pop("jobs")
        more.setdefault("nodes", ["NodeName=n1 CPUs=8 RealMemory=16000"])
        more.setdefault("partitions", ["PartitionName=main Nodes=n1 Default=YES"])
        more.setdefault("files", {"gres.conf": ""})
        end = more.pop("occupied", 600)
        begin = max(job.get("at", 0) for job in pair)
        done = self.simulated(*lines, jobs=[*more.pop("before", ()), {"User": "nobody", "at": min(job.get("at", 0) for job in pair),
                                                                      "runs": end + begin, "limit": 10_000, "tres": ""}, *pair], **more)
        one, two = sorted(done)[-2:]
        return 1 if float(done[one]["first_start_s"]) < float(done[two]["first_start_s"]) else 2

    # ---- Jobs.

    def as_user(self, *command, user=USER, **more):
        return self.run("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command, **more)

    def sbatch(self, *words, user=None, ok=True, script="true"):
        command = ("sbatch", "--parsable", "-o", "/dev/null", *words) + (() if "--wrap" in words else ("--wrap", script))
        done = self.as_user(*command, user=user, ok=ok) if user else self.run(*command, ok=ok)
        return done.stdout.strip()

    def refused(self, *words, user=None):
        """The submission is refused; what it says."""
        command = ("sbatch", "--parsable", "-o", "/dev/null", *words, "--wrap", "true")
        return (self.as_user(*command, user=user, ok=False) if user else self.run(*command, ok=False)).stderr

    def output(self, script, *words):
        """What a batch job of this script prints."""
        name = f"out-{uuid.uuid4().hex[:8]}"
        self.run("sbatch", "--wait", "-o", name, *words, stdin=f"#!/bin/bash\n{script}\n")
        return (self.file(name) or "").strip()

    def shown(self, job, *details):
        return self.out("scontrol", *details, "show", "job", job)

    def squeue(self, job, what):
        return self.out("squeue", "-h", "-a", "-t", "all", "-j", job, "-o", what).strip()

    def runs(self, job, patience=4.0):
        self.wait(f"job {job} to run", lambda: self.squeue(job, "%t") in ("R", "CG", "CD"), patience)

    def waits_for(self, job, reason, patience=3.0):
        def state():
            text = self.squeue(job, "%t %r")
            return text if reason in text or not text.startswith("PD") else None
        text = self.wait(reason, state, patience)
        if reason not in text:
            raise NoEffect(f"{text}, not {reason}")

    def ends(self, job, patience=6.0):
        self.wait(f"job {job} to end", lambda: self.squeue(job, "%t") not in ("R", "CG", "PD"), patience)

    def fill(self, *words, time="10"):
        """A job that holds all of n1 and n2."""
        job = self.sbatch("-N2", "--exclusive", "-t", time, *words, script="sleep 300")
        self.runs(job)
        return job

    def priority(self, *words, what="%Y"):
        """One column of sprio, of a job that waits."""
        self.fill()
        job = self.sbatch(*words)

        def column():
            done = self.run("sprio", "-h", "-j", job, "-o", f"{what};")
            return done.stdout.strip().removesuffix(";") if ";" in done.stdout else None
        return self.wait(f"the priority of job {job}", column, 3)

    def program(self, name, shell):
        """An executable of the site's, in the cluster's folder."""
        path = self.cluster.root / name
        path.write_text(f"#!/bin/sh\n{shell}\n")
        path.chmod(0o755)
        return path

    def stop_agent(self, node):
        """Until the test's end."""
        pid = self.cluster.pid(f"agent-{node}")
        self.stopped.append(pid)
        os.kill(pid, signal.SIGSTOP)

    def continue_agents(self):
        for pid in self.stopped:
            os.kill(pid, signal.SIGCONT)
        self.stopped = []

    def popen(self, *command):
        return subprocess.Popen(command, cwd=self.cluster.work, env=self.cluster.environment(), text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def tidy(self):
        """What this test leaves is gone before the next one."""
        self.continue_agents()
        run = self.cluster.run
        for job in run("squeue", "-h", "-a", "-o", "%A", check=False).stdout.split():
            run("scancel", "-s", "KILL", "--full", job, check=False)
            run("scancel", job, check=False)
        self.cluster.wait_all_done()  # Jobs that are ending still count against limits.
        ill = [line.split()[0] for line in run("sinfo", "-h", "-a", "-N", "-o", "%N %t", check=False).stdout.splitlines()
               if any(word in line for word in ("drain", "drng", "down", "boot", "maint"))]
        if ill:
            run("scontrol", "update", f"NodeName={','.join(sorted(set(ill)))}", "State=RESUME", check=False)
        for path in self.cluster.root.glob("*"):
            if path.is_file() and path.name != leftovers.OWNER:
                path.unlink()


def key(kind, name, value, seen, needs_root=False, world="keys"):
    """Registers the effect of one key: kind is its file or line ("slurm.conf", "partition", "node", "gres.conf", "SchedulerParameters" …).
    A test that is ahead of the key's mend rests while its name stands in missing.txt."""
    def register(function):
        if f"{kind} {name}" in MISSING:
            return function

        def tested(case):
            try:
                function(case)
            finally:
                if case.cluster:
                    case.tidy()
        one = Effect(f"{kind} {name}", seen, world, tested, needs_root, always=f"{kind} {name}" in ALWAYS_SO)
        one.case = lambda cluster, withheld: KeyCase(cluster, one.name, withheld, kind, name, value)
        EFFECTS.append(one)
        return function
    return register


@contextmanager
def cluster_of_keys():
    with tempfile.TemporaryDirectory(prefix="berth-keys.") as name:
        folder = Path(name)
        (folder / "slurm.conf").write_text(KeyCase(None, "", True, "", "", "").slurm_conf())
        (folder / "gres.conf").write_text(GRES)
        with Cluster(conf=folder / "slurm.conf") as cluster:
            yield cluster


worlds.WORLDS["keys"] = cluster_of_keys


def yaml_key(name, seen, **more):
    return key("berth.yaml", name, "", seen=seen, **more)
