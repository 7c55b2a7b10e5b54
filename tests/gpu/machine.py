"""What this machine's NVIDIA driver says of its GPUs, and clusters of Berth on them."""

import json
import os
import pwd
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from cluster import BIN, Cluster  # noqa: E402, F401
from test_launcher import AGENT, SplitCluster  # noqa: E402

USER, OTHER = "daemon", "nobody"
MPS_CONTROL = "/usr/bin/nvidia-cuda-mps-control"
PATIENCE = 30.0  # Seconds.


def fact(name, value):
    print(f"  fact  {name}: {value}", flush=True)


def smi(fields, what="gpu"):
    """Rows of words, in the order of the fields."""
    done = subprocess.run(["nvidia-smi", f"--query-{what}={fields}", "--format=csv,noheader,nounits"], capture_output=True, text=True, check=True)
    return [[word.strip() for word in line.split(",")] for line in done.stdout.splitlines()]


def compute_pids():
    return {int(row[0]) for row in smi("pid", "compute-apps") if row[0].isdigit()}


def memory_used():
    return sum(int(row[0]) for row in smi("memory.used"))


def slurm_type(name):
    return name.lower().replace(" ", "_")


def ids_of(user):
    record = pwd.getpwnam(user)
    return {"user": record.pw_uid, "group": record.pw_gid, "extra_groups": []}


@cache
def python(module="ctypes"):
    """One that the jobs' user may run, and that has this module; None: there is none."""
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    for path in dict.fromkeys((sys.executable, shutil.which("python3"), "/usr/bin/python3")):
        try:
            if subprocess.run([path, "-c", code], cwd="/", capture_output=True, **ids_of(USER)).returncode == 0:
                return path
        except OSError:
            continue
    return None


def why_not_here():
    if os.geteuid() != 0:
        return "needs root, to run and confine other users' jobs"
    if not shutil.which("nvidia-smi"):
        return "there is no nvidia-smi, so no NVIDIA driver"
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True)
    if listed.returncode != 0 or "GPU 0" not in listed.stdout:
        return f"nvidia-smi finds no GPU: {(listed.stdout + listed.stderr).strip()}"
    if "MIG" in listed.stdout:
        return "a GPU is partitioned into MIG instances, which these tests do not know"
    if compute_pids():
        return f"the GPUs are in use by {', '.join(map(str, sorted(compute_pids())))}"
    if python() is None:
        return f"there is no Python that {USER} may run"
    return None


class Jobs:
    """What tests do with a cluster's jobs."""

    def bring_programs(self):
        self.programs = {name: str(shutil.copy(HERE / name, self.root)) for name in ("use_gpu.py", "multiply.py", "open_gpus.py")}

    def wait(self, what, condition, patience=PATIENCE):
        return super().wait(what, condition, patience)

    def as_user(self, *command, user=USER, check=True):
        return self.run(*command, check=check, env={"HOME": str(self.work), "USER": user, "LOGNAME": user}, **ids_of(user))

    def submit(self, command, *options, user=USER):
        return self.as_user("sbatch", "--parsable", *options, "--wrap", command, user=user).stdout.strip()

    def program(self, name, *arguments, module="ctypes"):
        return " ".join([python(module), self.programs[name], *map(str, arguments)])

    def using(self, seconds, *more):
        return "exec " + self.program("use_gpu.py", "--seconds", seconds, *more)

    def multiplying(self, seconds):
        """With PyTorch, if there is one."""
        return "exec " + self.program("multiply.py", seconds, module="torch") if python("torch") else self.using(seconds)

    def told(self, job):
        """The JSON that the job printed last."""
        return json.loads(self.output(job).splitlines()[-1])

    def ended(self, job, patience=PATIENCE):
        states = ("COMPLETED", "FAILED", "OUT_OF_MEMORY", "CANCELLED", "NODE_FAIL", "TIMEOUT")
        return self.wait(f"job {job} to end", lambda: (state := self.state_of(job)) in states and state, patience)

    def completed(self, job):
        state = self.ended(job)
        if state != "COMPLETED":
            raise AssertionError(f"job {job} is {state}: {self.output(job)}{self.log_ends()}")
        return self.told(job)

    def metrics(self):
        """{name: value} of the first GPU."""
        page = self.run("curl", "-s", "--unix-socket", str(self.state / "berthd.sock"), "http://berth/metrics").stdout
        return {name: float(value) for name, value in re.findall(r'^(berth_gpu_\w+)\{[^}]*gpu="0"[^}]*\} (\S+)$', page, re.M)}

    def node(self):
        return self.run("scontrol", "show", "node").stdout

    def logs(self, which="*"):
        return "".join(log.read_text() for log in sorted((self.state / "log").glob(which)))

    def wait_for_free_gpu(self, idle=None):
        self.wait("the GPU to be free of processes", lambda: not compute_pids() and (idle is None or memory_used() <= idle + 16), 15)


def write_conf(folder, detected, shares, node=None):
    """slurm.conf and what lies beside it, of what `berth detect` prints, with shares of the GPUs; a heartbeat every 2 s."""
    slurm, _, rest = detected.removeprefix("# slurm.conf\n").partition("# gres.conf\n")
    gres, _, types = rest.partition("# berth.yaml\n")
    if node:
        slurm = re.sub(r"NodeName=(\S+)", rf"NodeName={node} NodeHostname=\1", slurm)
    (folder / "slurm.conf").write_text(f"ClusterName=shared\nGresTypes=gpu,mps,shard,gpumem\nKillWait=2\nSlurmdTimeout=20\n{slurm.strip()},{shares}\n"
                                       "PartitionName=main Nodes=ALL Default=YES MaxTime=1:00:00\n")
    (folder / "gres.conf").write_text(gres)
    (folder / "berth.yaml").write_text(types)
    (folder / "cgroup.conf").write_text("ConstrainCores=yes\nConstrainDevices=yes\nConstrainRAMSpace=yes\n")
    return folder / "slurm.conf"


def all_shares():
    sizes = [int(row[0]) for row in smi("memory.total")]
    return f"mps:{100 * len(sizes)},shard:{4 * len(sizes)},gpumem:{min(sizes) * len(sizes)}M"


class OneBox(Jobs, Cluster):
    """`berth up` on what this machine has."""

    def __init__(self):
        super().__init__()
        self.bring_programs()
        self.up_arguments = []


class Shared(OneBox):
    """`berth up` on a slurm.conf that shares the GPUs."""

    def __init__(self):
        super().__init__()
        folder = self.root / "given"
        folder.mkdir()
        self.up_arguments = ["--slurm-conf", str(write_conf(folder, self.run("berth", "detect").stdout, all_shares()))]


class Split(Jobs, SplitCluster):
    """As the packages install it: an agent that is nobody, and a launcher that is root."""

    def __init__(self):
        super().__init__()
        self.bring_programs()
        write_conf(self.config, self.run("berth", "detect").stdout, all_shares(), node="n1")

    def start_launcher(self):
        self.start("berth-launcher", "--node", "n1", "--config", self.config, "--state", self.launcher_state,
                   "--socket", self.state / "run/launcher.sock", "--agent-user", AGENT,
                   "--controller-key", self.config / "launch.pub", "--client-socket", self.state / "berthd.sock")
        self.wait("the launcher to listen", (self.state / "run/launcher.sock").exists)

    def start_agent(self, node="n1"):
        self.start("berth-agent", "--node", node, "--config", self.config, "--state", self.agent_state,
                   "--controller", f"unix:{self.state}/run/agents.sock", "--launcher", self.state / "run/launcher.sock",
                   user=AGENT, group="nogroup", extra_groups=[])
