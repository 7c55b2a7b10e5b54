"""What tasks write, all of it, in the user's files: several nodes and one file, old output, the modes by the user's umask, and the user's limits."""

import tempfile
import time
import unittest
from pathlib import Path

from cluster import Cluster, main

# Every task writes 10 000 bytes in pieces, while the others do.
WRITE = 'for i in 1 2 3 4 5 6 7 8 9 10; do head -c 999 /dev/zero | tr "\\\\0" $SLURM_PROCID; echo; sleep 0.05; done'
CONF = """ClusterName=appending
NodeName=n[1-2] CPUs=8
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0
JobFileAppend=1
PropagateResourceLimitsExcept=NOFILE,CORE
KillWait=2
"""


def mode_of(path):
    return oct(path.stat().st_mode & 0o777)


class Output(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:1", nodes=4))

    def ran(self, *options, script, state="COMPLETED"):
        job = self.cluster.sbatch(*options, script=script)
        self.cluster.wait_state(job, state)
        return job

    def whole(self, path):
        text = path.read_text()
        self.assertEqual(len(text), 40_000)
        for task in "0123":
            self.assertEqual(text.count(task), 9_990)

    def test_four_nodes_write_one_file_whole(self):
        c = self.cluster
        c.run("srun", "-N4", "-n4", "-o", "one.txt", "sh", "-c", WRITE)
        self.whole(c.work / "one.txt")
        self.ran("-N4", "-n4", script=f"srun -o in-batch.%j.%s.txt sh -c '{WRITE}'")
        self.whole(next(c.work.glob("in-batch.*.0.txt")))
        self.ran("-N4", "-n4", "-o", "batch-all.txt", script=f"srun sh -c '{WRITE}'")
        self.whole(c.work / "batch-all.txt")

    def test_a_number_is_a_task_or_else_the_name_of_a_file(self):
        c = self.cluster
        echo = ("sh", "-c", "echo $SLURM_PROCID; echo $SLURM_PROCID >&2")
        done = c.run("srun", "-n2", "-o", "1", "-e", "none", *echo)
        self.assertEqual((done.stdout, done.stderr), ("1\n", ""))
        c.run("srun", "-n2", "-o", "2026", "-e", "2", *echo)
        self.assertEqual([sorted((c.work / name).read_text().split()) for name in ("2026", "2")], [["0", "1"]] * 2)
        self.assertEqual(sorted(c.run("srun", "-l", "-n2", "-i", "2026", "wc", "-l").stdout.splitlines()), ["0: 2", "1: 2"])
        self.assertEqual(c.run("srun", "-l", "-n2", "-i", "1", "cat", stdin="typed\n").stdout, "1: typed\n")
        self.assertEqual(sorted(c.run("srun", "-l", "-n2", "-i", "all", "cat", stdin="typed\n").stdout.splitlines()), ["0: typed", "1: typed"])

    def test_components_of_one_srun_share_a_file(self):
        """The second begins when the first has written: it must not truncate the file again."""
        write = "srun --het-group=0,1 --exact -o shared sh -c 'echo from $SLURM_JOB_ID; sleep 1; echo more from $SLURM_JOB_ID'"
        c = self.cluster
        job = c.sbatch("-n1", ":", "-n1", script=f"srun --het-group=1 --exact sleep 3 & sleep 1; {write}; wait")
        c.wait("the script to end", lambda: c.states(job).get(f"{job}+0") == "COMPLETED")
        lines = [f"{word} {part}" for word in ("from", "more from") for part in (job, int(job) + 1)]
        self.assertEqual(sorted((c.work / "shared").read_text().splitlines()), lines, c.output(job))

    def test_a_long_line_of_bytes_stays_as_it_is(self):
        c = self.cluster
        c.run("srun", "-n1", "-o", "bytes", "head", "-c", "300000", "/dev/zero")
        self.assertEqual((c.work / "bytes").read_bytes(), bytes(300_000))

    def test_files_by_node_and_task_are_the_nodes_own(self):
        c = self.cluster
        c.run("srun", "-N2", "-n4", "-o", "n%n.t%t", "sh", "-c", "echo $SLURM_PROCID")
        self.assertEqual(sorted(p.name for p in c.work.glob("n?.t?")), ["n0.t0", "n0.t1", "n1.t2", "n1.t3"])
        c.run("srun", "-N2", "-n4", "-o", "node%n", "sh", "-c", "echo $SLURM_PROCID")
        self.assertEqual(sorted((c.work / "node1").read_text().split()), ["2", "3"])

    def test_files_by_node_and_task_have_labels_too(self):
        c = self.cluster
        for pattern in "lab%n", "lab.t%t":
            c.run("srun", "-l", "-N2", "-n4", "-o", pattern, "sh", "-c", "echo out; echo err >&2")
        for node, tasks in (0, "01"), (1, "23"):
            self.assertEqual(sorted((c.work / f"lab{node}").read_text().splitlines()), [f"{task}: {word}" for task in tasks for word in ("err", "out")])
        self.assertEqual([(c.work / f"lab.t{task}").read_text() for task in range(4)], [f"{task}: out\n{task}: err\n" for task in range(4)])

    def test_labels_and_errors_go_to_the_file_and_words_of_srun_do_not(self):
        c = self.cluster
        done = c.run("srun", "-N2", "-n2", "-l", "-o", "labelled", "sh", "-c", "echo out; echo err >&2; exit 3", check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(sorted((c.work / "labelled").read_text().splitlines()), ["0: err", "0: out", "1: err", "1: out"])
        self.assertEqual(done.stdout, "")
        self.assertIn("Exited with exit code 3", done.stderr)
        c.run("srun", "-N2", "-n2", "-o", "outs", "-e", "errs", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual([(c.work / name).read_text() for name in ("outs", "errs")], ["out\nout\n", "err\nerr\n"])

    def test_errors_and_output_of_a_task_stay_in_order(self):
        c = self.cluster
        c.run("srun", "-n1", "-o", "order", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo $i; echo $i >&2; done")
        self.assertEqual((c.work / "order").read_text(), "".join(f"{i}\n{i}\n" for i in range(1, 10)))

    def test_a_file_that_cannot_be_opened_is_said_before_anything_runs(self):
        c = self.cluster
        done = c.run("srun", "-n1", "-o", "/nosuch/out", "touch", "ran", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("srun: error: Could not open stdout file /nosuch/out: No such file or directory", done.stderr)
        self.assertFalse((c.work / "ran").exists())

    def test_a_job_whose_files_cannot_be_opened_says_which_and_why(self):
        c = self.cluster
        for option, what in ("-o", "stdout"), ("-e", "stderr"), ("-i", "stdin"):
            with self.subTest(option):
                done = c.run("sbatch", "--parsable", option, "/nosuch/file", "--wrap", "touch ran")
                self.assertIn("/nosuch/file cannot be used on this host: No such file or directory", done.stderr)
                job = done.stdout.strip()
                c.wait_state(job, "FAILED")
                why = f"Could not open {what} file /nosuch/file: No such file or directory"
                shown = c.run("scontrol", "show", "job", job).stdout
                self.assertIn(" Reason=" + why.replace(" ", "_") + " ", shown)
                self.assertIn("ExitCode=0:53", shown)
                self.assertIn(why, c.run("sacct", "-n", "-P", "-j", job, "-o", "Reason").stdout)
                self.assertEqual(c.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T %r").stdout.strip(), "FAILED " + why)
                if option == "-o":
                    self.assertIn(why, c.run("berth", "logs", job, check=False).stderr)
        self.assertFalse((c.work / "ran").exists())

    def test_a_step_whose_files_cannot_be_opened_says_so_at_once(self):
        done = self.cluster.run("srun", "-N2", "-n2", "-o", "nosuch/%t", "true", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("slurmstepd: error: Could not open stdout file", done.stderr)
        self.assertIn("nosuch/0: No such file or directory", done.stderr)
        self.assertNotIn("without a report", done.stderr)

    def test_a_job_without_its_folder_runs_in_tmp_and_says_so(self):
        c = self.cluster
        done = c.run("sbatch", "--parsable", "-D", "/nosuch", "-o", f"{c.work}/elsewhere", "--wrap", "pwd")
        self.assertIn("the working directory /nosuch cannot be used on this host", done.stderr)
        c.wait_state(done.stdout.strip(), "COMPLETED")
        self.assertRegex((c.work / "elsewhere").read_text(), r"couldn't chdir to `/nosuch': No such file or directory: going to /tmp instead\n/tmp\n")

    def test_old_output_goes_unless_it_is_to_stay(self):
        c = self.cluster
        for options, text in ([], "new\n"), (["--open-mode=append"], "old\nnew\n"), (["--open-mode=truncate"], "new\n"):
            with self.subTest(options):
                (c.work / "kept").write_text("old\n")
                (c.work / "inner").write_text("old\n")
                self.ran("-o", "kept", *options, script="echo new; srun -o inner echo new")
                self.assertEqual([(c.work / name).read_text() for name in ("kept", "inner")], [text, text])
                for name in "step", "step.0":
                    (c.work / name).write_text("old\n")
                c.run("srun", "-n1", "-o", "step", *options, "echo", "new")
                c.run("srun", "-n1", "-o", "step.%t", *options, "echo", "new")
                self.assertEqual([(c.work / name).read_text() for name in ("step", "step.0")], [text, text])

    def test_a_requeued_job_appends_if_it_was_said(self):
        c = self.cluster
        for mode, text in ("append", r"run 0\n.* DUE TO JOB REQUEUE \*\*\*\nrun 1\n"), ("truncate", r"run 1\n"):
            with self.subTest(mode):
                job = c.sbatch("--requeue", "--open-mode", mode, script="echo run ${SLURM_RESTART_COUNT:-0}; [ -n \"$SLURM_RESTART_COUNT\" ] || sleep 60")
                out = c.work / f"slurm-{job}.out"
                c.wait("the first run's word", lambda: out.exists() and out.read_text())
                c.run("scontrol", "requeue", job)
                c.wait_state(job, "COMPLETED")
                self.assertRegex(out.read_text(), f"^{text}$")

    def test_files_have_the_modes_that_the_users_umask_says(self):
        c = self.cluster
        for mask, mode in ("077", "0o600"), ("007", "0o660"), ("022", "0o644"):
            with self.subTest(mask):
                job = c.run("sh", "-c", f"umask {mask}; exec sbatch --parsable -o batch{mask} --wrap 'touch by-batch{mask}; srun -o step{mask} touch by-step{mask}; srun -o task{mask}.%t sh -c umask'").stdout.strip()
                c.wait_state(job, "COMPLETED")
                c.run("sh", "-c", f"umask {mask}; exec srun -n1 touch by-srun{mask}")
                for name in "batch", "by-batch", "step", "by-step", "by-srun":
                    self.assertEqual(mode_of(c.work / (name + mask)), mode, name)
                self.assertEqual(mode_of(c.work / f"task{mask}.0"), mode)
                self.assertEqual((c.work / f"task{mask}.0").read_text(), f"0{mask}\n")

    def limits(self, command, show="ulimit -S"):
        """What a job's script and a step see of limits set in the shell that submits."""
        c = self.cluster
        job = c.run("bash", "-c", command.format(f"sbatch --parsable --wrap 'exec bash -c \"{show}\"'")).stdout.strip()
        c.wait_state(job, "COMPLETED")
        step = c.run("bash", "-c", command.format(f"srun -n1 bash -c '{show}'")).stdout
        return c.output(job).strip(), step.strip()

    def test_soft_limits_of_the_shell_reach_the_job(self):
        for letter, value in ("n", "321"), ("c", "7"), ("f", "123456"), ("s", "4096"), ("u", "54321"), ("t", "3600"):
            with self.subTest(letter):
                self.assertEqual(self.limits(f"ulimit -S -{letter} {value}; exec {{}}", f"ulimit -S -{letter}"), (value, value))

    def test_propagate_says_which(self):
        c = self.cluster
        show = "ulimit -S -n; ulimit -S -c"
        batch = "sbatch --parsable {} --wrap 'exec bash -c \"%s\"'" % show
        seen = {}
        for option in "--propagate=NONE", "--propagate=NOFILE", "--propagate=core,RLIMIT_NOFILE", "--propagate":
            job = c.run("bash", "-c", f"ulimit -S -n 321; ulimit -S -c 7; exec {batch.format(option)}").stdout.strip()
            c.wait_state(job, "COMPLETED")
            seen[option] = c.output(job).split()
        self.assertNotIn("321", seen["--propagate=NONE"])
        self.assertNotEqual(seen["--propagate=NONE"][1], "7")
        self.assertEqual(seen["--propagate=NOFILE"][0], "321")
        self.assertNotEqual(seen["--propagate=NOFILE"][1], "7")
        self.assertEqual(seen["--propagate=core,RLIMIT_NOFILE"], ["321", "7"])
        self.assertEqual(seen["--propagate"], ["321", "7"])
        refused = c.run("sbatch", "--propagate=FILES", "--wrap", "true", check=False)
        self.assertIn('there is no resource limit "FILES"; there are ALL, NONE, or a list of AS, CORE', refused.stderr)


class TheSitesDefaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e-output.")))
        cls.folder.chmod(0o755)
        (cls.folder / "slurm.conf").write_text(CONF)
        cls.cluster = cls.enterClassContext(Cluster(conf=cls.folder / "slurm.conf"))

    def test_job_file_append_keeps_old_output_of_scripts_and_steps(self):
        c = self.cluster
        for options, text in ([], "old\nnew\n"), (["--open-mode=truncate"], "new\n"), (["--open-mode=append"], "old\nnew\n"):
            with self.subTest(options):
                for name in "batch", "step", "step.0":
                    (c.work / name).write_text("old\n")
                c.wait_state(c.sbatch("-o", "batch", *options, script="echo new"), "COMPLETED")
                c.run("srun", "-n1", "-o", "step", *options, "echo", "new")
                c.run("srun", "-n1", "-o", "step.%t", *options, "echo", "new")
                self.assertEqual([(c.work / name).read_text() for name in ("batch", "step", "step.0")], [text] * 3)

    def test_limits_that_the_site_excepts_stay_the_nodes_unless_asked_for(self):
        c = self.cluster
        show = "ulimit -S -n; ulimit -S -f"
        shell = "ulimit -S -n 321; ulimit -S -f 123456; exec "
        for options, files in (" ", False), (" --propagate=NOFILE,FSIZE ", True):
            job = c.run("bash", "-c", f"{shell} sbatch --parsable{options}--wrap 'exec bash -c \"{show}\"'").stdout.strip()
            c.wait_state(job, "COMPLETED")
            step = c.run("bash", "-c", f"{shell} srun -n1{options}bash -c '{show}'").stdout
            for seen in c.output(job).split(), step.split():
                self.assertEqual(seen[0] == "321", files, options)
                self.assertEqual(seen[1], "123456")

    def test_what_ignores_term_after_its_script_is_killed_within_kill_wait_and_named(self):
        c = self.cluster
        job = c.sbatch(script="(trap '' TERM; touch ignoring; while :; do sleep 0.1; done) &\nuntil [ -e ignoring ]; do sleep 0.1; done")
        c.wait_state(job, "COMPLETED")
        begun = time.monotonic()
        c.wait("the node to be free", lambda: "COMPLETING" not in c.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").stdout)
        self.assertLess(time.monotonic() - begun, 10)
        logs = "".join(log.read_text(errors="replace") for log in (c.state / "log").glob("*"))
        self.assertRegex(logs, rf"job {job}: killing \d+ process(es that are| that is) still there \d+ s after the signal to end: .*slurm_script")


if __name__ == "__main__":
    main()
