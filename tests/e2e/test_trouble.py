"""Bad input and failure: each has a clear error or a defined outcome."""

import contextlib
import ctypes
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from cluster import BIN, Cluster, main

ROOT = os.geteuid() == 0


INOTIFY_MOST = 4


def with_little_inotify():
    """For a process that is about to begin: its user may have so many instances and no more, as where many agents share a machine."""
    libc = ctypes.CDLL(None)
    for uid in ("0", "65534"):  # In the inner one it is nobody, whom the outer one's limit binds.
        if libc.unshare(0x10000000) != 0:  # CLONE_NEWUSER
            os._exit(1)
        Path("/proc/self/uid_map").write_text(f"{uid} 0 1")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/gid_map").write_text(f"{uid} 0 1")
        if uid == "0":
            Path("/proc/sys/user/max_inotify_instances").write_text(str(INOTIFY_MOST))


class Cramped(Cluster):
    """All its processes share one limit: each `berth up` and each command has a namespace of its own, and up begins all daemons."""

    def run(self, *command, **more):
        return super().run(*command, preexec_fn=with_little_inotify, **more)


@contextlib.contextmanager
def limited(pid, what, most):
    """The running process may have so much of it and no more."""
    _, hard = resource.prlimit(pid, what)
    before = resource.prlimit(pid, what, (most, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, what, before)


def without_descriptors(pid):
    taken = {int(fd.name) for fd in Path(f"/proc/{pid}/fd").iterdir()}
    return limited(pid, resource.RLIMIT_NOFILE, next(fd for fd in range(10_000) if fd not in taken))


def without_memory(pid):
    """It keeps what it has mapped and gets no more."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
    return limited(pid, resource.RLIMIT_AS, pages * resource.getpagesize())


@contextlib.contextmanager
def without_a_cgroup(of_node):
    """It may have as many beneath it as there are."""
    most = of_node / "cgroup.max.descendants"
    most.write_text(re.search(r"nr_descendants (\d+)", (of_node / "cgroup.stat").read_text())[1])
    try:
        yield
    finally:
        most.write_text("max")


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:8"))

    def refused(self, *command, stdin=None):
        done = self.cluster.run(*command, stdin=stdin, check=False)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def test_what_can_never_run_is_refused_in_slurms_words(self):
        wrap = ["--wrap", "true"]
        unavailable = "sbatch: error: Batch job submission failed: Requested node configuration is not available\n"
        self.assertEqual(self.refused("sbatch", "--gres=gpu:16", *wrap), unavailable)
        self.assertEqual(self.refused("sbatch", "--gres=gpu:h100:1", *wrap), unavailable)
        self.assertEqual(self.refused("sbatch", "--mem=9999G", *wrap), "sbatch: error: Memory specification can not be satisfied\n" + unavailable)
        self.assertEqual(self.refused("sbatch", "-c", "640", *wrap), "sbatch: error: CPU count per node can not be satisfied\n" + unavailable)
        self.assertEqual(self.refused("sbatch", "--gres=tpu:1", *wrap), "sbatch: error: Invalid generic resource (gres) specification\n")
        self.assertEqual(self.refused("sbatch", "-p", "nosuch", *wrap),
                         "sbatch: error: invalid partition specified: nosuch\nsbatch: error: Batch job submission failed: Invalid partition name specified\n")
        self.assertIn("Invalid qos specification", self.refused("sbatch", "--qos=nosuch", *wrap))
        self.assertIn("Invalid --time specification", self.refused("sbatch", "-t", "abc", *wrap))

    def test_a_script_of_five_megabytes_is_refused(self):
        self.assertIn("Job script is too large", self.refused("sbatch", stdin="#!/bin/sh\n" + "#" * 5_000_000))

    def test_unknown_jobs_are_named(self):
        # Scripts that clean up cancel what may be gone; who mistypes a number sees it.
        run, advised = self.cluster.run, ("env", "BERTH_ADVICE=yes")
        self.assertEqual([run("scancel", "99999").stderr, run(*advised, "scancel", "99999").stderr],
                         ["", "scancel: error: Kill job error on job id 99999: Invalid job id specified\n"])
        self.assertIn("Invalid job id specified", self.refused("scontrol", "show", "job", "99999"))
        self.assertIn("99999", self.refused("berth", "why", "99999"))

    def test_a_client_that_speaks_garbage_disturbs_nobody(self):
        for name in ("berthd.sock", "agents.sock"):
            for garbage in (b"\x00" * 4096, b"GET / HTTP/9.9\r\n\r\n", os.urandom(65536), b"POST /v1/jobs HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"):
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.settimeout(2)
                    peer.connect(str(self.cluster.state / name))
                    try:
                        peer.sendall(garbage)
                        peer.recv(100)
                    except OSError:
                        pass
        self.assertEqual(self.cluster.run("scontrol", "ping").returncode, 0)

    def test_a_second_agent_of_the_same_name_does_no_harm(self):
        c = self.cluster
        job = c.sbatch("--gres=gpu:1", script="sleep 3; echo done")
        c.wait_state(job, "RUNNING")
        arguments = Path(f"/proc/{c.pid(next(p.stem for p in c.state.glob('agent-*.pid')))}/cmdline").read_bytes().split(b"\0")[:-1]
        other = [a.decode() for a in arguments]
        other[other.index("--state") + 1] = str(c.root / "other-agent")
        twin = subprocess.Popen(other, env=c.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            c.wait_state(job, "COMPLETED")
            self.assertEqual(c.output(job), "done\n")
        finally:
            twin.kill()
            twin.wait()

    @unittest.skipUnless(ROOT, "SKIPPED: needs root to confine jobs")
    def test_a_fork_bomb_ends_with_its_job(self):
        c = self.cluster
        nap = f"sleep 100.{os.getpid()}"  # Not that of another run of this test.
        job = c.sbatch(script=f"f() {{ {nap} & }}; for i in $(seq 50); do f; done; setsid {nap} & exit 0")
        c.wait_state(job, "COMPLETED")
        self.assertEqual(subprocess.run(["pgrep", "-f", f"^{nap}$"], capture_output=True).stdout, b"")

    @unittest.skipUnless(ROOT, "SKIPPED: needs root to act as another user")
    def test_output_through_a_symlink_to_roots_file_is_the_users_own_trouble(self):
        c = self.cluster
        secret = c.root / "root-only"
        secret.write_text("secret")
        secret.chmod(0o600)
        nobody = pwd.getpwnam("nobody")
        (c.work / "link.out").symlink_to(secret)
        done = subprocess.run([str(BIN / "sbatch"), "--parsable", "-o", "link.out", "--wrap", "echo overwritten"], cwd=c.work, env=c.environment(),
                              user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        c.wait_state(done.stdout.strip(), "FAILED", "PENDING", "COMPLETED", "CANCELLED")
        time.sleep(0.5)
        self.assertEqual(secret.read_text(), "secret")
        c.run("scancel", done.stdout.strip(), check=False)


class Failure(unittest.TestCase):
    def test_jobs_outlive_the_daemons(self):
        with Cluster("a100:8") as c:
            agent = next(p.stem for p in c.state.glob("agent-*.pid"))
            job = c.sbatch("--gres=gpu:1", script="echo run >>runs.txt; sleep 4; echo end >>runs.txt")
            c.wait("its start", lambda: (c.work / "runs.txt").exists())
            c.kill("berthd")
            c.kill(agent)
            c.up()
            c.wait_state(job, "COMPLETED")
            self.assertEqual((c.work / "runs.txt").read_text(), "run\nend\n")

    def test_an_end_while_nobody_watched_is_not_lost(self):
        with Cluster("a100:8") as c:
            agent = next(p.stem for p in c.state.glob("agent-*.pid"))
            job = c.sbatch(script="sleep 1; exit 5")
            c.wait_state(job, "RUNNING")
            c.kill(agent)
            time.sleep(2)
            c.up()
            c.wait_state(job, "FAILED")
            self.assertEqual(c.run("sacct", "-n", "-X", "-P", "-j", job, "-o", "ExitCode").stdout.strip(), "5:0")

    def test_up_twice_and_down_with_care(self):
        with Cluster("a100:8") as c:
            before = c.pid("berthd")
            c.up()
            self.assertEqual(c.pid("berthd"), before)
            job = c.sbatch(script="sleep 60")
            c.wait_state(job, "RUNNING")
            refused = c.run("berth", "down", check=False)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"1 job runs: {job}", refused.stderr)
            c.run("berth", "down", "--kill")
            c.up()
            self.assertEqual(c.state_of(job), "CANCELLED")

    def test_down_kills_what_runs_and_keeps_what_waits(self):
        with Cluster("a100:1") as c:
            running = c.sbatch("-G1", script="sleep 600")
            waiting = c.sbatch("-G1", script="true")
            c.wait_state(running, "RUNNING")
            began = time.monotonic()
            c.run("berth", "down", "--kill")
            self.assertLess(time.monotonic() - began, 40, "it waited for what starts in the place of the killed")
            c.up()
            c.wait_state(waiting, "COMPLETED")
            self.assertEqual(c.state_of(running), "CANCELLED")

    def test_up_again_with_a_node_that_is_down(self):
        with Cluster("a100:1", nodes=2) as c:
            c.run("scontrol", "update", "NodeName=" + c.run("sinfo", "-hN", "-o", "%N").stdout.split()[0], "State=DOWN", "Reason=fan")
            c.run("berth", "down")
            c.up()
            self.assertIn("fan", c.run("sinfo", "-R").stdout)

    def test_the_journal_gives_the_daemons_state(self):
        with Cluster("a100:8") as c:
            c.sbatch("--array=0-9", "--gres=gpu:1", script="true")
            c.sbatch("-H", script="true")
            c.sbatch("--gres=gpu:8", script="exit 1")
            c.wait("the held job alone", lambda: c.run("squeue", "-h", "-o", "%r").stdout == "JobHeldUser\n")
            said = c.run("berth", "replay", "--verify", "--decide").stdout
            self.assertIn("the daemon's state is the same", said)
            decisions = int(re.search(r"(\d+) decisions, all of them the same", said)[1])
            self.assertGreaterEqual(decisions, 11, "eleven jobs were started")

    def test_the_journal_gives_the_daemons_state_while_jobs_come(self):
        with Cluster("a100:8") as c:
            stop = threading.Event()

            def submit():
                while not stop.is_set():
                    c.sbatch("--gres=gpu:1", script="true")

            submitting = threading.Thread(target=submit)
            submitting.start()
            try:
                c.wait("the jobs to flow", lambda: int(c.run("berth", "replay").stdout.split()[3]) > 50)
                for _ in range(3):
                    self.assertIn("the daemon's state is the same", c.run("berth", "replay", "--verify").stdout)
            finally:
                stop.set()
                submitting.join()

    @unittest.skipUnless(ROOT, "SKIPPED: needs root to mount a small disk")
    def test_a_full_disk_refuses_new_work_and_loses_none(self):
        with Cluster("a100:8") as c:
            c.run("berth", "down")
            small = c.state / "state"
            kept = c.root / "kept"
            small.rename(kept)
            small.mkdir()
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m,mode=0700", "none", str(small)], capture_output=True, text=True)
            if mounted.returncode != 0:
                self.skipTest("SKIPPED: cannot mount a tmpfs here")
            try:
                c.up()
                job = c.sbatch(script="sleep 3; exit 4")
                c.wait_state(job, "RUNNING")
                room = os.statvfs(small)
                with open(small / "filler", "wb") as filler:
                    filler.write(b"\0" * max(0, room.f_bavail * room.f_frsize - 2_000_000))
                refused = c.run("sbatch", "--wrap", "true", check=False)
                self.assertEqual(refused.returncode, 1)
                c.wait_state(job, "FAILED")
                (small / "filler").unlink()
                c.wait("room for new work", lambda: c.run("sbatch", "--wrap", "true", check=False).returncode == 0)
            finally:
                c.run("berth", "down", "--kill", check=False)
                subprocess.run(["umount", "-l", str(small)], check=False)


    @unittest.skipUnless(ROOT, "SKIPPED: needs root to make user namespaces")
    def test_agents_without_an_inotify_instance_run_jobs_and_name_the_limit(self):
        with Cramped("a100:1", nodes=12, cpus=2) as c:
            job = c.sbatch("-N12", script="srun true; exit 3")
            c.wait_state(job, "FAILED")
            self.assertIn("3:0", c.run("sacct", "-n", "-X", "-j", job, "-o", "ExitCode").stdout)
            told = sum("fs.inotify.max_user_instances allows" in log.read_text() for log in (c.state / "log").glob("agent-*.log"))
            self.assertEqual(told, 12 - INOTIFY_MOST)

    def test_a_daemon_that_may_open_too_few_files_names_the_limit(self):
        words = {"berthd": ["--state", "/nowhere", "--config", "/nowhere"],
                 "berth-agent": ["--node", "n1", "--state", "/nowhere", "--config", "/nowhere", "--controller", "unix:/nowhere/s"],
                 "berth-launcher": ["--node", "n1", "--state", "/nowhere", "--config", "/nowhere", "--socket", "/nowhere/s", "--controller-key", "/nowhere/k"]}
        for name, arguments in words.items():
            done = subprocess.run(["prlimit", "--nofile=100", BIN / name, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 75, done.stderr)
            self.assertEqual(done.stderr, f"{name}: error: this process may open 100 files and needs 256: raise LimitNOFILE= of its unit, or ulimit -n\n")

    def test_a_controller_out_of_descriptors_names_the_limit_once(self):
        with Cluster("a100:1") as c, contextlib.ExitStack() as peers:
            subprocess.run(["prlimit", f"--pid={c.pid('berthd')}", "--nofile=256:256"], check=True)
            limit = "cannot connect: Too many open files (this process may open 256: raise LimitNOFILE= of its unit, or ulimit -n)"
            log = c.state / "log" / "berthd.log"
            for _ in range(300):
                peer = peers.enter_context(socket.socket(socket.AF_UNIX))
                peer.settimeout(1)
                peer.connect(str(c.state / "berthd.sock"))
                peer.sendall(b"GET /v1/ping HTTP/1.1\r\n")  # Only half a request.
            c.wait("the log to name the limit of commands", lambda: f"commands {limit}" in log.read_text())
            agent = peers.enter_context(socket.socket(socket.AF_UNIX))
            agent.connect(str(c.state / "agents.sock"))
            c.wait("the log to name the limit of agents", lambda: f"agents {limit}" in log.read_text())
            time.sleep(2.5)  # Both are tried again at least twice.
            self.assertEqual(log.read_text().count("Too many open files"), 2)
            peers.close()
            c.wait("commands to be served", lambda: c.run("sinfo", check=False).returncode == 0)

    @unittest.skipUnless(ROOT, "SKIPPED: needs root to act as a user with few processes")
    def test_a_controller_that_may_start_too_few_threads_names_the_limit(self):
        user = 1_000_000 + os.getpid()  # Nobody else's: the limit counts all threads of a user.
        folder = Path(tempfile.mkdtemp(prefix="berth-e2e."))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "slurm.conf").write_text("ClusterName=few\nNodeName=n1 CPUs=2 RealMemory=1000\nPartitionName=p Nodes=n1 Default=YES\n")
        os.chown(folder, user, user)
        refused = 0
        for most in range(1, 400, 2):  # So the limit is met at each place where threads are started.
            command = ["prlimit", f"--nproc={most}", "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
                       BIN / "berthd", "--state", folder / str(most), "--config", folder]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as daemon:
                said = ""
                while "listens on" not in said and (line := daemon.stderr.readline()):
                    said += line
                daemon.terminate()
                said += daemon.stderr.read()  # communicate() would leave out what readline() has read ahead.
                daemon.wait(60)
            if daemon.returncode == 0:
                break
            self.assertEqual(daemon.returncode, 75, f"{most} threads: {said}")
            self.assertIn("no more threads or processes: raise TasksMax= of its unit", said, f"{most} threads")
            refused += 1
        else:
            self.fail("it never started")
        self.assertGreater(refused, 3, "the limit was met at too few places")

    @unittest.skipUnless(ROOT, "SKIPPED: needs root to mount a small disk")
    def test_a_node_with_a_full_disk_gives_its_jobs_back_and_is_drained_with_the_reason(self):
        with Cluster("a100:8", nodes=2, cpus=16) as c:
            first = c.run("sinfo", "-h", "-N", "-o", "%N").stdout.split()[0]
            c.run("berth", "down")
            run_dir = c.state / "agents" / first / "run"
            shutil.rmtree(run_dir)
            run_dir.mkdir()
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "nr_inodes=20,mode=755", "none", str(run_dir)], capture_output=True, text=True)
            if mounted.returncode != 0:
                self.skipTest("SKIPPED: cannot mount a tmpfs here")
            try:
                c.up()
                with contextlib.suppress(OSError):  # Until no inode is left.
                    for number in range(20):
                        (run_dir / f"filler{number}").touch()
                job = c.sbatch("--no-requeue", "--gres=gpu:1", script="true")
                c.wait_state(job, "COMPLETED")  # On the other node.
                self.assertNotIn(first, c.run("sacct", "-n", "-X", "-j", job, "-o", "NodeList%30").stdout)
                self.assertEqual(c.run("sinfo", "-h", "-R").stdout, "", "one job alone drains no node")
                jobs = [c.sbatch("--no-requeue", "-w", first, script="true") for _ in range(3)]
                c.wait("the node to be drained", lambda: "Cannot start jobs" in c.run("sinfo", "-h", "-R", "-o", "%60E %N").stdout)
                self.assertIn("No space left on device", c.run("sinfo", "-h", "-R", "-o", "%200E").stdout)
                self.assertEqual(set(c.run("squeue", "-h", "-o", "%T").stdout.split()), {"PENDING"})
                self.assertNotIn("held", c.run("squeue", "-h", "-o", "%r").stdout)
                # Three runs at once need more inodes than the fillers had.
                subprocess.run(["mount", "-o", "remount,nr_inodes=10000", str(run_dir)], check=True)
                c.run("scontrol", "update", f"NodeName={first}", "State=RESUME")
                for job in jobs:
                    c.wait_state(job, "COMPLETED")
            finally:
                c.run("berth", "down", "--kill", check=False)
                subprocess.run(["umount", "-l", str(run_dir)], check=False)

    def gives_back(self, c, node, lack, words):
        """While the node lacks what every job needs."""
        with self.subTest(words):
            with lack:
                jobs = [c.sbatch("--no-requeue", "-w", node, script="true") for _ in range(3)]
                c.wait("the node to be drained", lambda: "Cannot start jobs" in c.run("sinfo", "-h", "-R", "-o", "%200E").stdout)
                self.assertIn(words, c.run("sinfo", "-h", "-R", "-o", "%200E").stdout)
                here = c.run("squeue", "-h", "-j", ",".join(jobs), "-o", "%T %r").stdout
                self.assertRegex(here, r"\A(PENDING .*\n){3}\Z")
                self.assertNotIn("held", here)
            c.run("scontrol", "update", f"NodeName={node}", "State=RESUME")
            for job in jobs:
                c.wait_state(job, "COMPLETED")

    @unittest.skipUnless(ROOT, "SKIPPED: needs root to limit a process that runs")
    @unittest.skipIf("ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ,
                     "SKIPPED: sanitizers need memory of their own, and a pipe to see whether memory may be read")
    def test_a_node_without_descriptors_or_memory_gives_its_jobs_back_and_is_drained(self):
        with Cluster("a100:8", cpus=16) as c:
            node = c.run("sinfo", "-h", "-N", "-o", "%N").stdout.strip()
            agent = c.pid(f"agent-{node}")
            self.gives_back(c, node, without_descriptors(agent), "Too many open files")
            self.gives_back(c, node, without_memory(agent), "Cannot allocate memory")

    @unittest.skipUnless(ROOT, "SKIPPED: needs root for cgroups")
    def test_a_node_without_a_cgroup_gives_its_jobs_back_and_is_drained(self):
        with Cluster("a100:8", cpus=16) as c:
            node = c.run("sinfo", "-h", "-N", "-o", "%N").stdout.strip()
            keeps = c.sbatch(script="cat /proc/self/cgroup; sleep 1000")  # The node's cgroups, while it runs.
            c.wait_state(keeps, "RUNNING")
            groups = c.wait("its cgroups", lambda: (c.work / f"slurm-{keeps}.out").exists() and c.output(keeps))
            mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
            unified = next((mount[1] for mount in mounts if mount[2] == "cgroup2"), None)
            of_node = re.search(r"^0::/(.+)/system.slice/", groups, re.M)
            if not unified or not of_node:
                self.skipTest("SKIPPED: no cgroup2 here, which can be told to make no more")
            self.gives_back(c, node, without_a_cgroup(Path(unified, of_node[1])), "Resource temporarily unavailable")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
