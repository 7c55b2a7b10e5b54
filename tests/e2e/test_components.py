"""Heterogeneous jobs: sbatch, salloc and srun with "a : b"; shown, cancelled and accounted for by component."""

import re
import unittest

from cluster import Cluster, main

SCRIPT = """#SBATCH -n1 -c2 -J first --gres=gpu:1
#SBATCH hetjob
#SBATCH -n2 -N2 -J second --gres=gpu:2
echo $SLURM_JOB_ID $SLURM_HET_SIZE $SLURM_NTASKS $SLURM_CPUS_PER_TASK
echo $SLURM_JOB_ID_HET_GROUP_1 $SLURM_NTASKS_HET_GROUP_1 $SLURM_JOB_NUM_NODES_HET_GROUP_1 $SLURM_JOB_NODELIST_HET_GROUP_1
srun --het-group=1 sh -c 'echo in $SLURM_JOB_ID $SLURM_PROCID/$SLURM_NTASKS $SLURM_HET_SIZE'
srun -n1 sh -c 'echo a $SLURM_JOB_ID' : -n2 sh -c 'echo b $SLURM_JOB_ID'
"""


class Components(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:4", nodes=2))

    def hold_all(self):
        job = self.cluster.sbatch("--exclusive", "-N2", "--wrap", "sleep 600")
        self.cluster.wait_state(job, "RUNNING")
        return job

    def first_states(self, job):
        return {key: value.split(" ")[0] for key, value in self.cluster.states(job).items() if "." not in key}

    def wait_states(self, job, state):
        wanted = {f"{job}+0": state, f"{job}+1": state}
        self.cluster.wait(f"both components of {job} to be {state}", lambda: self.first_states(job) == wanted)

    def test_a_script_has_its_components(self):
        job = self.cluster.sbatch(script=SCRIPT)
        second = str(int(job) + 1)
        self.wait_states(job, "COMPLETED")
        lines = self.cluster.output(job).splitlines()
        self.assertEqual(lines[0], f"{job} 2 1 2")
        self.assertEqual(lines[1].split()[:3], [second, "2", "2"])
        self.assertEqual(sorted(lines[2:4]), [f"in {second} 0/2 2", f"in {second} 1/2 2"])
        self.assertEqual(sorted(lines[4:]), [f"a {job}", f"b {second}", f"b {second}"])
        rows = self.cluster.run("sacct", "-n", "-P", "-j", job, "-o", "JobID,JobName,NNodes").stdout.splitlines()
        self.assertIn(f"{job}+0|first|1", rows)
        self.assertIn(f"{job}+1|second|2", rows)
        self.assertIn(f"{job}+0.batch|batch|1", rows)
        self.assertNotIn(f"{job}+1.batch", "\n".join(rows))
        self.assertIn(f"{job}+1.0", "\n".join(rows))

    def test_they_wait_and_are_cancelled_as_one(self):
        holder = self.hold_all()
        job = self.cluster.sbatch("-n1", ":", "-n1", "--gres=gpu:4", "--wrap", "true")
        shown = self.cluster.run("squeue", "-h", "-j", job, "-o", "%i %A %T").stdout.splitlines()
        self.assertEqual(sorted(shown), [f"{job}+0 {job} PENDING", f"{job}+1 {int(job) + 1} PENDING"])
        self.assertEqual(self.cluster.run("squeue", "-h", "-j", f"{job}+1", "-o", "%i").stdout, f"{job}+1\n")
        text = self.cluster.run("scontrol", "show", "job", job).stdout
        self.assertEqual(re.findall(r"JobId=(\d+) HetJobId=(\d+) HetJobOffset=(\d+)", text),
                         [(job, job, "0"), (str(int(job) + 1), job, "1")])
        self.assertIn(f"HetJobIdSet={job}-{int(job) + 1}", text)
        refused = self.cluster.run("scancel", f"{job}+1", check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.cluster.run("scancel", job)
        self.wait_states(job, "CANCELLED")
        self.cluster.run("scancel", holder)
        self.cluster.wait_state(holder, "CANCELLED")

    def test_they_run_until_one_is_cancelled(self):
        job = self.cluster.sbatch("-n1", ":", "-n1", "--wrap", "sleep 600")
        self.wait_states(job, "RUNNING")
        self.cluster.run("scancel", f"{job}+1")
        self.wait_states(job, "CANCELLED")

    def test_salloc_and_srun_take_them(self):
        done = self.cluster.run("salloc", "-n1", ":", "-n2", "sh", "-c", "echo $SLURM_HET_SIZE; srun --het-group=0-1 sh -c 'echo $SLURM_NTASKS'")
        self.assertEqual(sorted(done.stdout.split()), ["1", "2", "2", "2"])
        done = self.cluster.run("srun", "-n1", "sh", "-c", "echo a; exit 3", ":", "-n2", "echo", "b", check=False)
        self.assertEqual((done.returncode, sorted(done.stdout.split())), (3, ["a", "b", "b"]), done.stderr)
        for within in (), ("salloc", "-Q", "-n1", ":", "-n1"):
            done = self.cluster.run(*within, "srun", "-t1", "echo", "a", ":", "echo", "b")
            self.assertEqual((sorted(done.stdout.split()), done.stderr), (["a", "b"], ""), within)
        wrong = self.cluster.run("salloc", "-n1", ":", "-n1", "srun", "--het-group=2", "true", check=False)
        self.assertIn("there is no component 2", wrong.stderr)

    def test_a_component_that_cannot_be_refuses_all(self):
        before = self.cluster.run("sacct", "-n", "-X", "-P", "-o", "JobID").stdout
        done = self.cluster.run("sbatch", "-n1", ":", "--gres=gpu:99", "--wrap", "true", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.cluster.run("sacct", "-n", "-X", "-P", "-o", "JobID").stdout, before)


if __name__ == "__main__":
    main()
