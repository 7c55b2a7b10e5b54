"""srun inside a job: what each task sees, how steps share, and how they end."""

import re
import tempfile
import unittest
from pathlib import Path

from cluster import Cluster, main


class Steps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:8"))

    def run_job(self, *options, script, state="COMPLETED"):
        job = self.cluster.sbatch(*options, script=script)
        self.cluster.wait_state(job, state)
        return self.cluster.output(job)

    def test_tasks_have_ranks_and_labels(self):
        text = self.run_job("-n", "4", script="srun -l sh -c 'echo rank $SLURM_PROCID of $SLURM_NTASKS'")
        self.assertEqual(sorted(text.splitlines()), [f"{i}: rank {i} of 4" for i in range(4)])

    def test_immediate_gives_up_on_cpus_that_other_steps_have(self):
        text = self.run_job("-n", "1", "-t", "5", script="srun sleep 20 & sleep 1; time -p srun -I2 true; echo code $?; scancel $SLURM_JOB_ID.0; wait; srun -I2 echo now")
        self.assertRegex(text, r"srun: error: Unable to create step for job \d+: Requested nodes are busy\n")
        self.assertIn("code 1", text)
        self.assertGreater(float(re.search(r"real (\S+)", text)[1]), 1.9)
        self.assertIn("now\n", text)

    def test_one_bad_task_may_end_the_others(self):
        bad = "sh -c '[ $SLURM_PROCID = 0 ] && exit 3; sleep 60'"
        for options, said in (("-K", "Terminating StepId="), ("--kill-on-bad-exit=1", "Terminating StepId="),
                              ("--wait=1", "First task exited 1s ago")):
            with self.subTest(options):
                text = self.run_job("-n", "2", "-t", "5", script=f"time -p srun {options} {bad}; echo code $?")
                self.assertIn(said, text)
                self.assertIn("code 143", text)  # TERM of the other one.
                self.assertEqual(text.count("srun: Job step aborted: Waiting up to "), 1, text)

    def test_srun_says_in_slurms_words_how_a_step_is_ended(self):
        node = self.cluster.run("sinfo", "-h", "-N", "-o", "%N").stdout.strip()
        aborted = r"srun: Job step aborted: Waiting up to 32 seconds for job step to finish\."  # KillWait and two.
        notice = rf"slurmstepd: error: \*\*\* STEP \d+\.0 ON {node} CANCELLED AT \S+ \*\*\*"
        text = self.run_job("-n", "2", script="srun -K sh -c '[ $SLURM_PROCID = 0 ] && exit 3; sleep 60'; true")
        self.assertRegex(text, rf"(?s)srun: error: {node}: task 0: Exited with exit code 3\n.*srun: Terminating StepId=\d+\.0\n" + aborted)
        self.assertRegex(text, notice)
        self.assertEqual(text.count("Exited with exit code 3"), 1, text)
        self.assertIn(f"srun: error: {node}: task 1: Terminated\n", text)
        text = self.run_job("-n", "4", script="srun -K sh -c '[ $SLURM_PROCID = 0 ] && exit 3; sleep 60'; true")
        self.assertIn(f"srun: error: {node}: tasks 1-3: Terminated\n", text)
        text = self.run_job("-n", "1", script="(sleep 2; scancel $SLURM_JOB_ID.0) & srun sleep 60; wait")
        self.assertRegex(text, rf"(?s){notice}\n{aborted}\n.*srun: error: {node}: task 0: Terminated\n")
        text = self.run_job("-n", "1", script="srun -o nosuch/%s.txt sleep 60; true")
        self.assertRegex(text, r"(?s)Could not open stdout file .*/nosuch/0\.txt: .*" + aborted)
        quiet = self.run_job("-n", "1", script="(sleep 2; scancel $SLURM_JOB_ID.0) & srun -Q sleep 60; wait")
        self.assertNotIn("aborted", quiet)

    def test_cpu_bind_is_refused_by_name_where_not_built(self):
        text = self.run_job("-n", "1", script="srun --mpi=none --cpu-bind=none,quiet echo fine; srun --cpu-bind=ldoms true; true")
        self.assertIn("fine\n", text)
        self.assertIn("--cpu-bind=ldoms is not supported yet; cores, sockets, rank, none, map_cpu and mask_cpu are", text)

    def test_gpu_binding_means_what_slurm_means(self):
        show = "srun -n 4 {} sh -c 'echo $SLURM_PROCID $CUDA_VISIBLE_DEVICES' | sort"
        cases = {
            "--gpu-bind=single:2": ["0 0", "1 0", "2 1", "3 1"],
            "--gpu-bind=map_gpu:2,3,0,1": ["0 2", "1 3", "2 0", "3 1"],
            "--gpu-bind=mask_gpu:0x3,0xC,0x1,0x8": ["0 0,1", "1 2,3", "2 0", "3 3"],
            "--gpu-bind=none": [f"{i} 0,1,2,3" for i in range(4)],
            "--gpus-per-task=1": [f"{i} {i}" for i in range(4)],
        }
        for option, lines in cases.items():
            with self.subTest(option):
                text = self.run_job("-n", "4", "--gres=gpu:4", script=show.format(option))
                self.assertEqual(text.splitlines(), lines)

    def test_gpu_bind_in_the_script_is_inherited(self):
        text = self.run_job("-n", "2", "--gres=gpu:2", "--gpu-bind=per_task:1",
                            script="srun sh -c 'echo $SLURM_PROCID $CUDA_VISIBLE_DEVICES' | sort")
        self.assertEqual(text.splitlines(), ["0 0", "1 1"])

    def test_exact_steps_run_side_by_side_on_their_own_gpus(self):
        text = self.run_job("-n", "4", "--gres=gpu:4", script="""
            for i in 1 2; do srun --exact -n 2 --gres=gpu:2 sh -c 'sleep 1; echo $SLURM_STEP_GPUS' >step$i.txt & done; wait
            sort -u step1.txt step2.txt""")
        self.assertEqual(text.splitlines(), ["0,1", "2,3"])

    def test_a_step_may_have_no_gpus_but_not_more_than_its_job(self):
        text = self.run_job("--gres=gpu:1", script="""
            srun --gres=gpu:0 sh -c 'echo "[${CUDA_VISIBLE_DEVICES-unset}]"'
            srun --gres=gpu:2 true && echo wrong
            srun -n 99 true && echo wrong
            true""")
        self.assertIn("[unset]", text)
        self.assertIn("srun: error: Unable to create step for job", text)
        self.assertNotIn("wrong", text)

    def test_srun_returns_the_highest_code_and_says_who_failed(self):
        text = self.run_job("-n", "3", script="srun sh -c 'exit $SLURM_PROCID'; echo code $?; srun -n1 sh -c 'kill -9 $$'; echo code $?")
        self.assertIn("task 2: Exited with exit code 2", text)
        self.assertIn("code 2\n", text)
        self.assertIn("task 0: Killed", text)
        self.assertIn("code 137\n", text)

    def test_steps_are_in_sacct(self):
        job = self.cluster.sbatch("-n", "2", script="srun -J one true; srun -J two false")
        self.cluster.wait_state(job, "FAILED")
        states = self.cluster.states(job)
        self.assertEqual(states.get(f"{job}.0"), "COMPLETED")
        self.assertEqual(states.get(f"{job}.1"), "FAILED")
        self.assertEqual(states.get(f"{job}.batch"), "FAILED")

    def test_input_reaches_the_tasks(self):
        text = self.run_job("-n", "2", script="echo hello | srun -l cat")
        self.assertEqual(sorted(text.splitlines()), ["0: hello", "1: hello"])


