"""The daemons of one node and its controller, each started again as soon as it falls, as service managers do."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from cluster import BIN, Cluster  # noqa: E402

GPUS = 8
SKIPPED = 77
CONF = f"""ClusterName=crash
GresTypes=gpu
NodeName=n1 CPUs=64 Gres=gpu:a100:{GPUS} NodeHostname={socket.gethostname()}
PartitionName=main Nodes=n1 Default=YES MaxTime=1-0
"""


def processes():
    """(pid, parent, command line) of all that live."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if fields[0] != "Z":
            yield int(folder.name), int(fields[1]), words


class Daemons(Cluster):
    """As root: a controller, a launcher, and an agent that is nobody. Else: a controller, and an agent that runs the jobs itself."""

    def __init__(self, conf=CONF):
        super().__init__()
        self.root_mode = os.geteuid() == 0
        self.state = self.root / "state"
        self.config, self.launcher_state, self.agent_state = (self.root / name for name in ("etc", "launcher", "agent"))
        for folder in (self.config, self.state / "log", self.state / "run", self.agent_state):
            folder.mkdir(parents=True)
        (self.config / "slurm.conf").write_text(conf)
        (self.config / "gres.conf").write_text(f"NodeName=n1 Name=gpu Type=a100 Count={GPUS}\n")
        if self.root_mode:
            os.chown(self.agent_state, pwd.getpwnam("nobody").pw_uid, -1)
        self.running = {}

    @property
    def run_dir(self):
        return (self.launcher_state if self.root_mode else self.agent_state) / "run"

    def command(self, name):
        agents = self.state / "run/agents.sock"
        launcher = self.state / "run/launcher.sock"
        common = ["--node", "n1", "--config", self.config, "--emulate", "--client-socket", self.state / "berthd.sock"]
        if name == "berthd":
            return ["--state", self.state / "state", "--config", self.config, "--socket", self.state / "berthd.sock",
                    "--agent-socket", agents, *(["--agent-user", "nobody"] if self.root_mode else [])], {}
        if name == "berth-launcher":
            return [*common, "--state", self.launcher_state, "--socket", launcher, "--agent-user", "nobody",
                    "--controller-key", self.state / "run/launch.pub"], {}
        agent = [*common, "--state", self.agent_state, "--controller", f"unix:{agents}"]
        if not self.root_mode:
            return agent, {}
        return [*agent, "--launcher", launcher], {"user": "nobody", "group": "nogroup", "extra_groups": []}

    def start(self, name):
        arguments, who = self.command(name)
        with (self.state / "log" / f"{name}.log").open("a") as log:
            self.running[name] = subprocess.Popen([BIN / name, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                  start_new_session=True, **who)

    def up(self):
        for name in ("berthd", *(["berth-launcher"] if self.root_mode else []), "berth-agent"):
            self.start(name)
        self.wait("the node to be there", lambda: "idle" in self.run("sinfo", "-h", "-n", "n1", "-o", "%T", check=False).stdout)

    def restart_the_dead(self):
        for name, process in list(self.running.items()):
            if process.poll() is not None:
                self.start(name)

    def kill_daemon(self, name, how=signal.SIGKILL):
        """True: it lived until then."""
        process = self.running[name]
        if process.poll() is not None:
            return False
        process.send_signal(how)
        process.wait(30)
        self.start(name)
        return True

    def keep(self):
        """Where a copy of its state and logs stays, to look into what went wrong."""
        kept = tempfile.mkdtemp(prefix="berth-crash-")
        shutil.copytree(self.root, kept, symlinks=True, dirs_exist_ok=True, ignore=lambda folder, names: [
            name for name in names if not (Path(folder) / name).is_file() and not (Path(folder) / name).is_dir()])
        return kept

    def kill_session(self):
        """The launcher's process for its agent."""
        launcher = self.running["berth-launcher"].pid
        children = [pid for pid, parent, words in processes() if parent == launcher and words[0].endswith("berth-launcher")]
        return bool(children) and kill(children[0])

    def shepherds(self):
        """(pid, job) of each process of a shepherd."""
        for pid, _, words in processes():
            if words[0].endswith("berth-step") and len(words) > 1 and words[1].startswith(f"{self.run_dir}/"):
                yield pid, words[1][len(str(self.run_dir)) + 1:].split(".")[0]

    def left_of_jobs(self):
        """Processes of jobs: they hold the lock of a GPU."""
        for pid, _, _ in processes():
            try:
                if os.readlink(f"/proc/{pid}/fd/9").startswith(f"{self.work}/gpu."):
                    yield pid
            except OSError:
                pass

    def __exit__(self, *_):
        self.run("scancel", "--state=RUNNING", "--signal=KILL", "--full", check=False)
        time.sleep(0.2)
        for name in ("berth-agent", "berth-launcher", "berthd"):
            if name in self.running:
                self.running[name].terminate()
                try:
                    self.running[name].wait(60)
                finally:  # Not to be left behind where it does not end.
                    self.running[name].kill()
        for pid, _ in list(self.shepherds()):
            kill(pid)
        for pid in self.left_of_jobs():
            kill(pid)
        shutil.rmtree(self.root, ignore_errors=True)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def become(options):
    """The user as whom everything is run. False if this cannot be done here."""
    if options.root and os.geteuid() != 0:
        print("skipped: --root asks for deaths of the launcher, which only root starts")
        return False
    if options.no_root and os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
    return True
