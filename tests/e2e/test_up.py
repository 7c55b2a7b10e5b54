"""berth up and berth restore on one directory: nothing is replaced, made beside, or left open to others without a word."""

import os
import pwd
import signal
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from cluster import BIN, Cluster, main

IS_ROOT = os.geteuid() == 0


def tree(folder):
    """{path: (mode, content)} of all files."""
    return {str(path.relative_to(folder)): (stat.S_IMODE(path.lstat().st_mode), path.read_bytes())
            for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()}


class Up(unittest.TestCase):
    def refused(self, cluster, *arguments):
        done = cluster.run("berth", "up", *arguments, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    def test_wrong_values_touch_nothing(self):
        c = Cluster("a100:8")
        try:
            for gpus in ("foo", "a100:-3", "a100:0", ""):
                self.assertIn("like a100:8", self.refused(c, "--simulate-gpus", gpus))
            missing = self.refused(c, "--slurm-conf", str(c.root / "nothing"))
            self.assertIn("is not a file", missing)
            bad = c.root / "slurm.conf"
            bad.write_text("ClusterName=x\nNodeName=n1 CPUs=2\nPartitionName=p Nodes=nobody\n")
            self.assertIn("--lenient", self.refused(c, "--slurm-conf", str(bad)))
            self.assertFalse(c.state.exists(), "nothing is made of wrong values")
        finally:
            c.__exit__()

    def test_other_options_do_not_replace_the_configuration(self):
        with Cluster("a100:8", nodes=1) as c:
            etc = c.state / "etc"
            before = tree(etc)
            for running in (True, False):
                told = self.refused(c, "--simulate-gpus", "h100:4", "--nodes", "2")
                self.assertIn("--simulate-gpus is a100:8, not h100:4; --nodes is 1, not 2", told)
                self.assertIn("--replace-config", told)
                self.refused(c, "--simulate-gpus", "foo")
                other = c.root / "other.conf"
                other.write_text("ClusterName=other\nNodeName=n1 CPUs=2\nPartitionName=p Nodes=n1 Default=YES\n")
                self.assertIn("slurm.conf line", self.refused(c, "--slurm-conf", str(other)))
                self.assertEqual(tree(etc), before)
                if running:
                    told = self.refused(c, "--simulate-gpus", "h100:4", "--replace-config")
                    self.assertIn("berth down", told)
                    self.assertEqual(tree(etc), before)
                    c.run("berth", "down")
            c.run("berth", "up", "--simulate-gpus", "h100:4", "--cpus", "16", "--replace-config")
            self.assertIn("h100", c.run("sinfo", "-h", "-o", "%G").stdout)
            self.assertEqual(tree(c.state / "etc.previous"), before)
            c.run("berth", "up")
            c.run("berth", "up", "--simulate-gpus", "h100:4")

    def test_fifty_nodes_run_on_one_machine(self):
        with Cluster("a100:8", nodes=50, cpus=2) as c:
            for _ in range(2):
                ran = c.run("srun", "-N50", "sh", "-c", "echo $SLURMD_NODENAME").stdout.split()
                self.assertEqual(sorted(ran), sorted(f"node{i}" for i in range(1, 51)))
            c.wait("all to be free again", lambda: c.run("sinfo", "-h", "-o", "%D %t").stdout.split() == ["50", "idle"])

    def test_files_of_others_are_not_moved_away(self):
        c = Cluster("a100:8", nodes=1)
        try:
            etc = c.state / "etc"
            (etc / "other").mkdir(parents=True)
            (etc / "job_submit.lua").write_text("-- the site's rules\n")
            (etc / "other" / "precious.conf").write_text("x\n")
            before = tree(etc)
            for options in ([], ["--simulate-gpus", "a100:2"]):
                told = self.refused(c, *options)
                self.assertIn(f"{etc} has no slurm.conf or berth.yaml, but job_submit.lua, other: ", told)
                self.assertIn("--replace-config", told)
            self.assertEqual(os.listdir(c.state), ["etc"])
            said = c.run("berth", "up", "--simulate-gpus", "a100:2", "--replace-config").stdout
            self.assertIn(f"{etc}.previous", said)
            self.assertEqual(tree(c.state / "etc.previous"), before)
            c.run("berth", "down")
            told = self.refused(c, "--simulate-gpus", "h100:2", "--replace-config")
            self.assertIn("--replace-config would delete it", told)
            self.assertEqual(tree(c.state / "etc.previous"), before)
        finally:
            c.__exit__()

    def test_a_restored_cluster_is_the_one_that_comes_up(self):
        with Cluster("a100:8", nodes=1) as c:
            held = c.sbatch("--hold", "-J", "kept", script="true")
            c.run("berth", "backup", str(c.root / "copy"))
            bytes_of_copy = (c.root / "copy").read_bytes()
        for named in (True, False):
            there = Cluster("a100:8", nodes=1)
            try:
                copy = there.root / "copy"
                copy.write_bytes(bytes_of_copy)
                state = ["--state", str(there.state)] if named else []
                told = there.run("berth", "restore", str(copy), *state).stdout
                self.assertIn("berth up", told)
                there.up()
                self.assertEqual(there.run("squeue", "-h", "-o", "%i %j").stdout, f"{held} kept\n")
            finally:
                there.__exit__()

    def test_no_empty_cluster_begins_beside_a_database(self):
        c = Cluster("a100:8", nodes=1)
        try:
            c.state.mkdir()
            (c.state / "berth.db").write_bytes(b"a database")
            told = self.refused(c, "--simulate-gpus", "a100:8")
            self.assertIn("is the database of another controller", told)
            self.assertEqual(os.listdir(c.state), ["berth.db"])
        finally:
            c.__exit__()

    def test_no_umask_opens_anything_to_others(self):
        before = os.umask(0)
        try:
            with Cluster("a100:8", nodes=1) as c:
                c.wait_state(c.sbatch(script="true"), "COMPLETED")
                loose = [f"{path} {stat.S_IMODE(path.lstat().st_mode):o}" for path in [c.state, *c.state.rglob("*")]
                         if path.lstat().st_mode & 0o022 and not path.is_socket() and not path.is_symlink()]
                self.assertEqual(loose, [])
                self.assertEqual(stat.S_IMODE((c.state / "state").stat().st_mode), 0o700)
        finally:
            os.umask(before)

    def test_what_others_may_change_is_refused(self):
        with Cluster("a100:8", nodes=1) as c:
            c.run("berth", "down")
            for path in (c.state / "etc" / "slurm.conf", c.state / "etc", c.state / "state", c.state / "state" / "berth.db", c.state):
                mode = stat.S_IMODE(path.stat().st_mode)
                path.chmod(mode | 0o022)
                told = c.run("berth", "up", check=False)
                self.assertEqual(told.returncode, 1, f"{path} was accepted")
                self.assertIn(f"chmod go-w {path}\n", told.stderr + "\n")
                doctor = c.run("berth", "doctor", check=False)
                self.assertIn(f"chmod go-w {path}\n", doctor.stdout)
                path.chmod(mode)
            c.up()

    @unittest.skipUnless(IS_ROOT, "only root gives files away")
    def test_root_believes_nothing_that_is_another_users(self):
        nobody = pwd.getpwnam("nobody")
        with Cluster("a100:8", nodes=1) as c:
            c.run("berth", "down")
            for path in (c.state / "etc" / "slurm.conf", c.state / "etc", c.state / "state", c.state / "state" / "berth.db"):
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
                told = c.run("berth", "up", check=False)
                self.assertEqual(told.returncode, 1, f"{path} was accepted")
                self.assertIn(f"chown root {path}", told.stderr)
                os.chown(path, 0, 0)
            c.up()
            link = c.root / "link"
            os.symlink(c.state, link)
            os.lchown(link, nobody.pw_uid, nobody.pw_gid)
            c.run("berth", "backup", str(c.root / "copy"))
            for command, *more in (["up", "--simulate-gpus", "a100:8"], ["restore", str(c.root / "copy")]):
                for name in ("new", "etc"):  # One that has to be made, and one that is there.
                    told = c.run("berth", command, "--state", str(link / name), *more, check=False)
                    self.assertEqual(told.returncode, 1, told.stdout)
                    self.assertIn(f"{link} belongs to uid {nobody.pw_uid}", told.stderr)
            common = ["--state", str(link / "new"), "--config", str(c.state / "etc")]
            for daemon in (["berthd"], ["berth-agent", "--node", "n1", "--controller", "unix:/nowhere", "--emulate"],
                           ["berth-launcher", "--node", "n1", "--socket", str(c.root / "s"), "--controller-key", "/nowhere", "--client-socket", "/n"]):
                done = subprocess.run([str(BIN / daemon[0]), *daemon[1:], *common], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 78, f"{daemon[0]}: {done.stderr}")
                self.assertIn(f"{link} belongs to uid {nobody.pw_uid}", done.stderr)
            self.assertFalse((c.state / "new").exists())

    @unittest.skipUnless(os.geteuid() == 0, "as root")
    def test_root_stops_no_process_that_another_user_names(self):
        nobody = pwd.getpwnam("nobody")
        with tempfile.TemporaryDirectory() as folder, subprocess.Popen(["sleep", "60"]) as process:
            started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
            (Path(folder) / "x.pid").write_text(f"{process.pid} {started}\n")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            told = subprocess.run([str(BIN / "berth"), "down", "--state", folder], capture_output=True, text=True, timeout=60)
            self.assertIsNone(process.poll(), "it was stopped")
            self.assertEqual(told.returncode, 1, told.stdout)
            self.assertIn(f"{folder} belongs to uid {nobody.pw_uid}", told.stderr)
            process.kill()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
