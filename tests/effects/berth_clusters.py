"""berth's commands that start, stop, copy and examine clusters; and the variables that say where the cluster is."""

import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from berth_jobs import berth_option, json_of
from cluster import BIN
from commands import Asked
from effect import EFFECTS, Effect, same, see
from worlds import WORLDS

CONF = "ClusterName=mine\nNodeName=n[1-3] CPUs=2 RealMemory=4000\nPartitionName=main Nodes=ALL Default=YES\n"


# ---- A cluster of the test's own.

class Own(Asked):
    """A place for a cluster: self.state; and another, self.home, that an option is to win over."""

    @contextmanager
    def place(self):
        with tempfile.TemporaryDirectory(prefix="berth-own.") as name:
            self.root = Path(name)
            self.root.chmod(0o755)
            self.state, self.home = self.root / "state", self.root / "home"
            (self.root / "slurm.conf").write_text(CONF)
            try:
                yield self
            finally:
                for state in (self.state, self.home):
                    self.at(state, "berth", "down", "--kill")

    def wait(self, what, condition, patience=20.0):
        until = time.monotonic() + patience
        while not condition():
            see(time.monotonic() < until, f"waited for {what}")
            time.sleep(0.05)

    def at(self, state, *command):
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("BERTH_", "XDG_", "SLURM_"))}
        keep |= dict(PATH=f"{BIN}:{os.environ['PATH']}", BERTH_STATE=str(state), BERTH_SOCKET=f"{state}/berthd.sock")
        return subprocess.run(command, cwd=self.root, env=keep, text=True, capture_output=True, input="", timeout=60)

    def words(self):
        self.value = self.value.replace("ROOT", str(self.root)) if self.value else self.value
        return super().words()


def own_option(name, value=None, seen=""):
    command, option = name.removeprefix("berth ").rsplit(" --", 1)
    return berth_option(option, value, seen, (command,), world="alone", case=Own)


def up(run, *others, shown="%D"):
    """What sinfo shows of the cluster that `berth up` made."""
    done = run.at(run.state, "berth", "up", *run.words(), *others)
    see(done.returncode == 0, done.stderr)
    return run.at(run.state, "sinfo", "-h", "-o", shown).stdout.strip()


@own_option("berth up --simulate-gpus", "a100:3", seen="nodes have such GPUs")
def up_simulate_gpus(run):
    with run.place():
        see("gpu:a100:3" in up(run, "--nodes=1", *(("--simulate-gpus=a100:1",) if run.withheld else ()), shown="%G"))


@own_option("berth up --nodes", "2", seen="so many nodes")
def up_nodes(run):
    with run.place():
        same(up(run, "--simulate-gpus=a100:1"), "2")


@own_option("berth up --cpus", "3", seen="so many CPUs")
def up_cpus(run):
    with run.place():
        same(up(run, "--simulate-gpus=a100:1", shown="%c"), "3")


@own_option("berth up --slurm-conf", "ROOT/slurm.conf", seen="the cluster of that file")
def up_slurm_conf(run):
    with run.place():
        same(up(run, *(("--simulate-gpus=a100:1",) if run.withheld else ())), "3")


@own_option("berth up --state", "ROOT/state", seen="the cluster is there")
def up_state(run):
    with run.place():
        run.at(run.home, "berth", "up", *run.words(), "--simulate-gpus=a100:1")
        see((run.state / "berthd.pid").exists())


@own_option("berth up --lenient", seen="it starts in spite of an error")
def up_lenient(run):
    with run.place():
        (run.root / "slurm.conf").write_text(CONF + "NoSuchKey=1\nMaxJobCount=many\n")
        same(up(run, f"--slurm-conf={run.root}/slurm.conf"), "3")


@own_option("berth up --replace-config", seen="a cluster that is there gets other nodes")
def up_replace_config(run):
    with run.place():
        for words in (("--nodes=1",), ("--nodes=2", *run.words())):
            run.at(run.state, "berth", "up", "--simulate-gpus=a100:1", *words)
            shown = run.at(run.state, "sinfo", "-h", "-o", "%D").stdout.strip()
            run.at(run.state, "berth", "down", "--kill")
        same(shown, "2")


