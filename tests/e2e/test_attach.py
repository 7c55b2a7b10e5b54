"""sattach: beside a running step's own srun, from the same host."""

import os
import subprocess
import time
import unittest

from cluster import Cluster, main


class Attach(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:2", nodes=2, cpus=8))
        cls.nodes = list(dict.fromkeys(cls.cluster.run("sinfo", "-h", "-N", "-o", "%N").stdout.split()))

    def step(self, command, *options, stdin=subprocess.PIPE):
        """A step that runs: its srun, and its name."""
        srun = subprocess.Popen(["srun", "-t", "5", *options, *command], cwd=self.cluster.work, env=self.cluster.environment(), text=True,
                                stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.end, srun)
        find = lambda: self.cluster.run("squeue", "-h", "-s", "-o", "%i").stdout.split()
        return srun, self.cluster.wait("the step", find)[0]

    def tearDown(self):
        self.cluster.run("scancel", "-u", "root", check=False)
        self.cluster.wait_all_done()

    @staticmethod
    def end(srun):
        if srun.poll() is None:
            srun.kill()
        srun.communicate()

    def sattach(self, *arguments):
        attached = subprocess.Popen(["sattach", *arguments], cwd=self.cluster.work, env=self.cluster.environment(), text=True,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, attached)
        return attached

    # Says a word until the file is there, then ends as asked.
    SAYS = ["sh", "-c", "while [ ! -e $0 ]; do echo out $SLURM_PROCID; echo err $SLURM_PROCID >&2; sleep 0.2; done; exit $SLURM_PROCID"]

    def test_sees_output_and_the_end(self):
        srun, step = self.step([*self.SAYS, "done1"], "-N2", "-n4")
        attached = [self.sattach(*options, step) for options in (["-l"], ["--output-filter=2"], ["--error-filter=1"])]
        first = attached[0].stdout.readline()
        self.assertRegex(first, r"^\d: out \d\n$")
        second = attached[1].stdout.readline()
        self.assertEqual(second, "out 2\n")
        attached[2].stdout.readline()
        self.assertRegex(attached[0].stderr.readline(), r"^\d: err \d\n$")
        self.assertEqual(attached[2].stderr.readline(), "err 1\n")
        (self.cluster.work / "done1").touch()
        ends = [one.communicate(timeout=60) for one in attached]
        self.assertEqual([one.returncode for one in attached], [3, 3, 3])
        self.assertLessEqual(set(ends[1][0].split("\n")), {"out 2", ""})
        self.assertLessEqual(set(ends[2][1].split("\n")), {"err 1", ""})
        out, _ = srun.communicate(timeout=60)
        self.assertEqual(srun.returncode, 3)
        self.assertIn("out 2", out)

    def test_the_step_goes_on_when_it_leaves(self):
        srun, step = self.step([*self.SAYS, "done2"], "-n1")
        attached = self.sattach(step)
        attached.stdout.readline()
        attached.kill()
        attached.communicate()
        again = self.sattach(step)
        self.assertEqual(again.stdout.readline(), "out 0\n")
        (self.cluster.work / "done2").touch()
        again.communicate(timeout=60)
        srun.communicate(timeout=60)
        self.assertEqual(srun.returncode, 0)

    def test_gives_input_to_all_or_to_one(self):
        srun, step = self.step(["sh", "-c", "while read line; do echo $SLURM_PROCID heard $line; [ $line = end ] && exit; done"], "-n2")
        one = self.sattach("--input-filter=1", step)
        one.stdin.write("hello\n")
        one.stdin.flush()
        self.assertEqual(one.stdout.readline(), "1 heard hello\n")
        all = self.sattach("-l", step)
        all.stdin.write("end\n")
        all.stdin.close()
        all.stdin = None  # Its end is not the step's.
        out = all.communicate(timeout=60)[0]
        self.assertIn("0: 0 heard end", out)
        self.assertIn("1: 1 heard end", out)
        srun.communicate(timeout=60)
        self.assertEqual(srun.returncode, 0)

    def test_one_that_takes_nothing_holds_nobody_up(self):
        srun, step = self.step(["sh", "-c", "while [ ! -e go ]; do sleep 0.1; done; head -c 30000000 /dev/zero; echo; echo finished"], "-n1")
        attached = self.sattach(step)
        time.sleep(0.5)
        attached.send_signal(19)
        (self.cluster.work / "go").touch()
        out, _ = srun.communicate(timeout=100)
        attached.send_signal(18)
        self.assertTrue(out.endswith("finished\n"))

    def test_layout(self):
        srun, step = self.step(["sleep", "30"], "-N2", "-n3")
        text = self.cluster.run("sattach", "--layout", step).stdout
        compressed = self.cluster.run("scontrol", "show", "hostlist", ",".join(self.nodes)).stdout.strip()
        self.assertEqual(text, f"Job step layout:\n\t3 tasks, 2 nodes ({compressed})\n\n\tNode 0 ({self.nodes[0]}), 2 task(s): 0 1 \n"
                               f"\tNode 1 ({self.nodes[1]}), 1 task(s): 2 \n")
        self.cluster.run("scancel", step.split(".")[0])

    def test_is_refused(self):
        srun, step = self.step(["sleep", "30"], "-n1")
        job = step.split(".")[0]
        for arguments, text in (((job + ".7",), f"there is no step {job}.7"), (("999999.0",), "Invalid job id"), (("x",), "should be a step"),
                                (("--pty", "--input-filter=0", step), "--pty is incompatible"), (("--output-filter=5", step), "there is no task 5")):
            done = self.cluster.run("sattach", *arguments, check=False)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(text, done.stderr)
        if os.geteuid() == 0:
            stranger = self.cluster.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sattach", step, check=False)
            self.assertEqual(stranger.returncode, 1)
            self.assertIn("Access/permission denied", stranger.stderr)
        self.cluster.run("scancel", job)
        srun.communicate(timeout=60)
        done = self.cluster.run("sattach", step, check=False)
        self.assertEqual(done.returncode, 1)

    def test_a_controller_that_came_back_says_that_it_does_not_know(self):
        srun, step = self.step([*self.SAYS, "done3"], "-n1")
        srun.stdout.readline()  # It runs. A launch that has not left yet dies with the controller.
        self.cluster.kill("berthd")
        self.cluster.up()
        done = self.cluster.run("sattach", step, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("began before the controller was last started", done.stderr)
        (self.cluster.work / "done3").touch()
        srun.communicate(timeout=60)
        self.assertEqual(srun.returncode, 0)


if __name__ == "__main__":
    main()
