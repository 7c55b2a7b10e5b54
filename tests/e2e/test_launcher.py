"""The node's two processes: an agent that is nobody, and a launcher that is root and believes the controller alone."""

import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import time
import unittest
from pathlib import Path

from cluster import BIN, Cluster, main

AGENT = "nobody"
USER = "daemon"
CONF = """ClusterName=split
GresTypes=gpu,mps
NodeName=n1 CPUs=4 Gres=gpu:a100:2,mps:200 NodeHostname={host}
NodeName=n2 CPUs=4 NodeHostname=elsewhere State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=1-0
Prolog={folder}/prolog
Epilog={folder}/epilog
HealthCheckProgram={folder}/check
HealthCheckInterval=1
"""
NOTE = """#!/bin/sh
echo "$(id -u) ${{SLURM_JOB_ID:-node}} ${{SLURM_SCRIPT_CONTEXT:-check}}" >>{folder}/noted
"""
MPS = """#!/bin/sh
echo $$ >"$CUDA_MPS_LOG_DIRECTORY/pid"
: >"$CUDA_MPS_PIPE_DIRECTORY/control"
while :; do sleep 0.1; done
"""


class SplitCluster(Cluster):
    """A controller, a launcher, and an agent of another user, as the units start them."""

    def __init__(self):
        super().__init__()
        self.config, self.launcher_state, self.agent_state = (self.root / name for name in ("etc", "launcher", "agent"))
        self.config.mkdir()
        self.agent_state.mkdir(mode=0o700)
        os.chown(self.agent_state, pwd.getpwnam(AGENT).pw_uid, -1)
        for name in ("state/log", "state/run"):
            (self.root / name).mkdir(parents=True)
        self.state = self.root / "state"
        (self.config / "slurm.conf").write_text(CONF.format(folder=self.root, host=socket.gethostname()))
        (self.config / "gres.conf").write_text("NodeName=n1 Name=gpu Type=a100 Count=2\n")
        (self.root / "noted").touch()
        for name in ("prolog", "epilog", "check"):
            (self.root / name).write_text(NOTE.format(folder=self.root))
            (self.root / name).chmod(0o755)
        (self.root / "mps").write_text(MPS)
        (self.root / "mps").chmod(0o755)
        self.processes = {}

    def up(self):
        self.start_controller()
        self.wait("the controller's key", (self.state / "run/launch.pub").exists)
        shutil.copy(self.state / "run/launch.pub", self.config / "launch.pub")  # As on another host.
        self.start_launcher()
        self.start_agent()
        self.wait_for_node()

    def wait_for_node(self):
        self.wait("the node to be there", lambda: "idle" in self.run("sinfo", "-h", "-n", "n1", "-o", "%T").stdout)

    def start_controller(self):
        self.start("berthd", "--state", self.state / "db", "--config", self.config, "--socket", self.state / "berthd.sock",
                   "--agent-socket", self.state / "run/agents.sock", "--agent-user", AGENT)

    def start_launcher(self):
        self.start("berth-launcher", "--node", "n1", "--config", self.config, "--state", self.launcher_state, "--emulate",
                   "--socket", self.state / "run/launcher.sock", "--agent-user", AGENT, "--controller-key",
                   self.root / "no-such-key", "--controller-key", self.config / "launch.pub",
                   "--client-socket", self.state / "berthd.sock", "--mps-control", self.root / "mps")
        self.wait("the launcher to listen", (self.state / "run/launcher.sock").exists)

    def start_agent(self, node="n1"):
        self.start("berth-agent", "--node", node, "--config", self.config, "--state", self.agent_state, "--emulate",
                   "--controller", f"unix:{self.state}/run/agents.sock",
                   *(["--launcher", self.state / "run/launcher.sock"] if node == "n1" else []),
                   user=AGENT, group="nogroup", extra_groups=[])

    def change_key(self):
        """The documented procedure, its first half: a new key, and the old one is believed for a while."""
        keys = self.state / "db/keys"
        self.stop("berthd")
        (keys / "launch.key").rename(keys / "launch.old.key")
        self.start_controller()
        self.wait_for_controller()

    def forget_old_key(self):
        """Its second half."""
        self.stop("berthd")
        (self.state / "db/keys/launch.old.key").unlink()
        self.start_controller()
        self.wait_for_controller()

    def wait_for_controller(self):
        self.wait("the controller to be back", lambda: self.run("sinfo", check=False).returncode == 0)

    def keys_known(self):
        """How many the launcher has been told of."""
        return (self.launcher_state / "controller.keys").read_bytes().count(b"BEGIN PUBLIC KEY")

    def start(self, name, *arguments, **who):
        with (self.state / "log" / f"{name}.log").open("a") as log:
            self.processes[name] = subprocess.Popen([BIN / name, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                    start_new_session=True, **who)

    def stop(self, name, how=signal.SIGTERM):
        process = self.processes.pop(name)
        process.send_signal(how)
        return process.wait(60)

    def log(self, name):
        return (self.state / "log" / f"{name}.log").read_text()

    def __exit__(self, *_):
        self.run("scancel", "--state=RUNNING", "--signal=KILL", "--full", check=False)
        for name in ("berth-agent", "berth-launcher", "berthd"):
            if name in self.processes:
                self.stop(name)
        shutil.rmtree(self.root, ignore_errors=True)


def uid_of(user):
    return pwd.getpwnam(user).pw_uid


@unittest.skipIf(os.geteuid() != 0, "SKIPPED: needs root, to be several users")
class Launcher(unittest.TestCase):
    def setUp(self):
        self.cluster = self.enterContext(SplitCluster())

    def submit(self, script, *options):
        done = self.cluster.run("sbatch", "--parsable", *options, stdin=f"#!/bin/sh\n{script}\n", user=USER, group="daemon", extra_groups=[])
        return done.stdout.strip()

    def noted(self):
        return (self.cluster.root / "noted").read_text().splitlines()

    def test_a_user_runs_a_job_and_steps_though_the_agent_is_nobody(self):
        agent = self.cluster.processes["berth-agent"].pid
        uids = [line.split()[1:] for line in Path(f"/proc/{agent}/status").read_text().splitlines() if line.startswith("Uid:")]
        self.assertEqual(uids, [[str(uid_of(AGENT))] * 4])
        job = self.submit("id -u; echo $CUDA_VISIBLE_DEVICES; srun -n 2 id -u", "-n", "2", "--gres=gpu:1")
        self.cluster.wait_state(job, "COMPLETED")
        user = str(uid_of(USER))
        self.assertEqual(self.cluster.output(job).split(), [user, "0", user, user])
        self.assertEqual(os.stat(self.cluster.work / f"slurm-{job}.out").st_uid, uid_of(USER))
        self.assertIn(f"0 {job} prolog_slurmd", self.noted())
        self.cluster.wait("the epilog", lambda: f"0 {job} epilog_slurmd" in self.noted())
        self.cluster.wait("a health check as root", lambda: "0 node check" in self.noted())

    def test_jobs_outlive_agent_and_launcher_and_are_cancelled_after(self):
        go = self.cluster.work / "go"
        job = self.submit(f"touch {go}.began; while [ ! -e {go} ]; do sleep 0.1; done; echo done")
        self.cluster.wait("the script to begin", Path(f"{go}.began").exists)
        self.assertEqual(self.cluster.stop("berth-agent", signal.SIGKILL), -signal.SIGKILL)
        self.cluster.start_agent()
        self.cluster.wait("the agent to be back", lambda: "1 runs adopted" in self.cluster.log("berth-agent"))
        self.cluster.stop("berth-launcher", signal.SIGKILL)
        self.cluster.wait("the agent to miss it", lambda: "the launcher is gone" in self.cluster.log("berth-agent"))
        self.cluster.start_launcher()
        self.cluster.wait("the agent to be back", lambda: self.cluster.log("berth-agent").count("1 runs adopted") == 2)
        self.assertIsNone(self.cluster.processes["berth-agent"].poll(), "the agent stays")
        go.touch()
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual(self.cluster.output(job), "done\n")
        long = self.submit(f"touch {go}.long; sleep 1000")
        self.cluster.wait("the other script to begin", Path(f"{go}.long").exists)
        self.cluster.run("scancel", long, user=USER, group="daemon", extra_groups=[])
        self.cluster.wait_state(long, "CANCELLED")
        self.assertEqual(self.cluster.stop("berth-agent"), 0)  # With its second launcher, too, it ends when told to.

    def test_the_node_takes_work_at_once_though_the_launcher_died_between_an_acknowledged_end_and_its_removal(self):
        for how in (signal.SIGKILL, signal.SIGTERM):  # A crash; an upgrade.
            go = self.cluster.work / f"go.{how}"
            job = self.submit(f"touch {go}.began; while [ ! -e {go} ]; do sleep 0.1; done", "--gres=gpu:2")
            self.cluster.wait("the script to begin", Path(f"{go}.began").exists)
            folder = self.cluster.launcher_state / f"run/{job}.1"
            left = self.cluster.root / f"left.{how}"
            shutil.copytree(folder, left)
            go.touch()
            self.cluster.wait_state(job, "COMPLETED")
            self.cluster.wait("its removal", lambda: not folder.exists())
            self.cluster.stop("berth-launcher", how)
            shutil.move(left, folder)  # As it lies there when the launcher dies before it removes it.
            self.cluster.start_launcher()
            began = time.monotonic()
            next_job = self.submit("true", "--gres=gpu:2")
            self.cluster.wait_state(next_job, "COMPLETED")
            self.assertLess(time.monotonic() - began, 5)  # 2 s, and what waiting costs on a slow machine.
            self.assertFalse(folder.exists())
            history = self.cluster.run("sacct", "-n", "-P", "-X", "-D", "-j", next_job, "-o", "State").stdout
            self.assertEqual(history, "COMPLETED\n", "it was refused before")

    def refused(self, name, *changed):
        """Starts a second one as the first was started, but for what is `changed`; it must say why it cannot."""
        arguments = list(self.cluster.processes[name].args)
        for option, value in changed:
            arguments[arguments.index(option) + 1] = value
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stderr, "still running|in use by another process")

    def test_a_second_controller_or_launcher_that_cannot_start_changes_nothing(self):
        go = self.cluster.work / "go"
        job = self.submit(f"touch {go}.began; while [ ! -e {go} ]; do sleep 0.1; done; srun -n 1 echo done")
        self.cluster.wait("the script to begin", Path(f"{go}.began").exists)
        key = self.cluster.state / "run/launch.pub"
        before = (key.read_text(), key.stat().st_ino, key.stat().st_mtime_ns)
        other = self.cluster.root / "other"
        self.refused("berthd")
        self.refused("berthd", ("--state", other / "db"))  # It has another key of its own there.
        self.refused("berth-launcher")
        self.refused("berth-launcher", ("--state", other / "launcher"))
        self.assertEqual((key.read_text(), key.stat().st_ino, key.stat().st_mtime_ns), before)
        go.touch()
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual(self.cluster.output(job), "done\n")
        self.assertNotIn("the launcher is gone", self.cluster.log("berth-agent"))
        self.assertEqual(self.cluster.log("berth-agent").count("runs adopted"), 1)
        self.assertEqual(self.cluster.log("berth-launcher").count("an agent is here"), 1)

    def test_jobs_that_share_a_gpu_have_its_mps_daemon_and_its_fall_drains_that_gpu(self):
        go = self.cluster.work / "go"
        wait = f"while [ ! -e {go} ]; do sleep 0.1; done"
        jobs = [self.submit(f"env | grep ^CUDA_; touch {go}.{n}; {wait}", "--gres=mps:25") for n in (1, 2)]
        for n in (1, 2):
            self.cluster.wait("both to run", Path(f"{go}.{n}").exists)
        folder = self.cluster.launcher_state / f"run/mps/0-{uid_of(USER)}"
        for job in jobs:
            self.assertEqual(sorted(self.cluster.output(job).split()),
                             ["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25", f"CUDA_MPS_LOG_DIRECTORY={folder}/log",
                              f"CUDA_MPS_PIPE_DIRECTORY={folder}/pipe", "CUDA_VISIBLE_DEVICES=0"])
        daemon = int((folder / "log/pid").read_text())
        self.assertEqual(os.stat(f"/proc/{daemon}").st_uid, uid_of(USER))
        os.kill(daemon, signal.SIGKILL)
        self.cluster.wait("GPU 0 alone to be drained",
                          lambda: "its MPS daemon has ended" in self.cluster.run("scontrol", "show", "node", "n1").stdout)
        go.touch()
        for job in jobs:
            self.cluster.wait_state(job, "COMPLETED")
        other = self.submit("echo $CUDA_VISIBLE_DEVICES", "--gres=gpu:1")
        self.cluster.wait_state(other, "COMPLETED")
        self.assertEqual(self.cluster.output(other), "1\n")

    def test_a_stranger_is_turned_away_and_garbage_ends_one_connection_alone(self):
        path = str(self.cluster.state / "run/launcher.sock")
        code = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({path!r})"
        stranger = subprocess.run(["python3", "-c", code], user=USER, group="daemon", extra_groups=[], capture_output=True, text=True)
        self.assertIn("PermissionError", stranger.stderr)
        self.cluster.stop("berth-agent")
        with socket.socket(socket.AF_UNIX) as bad:
            bad.connect(path)
            bad.settimeout(60)
            bad.recv(4)  # The greeting.
            bad.sendall(struct.pack("<I", 7) + b"garbage")
            while bad.recv(4096):
                pass
        self.cluster.wait("the launcher's complaint", lambda: "malformed" in self.cluster.log("berth-launcher"))
        self.cluster.start_agent()
        self.cluster.wait_state(self.submit("true"), "COMPLETED")

    def test_the_agents_user_is_no_other_host_s_node(self):
        self.cluster.stop("berth-agent")
        self.cluster.start_agent("n2")
        self.cluster.wait("the controller's refusal", lambda: "may be this host's own node alone, and 'n2' is not" in self.cluster.log("berthd"))
        state = self.cluster.run("scontrol", "show", "node", "n2").stdout
        self.assertIn("BootTime=None", state)

    def test_a_launcher_without_the_controllers_key_is_waited_for(self):
        for name in ("berth-agent", "berth-launcher"):
            self.cluster.stop(name)
        key = self.cluster.config / "launch.pub"
        kept = key.read_text()
        key.unlink()
        shutil.rmtree(self.cluster.launcher_state)
        self.cluster.start_launcher()
        self.cluster.start_agent()
        self.cluster.wait("the agent to say what it waits for",
                          lambda: "waiting for the launcher: the launcher cannot serve: the controller's key is not there" in self.cluster.log("berth-agent"))
        self.assertIsNone(self.cluster.processes["berth-agent"].poll())
        self.assertIsNone(self.cluster.processes["berth-launcher"].poll())
        key.write_text(kept)
        self.cluster.wait_state(self.submit("true"), "COMPLETED")

    def test_the_controllers_key_is_changed_and_no_node_is_stopped(self):
        go = self.cluster.work / "go"
        job = self.submit(f"touch {go}.began; while [ ! -e {go} ]; do sleep 0.1; done; srun -n 1 echo a step of later")
        self.cluster.wait("the script to begin", Path(f"{go}.began").exists)
        agent, launcher = (self.cluster.processes[name].pid for name in ("berth-agent", "berth-launcher"))
        self.cluster.change_key()
        self.cluster.wait_state(self.submit("true"), "COMPLETED")  # By the old key: the new one is not known to it yet.
        self.cluster.wait("the launcher to know the new key", lambda: self.cluster.keys_known() == 2)
        self.cluster.forget_old_key()
        self.cluster.wait_state(self.submit("true"), "COMPLETED")
        self.cluster.wait("the launcher to forget the old key", lambda: self.cluster.keys_known() == 1)
        go.touch()
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual(self.cluster.output(job), "a step of later\n")
        self.assertIn(f"0 {job} epilog_slurmd", self.noted())
        # Who comes later knows the new one too, though the file on its host is as it was.
        self.assertEqual([self.cluster.processes[name].pid for name in ("berth-agent", "berth-launcher")], [agent, launcher])
        for name in ("berth-agent", "berth-launcher"):
            self.cluster.stop(name)
        self.cluster.start_launcher()
        self.cluster.start_agent()
        self.cluster.wait_state(self.submit("true"), "COMPLETED")
        self.assertNotIn("refused", self.cluster.log("berth-launcher"))

    def test_what_the_launcher_knows_of_the_node_follows_the_controllers_configuration(self):
        conf = self.cluster.config / "slurm.conf"
        conf.write_text(conf.read_text().replace("gpu:a100:2,mps:200", "gpu:a100:3,mps:300"))
        gres = self.cluster.config / "gres.conf"
        gres.write_text(gres.read_text().replace("Count=2", "Count=3"))
        self.cluster.run("scontrol", "reconfigure")
        self.cluster.wait("the launcher to hear of it", lambda: "as the controller describes it now" in self.cluster.log("berth-launcher"))
        self.cluster.run("scontrol", "update", "NodeName=n1", "State=RESUME", check=False)  # Its agent had found two.
        job = self.submit("echo $CUDA_VISIBLE_DEVICES", "--gres=gpu:3")
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual(self.cluster.output(job), "0,1,2\n")

    def test_a_launcher_that_knows_another_key_runs_nothing(self):
        self.cluster.wait_state(self.submit("true"), "COMPLETED")
        for name in ("berth-agent", "berthd"):
            self.cluster.stop(name)
        key = self.cluster.state / "run/launch.pub"
        known = key.read_text()
        (self.cluster.state / "db/keys/launch.key").unlink()
        self.cluster.start_controller()
        self.cluster.wait("another key", lambda: key.read_text() != known)
        self.cluster.start_agent()
        job = self.submit("touch ran")
        self.cluster.wait("the launcher's refusal", lambda: "refused: the order's credential is by key" in self.cluster.log("berth-launcher"))
        self.assertFalse((self.cluster.work / "ran").exists())
        self.cluster.run("scancel", job)


if __name__ == "__main__":
    main()