@own_option("berth up --accept-loss", seen="it starts without the records that are missing")
def up_accept_loss(run):
    with run.place():
        run.at(run.state, "berth", "up", "--simulate-gpus=a100:1")
        run.at(run.state, "berth", "down")
        old = (run.state / "state/berth.db").read_bytes()
        run.at(run.state, "berth", "up")
        run.at(run.state, "sbatch", "-o", "/dev/null", "--wait", "--wrap", "true")
        run.at(run.state, "berth", "down")
        (run.state / "state/berth.db").write_bytes(old)
        done = run.at(run.state, "berth", "up", *run.words())
        see(done.returncode == 0, done.stderr)


@own_option("berth down --state", "ROOT/state", seen="that cluster stops")
def down_state(run):
    with run.place():
        run.at(run.state, "berth", "up", "--simulate-gpus=a100:1")
        run.at(run.home, "berth", "down", *run.words())
        see(not (run.state / "berthd.pid").exists())


@own_option("berth down --kill", seen="it stops in spite of a running job")
def down_kill(run):
    with run.place():
        run.at(run.state, "berth", "up", "--simulate-gpus=a100:1")
        run.at(run.state, "sbatch", "-o", "/dev/null", "--wrap", "sleep 300")
        run.wait("the job to run", lambda: run.at(run.state, "squeue", "-h", "-t", "R").stdout)
        done = run.at(run.state, "berth", "down", *run.words())
        see(done.returncode == 0, done.stderr)


@contextmanager
def kept_out(run):
    """A cluster whose queue keeps a job waiting: `berth queues what-if` with the option, run in another place."""
    with run.place():
        (run.root / "slurm.conf").write_text(CONF + "AccountingStorageEnforce=limits\n")
        (run.root / "berth.yaml").write_text("accounts: [{name: lab, users: [root]}]\nqueues: {lab: {limit: node=1, max_jobs: 9}}\n")
        run.at(run.state, "berth", "up", f"--slurm-conf={run.root}/slurm.conf")
        for _ in range(2):
            run.at(run.state, "sbatch", "-o", "/dev/null", "--wrap", "sleep 300")
        run.wait("the limit", lambda: "AssocGrpNodeLimit" in run.at(run.state, "squeue", "-h", "-o", "%r").stdout)
        yield lambda state, *words: run.at(state, "berth", "queues", "what-if", *run.words(), *words).stdout


@own_option("berth queues what-if --state", "ROOT/state", seen="that cluster's jobs")
def what_if_state(run):
    with kept_out(run) as said:
        see("1 would fare otherwise" in said(run.home, "lab", "limit=node=2"))


@own_option("berth queues what-if --remove", "lab", seen="the job starts without the quota")
def what_if_remove(run):
    with kept_out(run) as said:
        see("1 would fare otherwise" in said(run.state, *(("lab", "max_jobs=8") if run.withheld else ())))


@own_option("berth queues what-if --json", seen="JSON")
def what_if_json(run):
    with kept_out(run) as said:
        text = said(run.state, "lab", "limit=node=2")
        see(text.startswith("{") and json.loads(text)["waiting"] == 1, text)


@own_option("berth queues import --apply", seen="the cluster has the queue")
def queues_import_apply(run):
    with run.place():
        run.at(run.state, "berth", "up", "--simulate-gpus=a100:1")
        (run.root / "queue.yaml").write_text(
            "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: lab}\nspec: {capability: {cpu: 1}}\n")
        done = run.at(run.state, "berth", "queues", "import", *run.words(), "queue.yaml")
        see(done.returncode == 0, done.stderr)
        see("limit" in run.at(run.state, "berth", "queues", "show", "--json").stdout)


@own_option("berth config check --json", seen="JSON")
def config_json(run):
    with run.place():
        same(json.loads(checked(run).stdout or "{}").get("errors"), False)


@own_option("berth config check --lenient", seen="errors are no failure")
def config_lenient(run):
    with run.place():
        (run.root / "slurm.conf").write_text(CONF + "MaxJobCount=many\n")
        same(checked(run).returncode, 0)


def checked(run):
    done = run.at(run.home, "berth", "config", "check", *run.words(), str(run.root))
    see(not run.words() or "--json" not in run.words() or done.stdout.startswith("{"))
    see(done.stdout.startswith("{") or "--json" not in run.name, done.stdout)
    return done


# ---- Of the world's cluster, which is named by the option alone.

def elsewhere(run, *others, **more):
    """The command where BERTH_STATE names no cluster."""
    return run.run("env", "-u", "BERTH_SOCKET", f"BERTH_STATE={run.cluster.root}/nowhere", "berth", *run.command.split(), *others,
                   *run.words(), **more)