class StepsOverNodes(unittest.TestCase):
    """Four nodes of eight CPUs."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:2", nodes=4, cpus=8))
        # It takes a minute, during which the other tests run.
        cls.limited = cls.cluster.sbatch("-n1", "-t", "5", script="time -p srun -t1 sleep 300; echo code $?")
        cls.timed = cls.cluster.sbatch("-N2", "-n2", "-t", "1", script="srun -o step.out sleep 300")

    def srun(self, *options, code=0, within=()):
        """Ranks and nodes, as the tasks say; or what was said if it failed."""
        done = self.cluster.run(*within, "srun", "-l", *options, "printenv", "SLURMD_NODENAME", check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return dict(line.split(": ") for line in done.stdout.splitlines()) if code == 0 else done.stderr

    def nodes_of(self, *arguments, **more):
        return sorted(self.srun(*arguments, **more).values())

    ALL = ["node1", "node2", "node3", "node4"]

    def test_a_range_of_nodes_uses_all_that_were_given(self):
        self.assertEqual(self.nodes_of("-N1-4"), self.ALL)
        self.assertEqual(len(set(self.nodes_of("-N2-3", "-n4"))), 3)
        self.assertEqual(len(set(self.nodes_of("-N2-3"))), 3)

    def test_a_range_within_a_job_is_of_the_jobs_nodes(self):
        job = ["salloc", "-N3"]
        self.assertEqual(len(self.nodes_of("-N1-2", within=job)), 2)
        self.assertEqual(len(self.nodes_of("-N1-8", within=job)), 3)
        self.assertIn("Only allocated 3 nodes asked for 4", self.srun("-N4", within=job, code=1))

    def test_cpus_per_task_alone_fills_the_nodes(self):
        self.assertEqual(len(self.srun("--exclusive", "-c1")), 8)
        self.assertEqual(len(self.srun("-N2", "--exclusive", "-c2")), 8)
        self.assertEqual(len(self.srun("--exclusive", "-c4", within=["salloc", "-N1", "--exclusive"])), 2)
        self.assertEqual(len(self.srun(within=["salloc", "-N1", "--exclusive", "-c1"])), 1)
        self.assertEqual(len(self.srun("-c4")), 1)

    def test_exclude_within_a_job_keeps_the_step_off_those_nodes(self):
        job = ["salloc", "-N4"]
        self.assertEqual(self.nodes_of("-x", "node2", within=job), ["node1", "node3", "node4"])
        self.assertEqual(self.nodes_of("-N2", "-x", "node[1-2]", within=job), ["node3", "node4"])
        self.assertEqual(self.nodes_of("-n1", "-N1", "-x", "node1", within=job), ["node2"])
        self.assertIn("Hostlist is empty!  Can't run job", self.srun("-x", "node[1-4]", within=job, code=1))
        self.assertIn("Only allocated 3 nodes asked for 4", self.srun("-N4", "-x", "node1", within=job, code=1))
        self.assertIn("Invalid node name specified", self.srun("-x", "nosuch", within=job, code=1))
        self.assertIn("both required", self.srun("-w", "node1", "-x", "node1", within=job, code=1))

    def test_an_excluded_step_waits_for_no_busy_node_if_another_is_free(self):
        job = self.cluster.sbatch("-N3", "--ntasks-per-node=1", "-t", "5", script="""
            srun --exact -N1 -n1 -w $(scontrol show hostnames | sed -n 2p) sleep 20 & sleep 1
            srun --exact -N1 -n1 -x $(scontrol show hostnames | head -1) printenv SLURMD_NODENAME; scancel $SLURM_JOB_ID""")
        self.cluster.wait_state(job, "CANCELLED")
        self.assertRegex(self.cluster.output(job), r"^node\d$|^node\d\n")

    def test_a_step_has_a_time_limit_of_its_own(self):
        self.cluster.wait("the limit to pass", lambda: self.cluster.state_of(self.limited) in ("COMPLETED", "FAILED"), patience=150)
        text = self.cluster.output(self.limited)
        self.assertRegex(text, rf"slurmstepd: error: \*\*\* STEP {self.limited}\.0 ON node\d CANCELLED AT \S+ DUE TO TIME LIMIT \*\*\*\n")
        self.assertIn("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n", text)
        self.assertEqual(text.count("***"), 2, text)
        self.assertIn("code 143", text)
        took = float(next(line for line in text.splitlines() if line.startswith("real")).split()[1])
        self.assertGreater(took, 59)
        self.assertLess(took, 75)
        states = self.cluster.run("sacct", "-n", "-P", "-j", self.limited, "-o", "JobID,State").stdout.split()
        self.assertIn(f"{self.limited}.0|TIMEOUT", states)

    def test_what_ends_a_job_stands_in_its_output_once(self):
        self.cluster.wait("the limit to pass", lambda: self.cluster.state_of(self.timed) == "TIMEOUT", patience=150)
        line = r"^slurmstepd: error: \*\*\* {} ON node\d CANCELLED AT 20\d\d-\S+ DUE TO TIME LIMIT \*\*\*$"
        for name, what in (f"slurm-{self.timed}.out", f"JOB {self.timed}"), ("step.out", f"STEP {self.timed}.0"):
            said = [text for text in (self.cluster.work / name).read_text().splitlines() if "***" in text]
            self.assertEqual(len(said), 1, said)
            self.assertRegex(said[0], line.format(what))

    def test_a_step_that_is_too_large_names_the_cpus(self):
        said = self.srun("-c9", "-n2", within=["salloc", "-n2"], code=1)
        self.assertIn("More processors requested than permitted", said)
        self.assertRegex(said, r"the step asks for 2 tasks of 9 CPUs; the job has 2 CPUs on node\d")

    def test_labels_are_in_the_file_too(self):
        self.cluster.run("srun", "-l", "-n2", "-o", "labelled.txt", "echo", "hi")
        self.assertEqual(sorted((self.cluster.work / "labelled.txt").read_text().splitlines()), ["0: hi", "1: hi"])


THREADS = """ClusterName=threads
NodeName=n1 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2
PartitionName=main Nodes=n1 Default=YES DefaultTime=60
"""


class StepsOnThreads(unittest.TestCase):
    """A node of four cores with two threads each."""

    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e-conf.")))
        (folder / "slurm.conf").write_text(THREADS)
        cls.cluster = cls.enterClassContext(Cluster(conf=folder / "slurm.conf"))

    def tasks(self, *command):
        done = self.cluster.run(*command, "sh", "-c", "echo $SLURM_PROCID $SLURM_JOB_CPUS_PER_NODE", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(done.stdout.splitlines())

    def test_tasks_without_a_number_are_as_many_as_their_threads_allow(self):
        self.assertEqual(self.tasks("srun", "-c", "2", "--hint=nomultithread"), ["0 4"])
        self.assertEqual(self.tasks("srun", "-c", "2", "--threads-per-core=1", "--exclusive"), ["0 8", "1 8"])
        self.assertEqual(self.tasks("srun", "-c", "2", "--exclusive"), [f"{i} 8" for i in range(4)])
        job = ["salloc", "-Q", "-n2", "--hint=nomultithread"]
        self.assertEqual(self.tasks(*job, "srun", "-c1"), ["0 4", "1 4"])

    def test_a_step_that_is_too_large_is_told_how_many_cpus_it_may_use(self):
        done = self.cluster.run("salloc", "-Q", "-n2", "--hint=nomultithread", "srun", "-n4", "true", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("the step asks for 4 tasks of 1 CPU; the job has 2 CPUs on n1", done.stderr)


if __name__ == "__main__":
    main()
