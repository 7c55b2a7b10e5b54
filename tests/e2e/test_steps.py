"""srun inside a job: what each task sees, how steps share, and how they end."""

import unittest

from cluster import Cluster


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

    def test_one_bad_task_may_end_the_others(self):
        bad = "sh -c '[ $SLURM_PROCID = 0 ] && exit 3; sleep 60'"
        for options, said in (("-K", "Terminating StepId="), ("--kill-on-bad-exit=1", "Terminating StepId="),
                              ("--wait=1", "First task exited 1s ago")):
            with self.subTest(options):
                text = self.run_job("-n", "2", "-t", "5", script=f"time -p srun {options} {bad}; echo code $?")
                self.assertIn(said, text)
                self.assertIn("code 143", text)  # TERM of the other one.

    def test_cpu_bind_is_refused_by_name_where_not_built(self):
        text = self.run_job("-n", "1", script="srun --mpi=none --cpu-bind=none,quiet echo fine; srun --cpu-bind=cores true; true")
        self.assertIn("fine\n", text)
        self.assertIn("--cpu-bind=cores is not supported yet; none is", text)

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
