"""Commands that wait: for a controller that is stopped, for a node that does not answer, for a step that
runs. SIGINT, SIGTERM and SIGHUP end them where nobody answers, and are passed on to the tasks where somebody does."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from cluster import BIN, Cluster, main

WITHIN = 2.0
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
CLIENTS = (["squeue"], ["sinfo"], ["sacct"], ["scancel", "1"], ["sbatch", "--wrap", "true"], ["srun", "true"],
           ["salloc", "true"], ["scontrol", "show", "job", "1"], ["berth", "status"], ["berth", "queue"],
           ["berth", "run", "true"])


def states_of(pid):
    """Of all threads."""
    return [task.read_text().rpartition(") ")[2][0] for task in Path(f"/proc/{pid}/task").glob("*/stat")]


class Stopped:
    """A daemon that stands still for as long as the block lasts."""

    def __init__(self, pids):
        self.pids = pids

    def __enter__(self):
        for pid in self.pids:
            os.kill(pid, signal.SIGSTOP)
        for pid in self.pids:  # On a loaded machine a thread may still answer for a moment.
            while any(state != "T" for state in states_of(pid)):
                time.sleep(0.01)

    def __exit__(self, *_):
        for pid in self.pids:
            os.kill(pid, signal.SIGCONT)


class Commands(unittest.TestCase):
    """Those that a test has started are gone after it."""
    place = {}  # Where they run: cwd and env.

    def setUp(self):
        self.started = []

    def tearDown(self):
        for one in self.started:
            if one.poll() is None:
                one.kill()
            one.communicate()

    def start(self, *command):
        one = subprocess.Popen(command, **self.place, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.started.append(one)
        return one

    def ends_in_time(self, one, since):
        """What it said; how long it took is asserted."""
        try:
            out, err = one.communicate(timeout=max(0.1, since + WITHIN - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.fail(f"{one.args} still runs {WITHIN} s after a signal")
        return out + err

    def end_all_of(self, commands):
        """Each of them, by each signal, while it waits."""
        waiting = [(self.start(*command), how) for command in commands for how in ENDING]
        time.sleep(2)
        since = time.monotonic()
        for one, how in waiting:
            self.assertIsNone(one.poll(), one.args)
            one.send_signal(how)
        for one, how in waiting:
            with self.subTest(f"{one.args} {how}"):
                self.ends_in_time(one, since)


class Waits(Commands):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:2", nodes=1))
        cls.place = {"cwd": cls.cluster.work, "env": cls.cluster.environment()}

    def tearDown(self):
        super().tearDown()
        self.end_all()

    def end_all(self):
        """A submission that was on its way when its srun was ended becomes a job only now: so, until nothing is left."""
        def is_empty():
            self.cluster.run("scancel", "-u", str(os.geteuid()))
            return not self.cluster.run("squeue", "-h").stdout

        self.cluster.wait("the queue to be empty", is_empty)

    def controller(self):
        return Stopped([self.cluster.pid("berthd")])

    def agent(self):
        return Stopped([self.cluster.pid(p.stem) for p in self.cluster.state.glob("agent-*.pid")])

    def step(self, *command):
        """An srun whose tasks run."""
        one = self.start("srun", "-n1", "sh", "-c", *command)
        self.cluster.wait("its step", lambda: ".0 " in self.cluster.run("squeue", "-h", "-s", "-o", "%i ").stdout)
        self.assertEqual(one.stdout.readline(), "begun\n")
        return one

    def test_every_client_of_a_stopped_controller_can_be_ended(self):
        with self.controller():
            self.end_all_of(CLIENTS)

    def test_who_waits_says_for_whom(self):
        with self.controller():
            waiting = [self.start("timeout", "5", *command) for command in (["squeue"], ["sbatch", "--wrap", "true"],
                                                                            ["berth", "status"], ["srun", "true"])]
            for one in waiting:
                with self.subTest(one.args):
                    _, said = one.communicate(timeout=15)
                    self.assertRegex(said, r"waiting for the controller at .*berthd.sock, for \d+ s at most")

    def test_srun_leaves_a_stopped_controller(self):
        for how in ENDING:
            one = self.step("echo begun; sleep 60")
            with self.controller():
                since = time.monotonic()
                one.send_signal(how)
                said = self.ends_in_time(one, since)
                self.assertEqual(one.returncode, 128 + how, said)
                self.assertIn("did not answer within", said)
            self.end_all()

    def test_salloc_leaves_a_stopped_controller_with_its_command(self):
        for how in (signal.SIGTERM, signal.SIGHUP):
            one = self.start("salloc", "sh", "-c", "echo begun; exec sleep 60")
            self.assertEqual(one.stdout.readline(), "begun\n")
            with self.controller():
                since = time.monotonic()
                one.send_signal(how)
                said = self.ends_in_time(one, since)
                self.assertEqual(one.returncode, 128 + how, said)
                self.assertRegex(said, r"salloc: error: Unable to give back job allocation \d+: .*did not answer within")
                self.assertRegex(said, r"salloc: error: cancel it once the controller answers: scancel \d+")
            self.end_all()

    def test_srun_leaves_a_node_that_does_not_answer(self):
        for how in ENDING:
            with self.agent():
                one = self.start("srun", "-n1", "true")
                self.cluster.wait("its step", lambda: ".0 " in self.cluster.run("squeue", "-h", "-s", "-o", "%i ").stdout)
                time.sleep(0.5)
                since = time.monotonic()
                one.send_signal(how)
                said = self.ends_in_time(one, since)
                self.assertEqual(one.returncode, 128 + how, said)
                self.assertIn("no answer from node ", said)
            self.end_all()

    def test_srun_says_which_node_it_waits_for(self):
        with self.agent():
            one = self.start("timeout", "8", "srun", "-n1", "true")
            _, said = one.communicate(timeout=20)
            self.assertRegex(said, r"srun: waiting for \S+ to start the tasks of StepId=\d+\.0")
            self.assertEqual(one.returncode, 124)

    def test_signals_reach_the_tasks(self):
        for how, code in ((signal.SIGTERM, 7), (signal.SIGHUP, 8), (signal.SIGUSR1, 9)):
            name = how.name[3:]
            one = self.step(f"trap 'exit {code}' {name}; echo begun; while :; do sleep 0.1; done")
            one.send_signal(how)
            one.communicate(timeout=30)
            self.assertEqual(one.returncode, code, name)

    def test_ctrl_c_twice_is_an_interrupt_for_the_tasks(self):
        one = self.step("trap 'echo heard; exit 5' INT; echo begun; while :; do sleep 0.1; done")
        one.send_signal(signal.SIGINT)
        self.assertIn("one more within 1 sec", one.stderr.readline())
        time.sleep(1.5)
        self.assertIsNone(one.poll(), "one alone asks")
        one.send_signal(signal.SIGINT)
        self.assertIn("one more within 1 sec", one.stderr.readline())
        one.send_signal(signal.SIGINT)
        out, said = one.communicate(timeout=30)
        self.assertIn("sending Ctrl-C to StepId=", said)
        self.assertEqual((one.returncode, out), (5, "heard\n"), said)

    def test_ctrl_c_thrice_kills(self):
        one = self.step("trap '' INT; echo begun; while :; do sleep 0.1; done")
        for _ in range(3):
            one.send_signal(signal.SIGINT)
            time.sleep(0.2)
        since = time.monotonic()
        said = self.ends_in_time(one, since)
        self.assertRegex(said, r"srun: forcing job termination\nsrun: Job step aborted: Waiting up to \d+ seconds for job step to finish\.")
        self.assertNotIn("cannot signal", said)
        self.assertEqual(one.returncode, 137, said)


# Becomes the command that follows, in a network of its own whose name server takes questions and answers none.
WITHOUT_NAMES = ["unshare", "--mount", "--net", "sh", "-c", 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec python3 -c "$@"', "RESOLV_CONF", """
import os, socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
server.set_inheritable(True)
os.execvp(sys.argv[1], sys.argv[1:])
"""]


@unittest.skipUnless(shutil.which("openssl"), "SKIPPED: needs openssl to make a certificate")
class FromAnotherHost(Commands):
    """The controller is elsewhere, so TLS comes before all calls. The kernel accepts for it, and nobody answers."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e.")))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Berth",
                        "-keyout", "key.pem", "-out", "ca.pem"], cwd=cls.folder, check=True, capture_output=True)
        cls.silent = cls.enterClassContext(socket.create_server(("127.0.0.1", 0), backlog=100))

    def setUp(self):
        super().setUp()
        self.at = f"127.0.0.1:{self.silent.getsockname()[1]}"
        self.call(self.at)

    def call(self, controller):
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_", "BERTH_"))}
        keep.update(BERTH_CONTROLLER=controller, BERTH_CA=str(self.folder / "ca.pem"), SLURM_JWT="none", PATH=f"{BIN}:{os.environ['PATH']}")
        self.place = {"cwd": self.folder, "env": keep}

    def test_every_client_of_a_silent_controller_can_be_ended(self):
        self.end_all_of(command for command in CLIENTS if command[-1] not in ("status", "queue"))  # Those look at this host.

    def test_who_waits_says_for_whom(self):
        waiting = [self.start("timeout", "5", *command) for command in (["squeue"], ["sbatch", "--wrap", "true"], ["srun", "true"])]
        for one in waiting:
            with self.subTest(one.args):
                _, said = one.communicate(timeout=15)
                self.assertIn(f"waiting for the controller at {self.at}, for 10 s at most", said)

    @unittest.skipUnless(os.geteuid() == 0, "SKIPPED: needs root to make namespaces")
    def test_nobody_waits_longer_for_a_name_server(self):
        conf = self.folder / "resolv.conf"
        conf.write_text("nameserver 127.0.0.1\noptions timeout:30\n")
        within = [str(conf) if word == "RESOLV_CONF" else word for word in WITHOUT_NAMES]
        self.call("controller.berth.test:6820")
        waiting = [self.start(*within, "srun", "true") for _ in ENDING]
        left = self.start(*within, "timeout", "5", "squeue")
        time.sleep(3)
        since = time.monotonic()
        for one, how in zip(waiting, ENDING):
            self.assertIsNone(one.poll(), one.args)
            one.send_signal(how)
        for one in waiting:
            self.ends_in_time(one, since)
        self.assertIn("waiting for the controller at controller.berth.test:6820", left.communicate(timeout=15)[1])


if __name__ == "__main__":
    main()