STATE = lambda cluster: str(cluster.state)


@berth_option("state", STATE, seen="that cluster's daemons", commands=("status",))
def status_state(run):
    see("berthd (pid" in elsewhere(run).stdout)


@berth_option("state", lambda c: str(c.state), seen="that cluster's journal", commands=("replay",))
def replay_state(run):
    see("replayed to record" in elsewhere(run, ok=None).stdout)


@berth_option("verify", seen="the oldest snapshot gives the same state", commands=("replay",))
def replay_verify(run):
    see("from the oldest point" in run.berth().stdout)


@berth_option("decide", seen="all is decided again", commands=("replay",))
def replay_decide(run):
    see("decided again" in run.berth().stdout)


@berth_option("state", lambda c: str(c.state / "state"), seen="the copy of that controller", commands=("backup",))
def backup_state(run):
    copy = run.cluster.work / "copy.db"
    copy.unlink(missing_ok=True)
    elsewhere(run, str(copy), ok=None)
    see(copy.exists())


def restored(run, *others):
    """What restore says that makes a controller's state of a copy."""
    copy, made = run.cluster.root / "copy.db", run.cluster.root / "made"
    copy.unlink(missing_ok=True)
    shutil.rmtree(made, ignore_errors=True)
    run.run("berth", "backup", str(copy))
    return run.run("berth", "restore", str(copy), *others, *run.words(), ok=None, env={"HOME": str(run.cluster.work)}).stdout, made


@berth_option("state", lambda c: str(c.root / "made"), seen="the state is there", commands=("restore",))
def restore_state(run):
    see(any(restored(run)[1].rglob("berth.db")))


@berth_option("skip-jobs", "7", seen="the next job has a number further on", commands=("restore",))
def restore_skip_jobs(run):
    number = int(run.out("sbatch", "--parsable", "--wrap", "true"))
    see(f"the next job is {number + 8}." in restored(run, f"--state={run.cluster.root}/made")[0])


@berth_option("json", seen="JSON", commands=("doctor",))
def doctor_json(run):
    json_of(run)


@berth_option("config", lambda c: str(c.root / "nowhere"), seen="what is wrong with that configuration", commands=("doctor",))
@berth_option("state", lambda c: str(c.root / "nowhere"), seen="what is wrong with that state", commands=("doctor",))
def doctor_places(run):
    see("nowhere" in run.berth(ok=None).stdout)


# ---- Where the cluster is, for every command: squeue and `berth status` stand for all.

def place_variable(name, value, seen, world="jobs"):
    def register(function):
        one = Effect(name, seen, world, function)
        one.case = lambda cluster, withheld: Asked(cluster, name, withheld, "squeue", "", value(cluster) if value else "", name)
        EFFECTS.append(one)
        return function
    return register


def found(run, *command, **more):
    """Whether the command finds the controller, with the tested variable and `more` alone."""
    gone = [word for name in ("BERTH_STATE", "BERTH_SOCKET") for word in ("-u", name)]
    settings = [f"{name}={value}" for name, value in ({"HOME": "/nonexistent"} | more | run.environment()).items()]
    run.run("env", *gone, *settings, *command)


@place_variable("BERTH_SOCKET", lambda c: str(c.state / "berthd.sock"), "squeue finds the controller")
def berth_socket(run):
    found(run, "squeue")


@place_variable("SLURM_DEBUG_FLAGS", lambda c: "Steps,protocol", "what the command asks the controller, on standard error")
def slurm_debug_flags(run):
    told = run.run("squeue", env=run.environment()).stderr
    see("squeue: PROTOCOL: GET /v1/jobs" in told and ": 200, " in told)


@place_variable("BERTH_STATE", STATE, "berth status finds the cluster")
def berth_state(run):
    see("berthd (pid" in run.out("env", "-u", "BERTH_STATE", "HOME=/nonexistent", *[f"{k}={v}" for k, v in run.environment().items()], "berth", "status"))


def linked(name, target):
    def make(cluster):
        folder = cluster.root / f"by-{name}"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(target(cluster))
        return str(folder)
    return make


@place_variable("XDG_RUNTIME_DIR", linked("berth/berthd.sock", lambda c: c.state / "berthd.sock"), "squeue finds the controller")
def xdg_runtime_dir(run):
    found(run, "squeue")


