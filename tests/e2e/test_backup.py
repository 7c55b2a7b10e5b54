"""berth backup beside a busy controller; berth restore on another machine, and back to the agents of this one."""

import os
import shutil
import signal
import stat
import threading
import unittest

from cluster import Cluster


class Backup(unittest.TestCase):
    def test_another_machine_goes_on_from_a_copy(self):
        with Cluster("a100:8", nodes=1) as here:
            ended = here.sbatch(script="echo was here; exit 3")
            here.wait_state(ended, "FAILED")
            held = here.sbatch("--hold", "-J", "later", script="echo from the copy")
            told = here.run("sacct", "-P", "-j", ended, "-o", "JobID,State,ExitCode,Start,End,AllocTRES").stdout
            stop = threading.Event()
            busy = threading.Thread(target=lambda: [here.sbatch("--hold", script="true") for _ in iter(stop.is_set, True)])
            busy.start()
            try:
                copy = here.work / "berth.copy"
                said = here.run("berth", "backup", str(copy)).stdout
            finally:
                stop.set()
                busy.join()
            self.assertIn("recovered from once, and whole", said)
            self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o600)
            again = here.run("berth", "backup", str(copy), check=False)
            self.assertEqual((again.returncode, again.stderr), (1, f"berth: {copy} is there already\n"))
            lost = here.sbatch(script="true")  # Accepted after the copy was made.
            there = Cluster("a100:8", nodes=1)
            try:
                self.go_on(there, copy, ended, told, held, lost)
            finally:
                there.__exit__()

    def go_on(self, there, copy, ended, told, held, lost):
        done = there.run("berth", "restore", str(copy), "--state", str(there.state / "state"))
        self.assertIn("Start the controller", done.stdout)
        there.up()
        self.assertEqual(there.run("sacct", "-P", "-j", ended, "-o", "JobID,State,ExitCode,Start,End,AllocTRES").stdout, told)
        there.run("scontrol", "release", held)
        there.wait_state(held, "COMPLETED")
        self.assertGreater(int(there.sbatch(script="true")), int(lost))
        second = there.run("berth", "restore", str(copy), check=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn("is there already", second.stderr)

    def test_the_agents_obey_a_controller_restored_from_an_old_copy(self):
        with Cluster("a100:8", nodes=1) as c:
            first = c.sbatch("-o", "first", script="until [ -e go ]; do sleep 0.1; done; echo ran once")
            c.wait_state(first, "RUNNING")
            copy = c.root / "copy"
            c.run("berth", "backup", str(copy))
            for _ in range(3):  # The agents come to know later controllers than the copy does.
                c.kill("berthd")
                c.up()
            stray = c.sbatch("-o", "stray", script="echo $$ > stray.pid; exec sleep 600")
            c.wait_state(stray, "RUNNING")
            pid = int(c.wait("the stray", lambda: (c.work / "stray.pid").exists() and (c.work / "stray.pid").read_text()))
            c.kill("berthd")
            for file in (c.state / "state").glob("berth.db*"):
                file.unlink()
            c.run("berth", "restore", str(copy))
            c.up()
            c.wait("the stray to be killed, which nobody knows any more", lambda: not os.path.exists(f"/proc/{pid}"))
            (c.work / "go").touch()
            c.wait_state(first, "COMPLETED")
            self.assertEqual(c.output(first, "first"), "ran once\n")
            last = c.sbatch(script="true")
            c.wait_state(last, "COMPLETED")
            self.assertGreater(int(last), int(stray))

    def test_what_is_no_copy_is_refused(self):
        with Cluster("a100:8", nodes=1) as c:
            c.run("berth", "down", "--kill")
            whole = c.state / "state" / "berth.db"
            damaged = c.root / "damaged"
            bytes_of = bytearray(whole.read_bytes())
            bytes_of[len(bytes_of) // 2:] = b""
            damaged.write_bytes(bytes_of)
            for file in (damaged, c.root, "/etc/passwd", c.root / "nothing"):
                elsewhere = c.root / "elsewhere"
                elsewhere.mkdir(exist_ok=True)
                done = c.run("berth", "restore", str(file), "--state", str(elsewhere), check=False)
                self.assertEqual(done.returncode, 1, f"{file}: {done.stdout}")
                self.assertTrue(done.stderr.startswith("berth: "), done.stderr)
                self.assertEqual(list(elsewhere.iterdir()), [], "something was left behind")
                shutil.rmtree(elsewhere)
            many = c.run("berth", "restore", str(whole), "--state", str(c.root), "--skip-jobs", "60000000", check=False)
            self.assertIn("skip fewer", many.stderr)
            nowhere = c.run("berth", "backup", "/nowhere/at/all", check=False)
            self.assertIn("No such file or directory", nowhere.stderr)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main(verbosity=2)
