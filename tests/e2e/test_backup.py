"""berth backup beside a busy controller; berth restore on another machine, and back to the agents of this one."""

import os
import shutil
import signal
import sqlite3
import stat
import threading
import unittest

from cluster import Cluster, main


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
            self.assertIn("complete: a recovery from it succeeded", said)
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
        self.assertIn("is in use by another program (berthd, pid", second.stderr)
        there.run("berth", "down", "--kill")
        self.assertIn("is there already", there.run("berth", "restore", str(copy), check=False).stderr)

    def test_a_state_that_lost_records_is_refused_until_that_is_accepted(self):
        with Cluster("a100:8", nodes=1) as c:
            first = c.sbatch("--hold", script="true")
            c.kill("berthd")
            c.up()
            jobs = [c.sbatch("--hold", script="true") for _ in range(20)]
            c.kill("berthd")
            log = c.state / "state" / "berth.db-wal"
            whole = log.read_bytes()
            log.write_bytes(whole[:-len(whole) // 3] + bytes(len(whole) // 3))
            told = c.run("berth", "up", check=False)
            self.assertEqual(told.returncode, 1)
            self.assertRegex(told.stderr, r"ends at record \d+, and record \d+ was written: \d+ records? (is|are) missing")
            self.assertEqual(c.run("berth", "up", check=False).returncode, 1, "and once more")
            c.run("berth", "up", "--accept-loss")
            there = c.run("squeue", "-h", "-o", "%i").stdout.split()
            self.assertIn(first, there)
            self.assertNotIn(jobs[-1], there)
            self.assertGreater(int(c.sbatch("--hold", script="true")), int(jobs[-1]), "no id means two jobs")
            c.run("berth", "down")
            c.up()

    def test_a_script_that_was_changed_is_not_run(self):
        with Cluster("a100:8", nodes=1) as c:
            job = c.sbatch("--hold", "-o", "changed", script="echo good")
            other = c.sbatch("--hold", script="touch bad")
            c.run("berth", "down")
            with sqlite3.connect(c.state / "state" / "berth.db") as database:
                database.execute("UPDATE payloads SET payload = (SELECT payload FROM payloads WHERE job = ?) WHERE job = ?", (other, job))
            database.close()
            c.up()
            c.run("scontrol", "release", job)
            c.wait("a word about it", lambda: f"script of job {job} is damaged" in (c.state / "log" / "berthd.log").read_text())
            self.assertFalse((c.work / "bad").exists())
            c.wait("it to be held: it did not run, so it has not failed",
                   lambda: c.run("squeue", "-h", "-j", job, "-o", "%T").stdout == "PENDING\n")
            c.run("scancel", job)
            c.run("scontrol", "release", other)
            c.wait_state(other, "COMPLETED")
            self.assertTrue((c.work / "bad").exists())

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
    main()