@place_variable("XDG_STATE_HOME", linked("berth", lambda c: c.state), "berth status finds the cluster")
def xdg_state_home(run):
    see("by-berth/berth\n" in run.as_nobody("env", "-u", "BERTH_STATE", "HOME=/nonexistent", *[f"{k}={v}" for k, v in run.environment().items()],
                                           "berth", "status", ok=None).stdout)


# ---- A controller that other hosts reach.

class Listening:
    """The berthd of a plain cluster's configuration, with a port for other hosts."""

    def __init__(self, folder):
        self.root = self.work = folder
        self.state = folder / "state"
        self.port = self.free_port()
        self.process = subprocess.Popen(
            [BIN / "berthd", "--state", self.state, "--config", folder, "--socket", self.state / "berthd.sock", "--agent-socket", folder / "agents",
             "--listen", f"127.0.0.1:{self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while self.run("squeue", check=False).returncode != 0:
            assert time.monotonic() < until, "berthd does not answer"
            time.sleep(0.05)
        self.token = self.run("scontrol", "token").stdout.strip().split("=", 1)[1]
        self.remote = {"BERTH_CONTROLLER": f"127.0.0.1:{self.port + 3}", "BERTH_CA": f"{self.state}/keys/ca.pem", "SLURM_JWT": self.token}

    @staticmethod
    def free_port():
        while True:
            port = random.randint(20_000, 30_000)
            with socket.socket() as one, socket.socket() as other:
                try:
                    one.bind(("127.0.0.1", port))
                    other.bind(("127.0.0.1", port + 3))
                    return port
                except OSError:
                    continue

    def environment(self):
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_", "BERTH_"))}
        return keep | dict(BERTH_SOCKET=str(self.state / "berthd.sock"), PATH=f"{BIN}:{os.environ['PATH']}")

    def run(self, *command, check=True, stdin=None, **more):
        done = subprocess.run(command, cwd=self.work, env=self.environment() | more.pop("env", {}), text=True, input=stdin or "",
                              capture_output=True, timeout=60, **more)
        assert done.returncode == 0 or not check, f"{command}: {done.stderr}"
        return done


@contextmanager
def listening():
    with tempfile.TemporaryDirectory(prefix="berth-listening.") as name:
        folder = Path(name)
        (folder / "slurm.conf").write_text(CONF)
        (folder / "state").mkdir(mode=0o700)
        cluster = Listening(folder)
        try:
            yield cluster
        finally:
            cluster.process.terminate()
            cluster.process.wait(20)


WORLDS["listening"] = listening


STANDS_FOR = {"BERTH_TOKEN_FILE": "SLURM_JWT", "SLURM_CONF": "BERTH_CONTROLLER"}


def remote_variable(name, value=None):
    """squeue, from elsewhere, with all that it takes; or all but this."""
    def seen(run):
        others = {k: v for k, v in run.cluster.remote.items() if k not in (name, STANDS_FOR.get(name))}
        found(run, "squeue", **others)
    place_variable(name, value or (lambda c: c.remote[name]), "squeue finds the controller of another host, and is believed", "listening")(seen)


def token_file(cluster):
    path = cluster.root / "token"
    path.write_text(cluster.token + "\n")
    return str(path)


def configuration_elsewhere(cluster):
    path = cluster.root / "elsewhere.conf"
    path.write_text(f"SlurmctldHost=head.example(127.0.0.1)\nSlurmctldPort={cluster.port}\n")
    return str(path)


remote_variable("SLURM_CONF", configuration_elsewhere)
for one in ("BERTH_CONTROLLER", "BERTH_CA", "SLURM_JWT"):
    remote_variable(one)
remote_variable("BERTH_TOKEN_FILE", token_file)


@berth_option("node", "n2", seen="a token for that node: without one none is made", commands=("token create",), world="listening")
def token_node(run):
    see(len(run.berth().stdout.strip()) > 60)


@berth_option("json", seen="JSON", commands=("token create",), world="listening")
def token_json(run):
    see(json_of(run, "--node=n1")["expires_at"])


@berth_option("ttl", "60s", seen="it is good for a minute", commands=("token create",), world="listening")
def token_ttl(run):
    left = json.loads(run.berth("--node=n1", "--json").stdout)["expires_at"] - time.time()
    see(left < 100, left)
