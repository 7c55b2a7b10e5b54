"""The site's own programs around jobs: Prolog, Epilog, TaskProlog, TaskEpilog, and what becomes of node and job where one fails."""

import os
import tempfile
import unittest
from pathlib import Path

from cluster import Cluster, main

CONF = """ClusterName=hooked
GresTypes=gpu
NodeName=n1 CPUs=8 Gres=gpu:a100:4
PartitionName=main Nodes=n1 Default=YES MaxTime=1-0
PrologEpilogTimeout=20
Prolog={folder}/prolog.d/*
Epilog={folder}/epilog
TaskProlog={folder}/task-prolog
TaskEpilog={folder}/task-epilog
"""


class Hooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e-hooks.")))
        cls.folder.chmod(0o777)
        (cls.folder / "prolog.d").mkdir()
        (cls.folder / "slurm.conf").write_text(CONF.format(folder=cls.folder))
        (cls.folder / "gres.conf").write_text("NodeName=n1 Name=gpu Type=a100 Count=4\n")
        cls.log = cls.folder / "log"
        cls.program("prolog.d/10-log", f'echo "prolog $SLURM_JOB_ID $(id -u) $SLURM_JOB_GPUS" >>{cls.log}')
        cls.program("prolog.d/20-fail", f'[ ! -e {cls.folder}/prolog-fails ]')
        cls.program("epilog", f'echo "epilog $SLURM_JOB_ID" >>{cls.log}; [ ! -e {cls.folder}/epilog-fails ]')
        cls.program("task-prolog", "echo export SCRATCH=/scratch/$SLURM_JOB_ID; echo print ready")
        cls.program("task-epilog", f'[ $SLURM_PROCID = 0 ] || sleep 0.5; echo "task epilog $SLURM_PROCID" >>{cls.folder}/tasks')
        cls.cluster = cls.enterClassContext(Cluster(conf=cls.folder / "slurm.conf"))

    @classmethod
    def program(cls, name, shell):
        path = cls.folder / name
        path.write_text(f"#!/bin/sh\n{shell}\n")
        path.chmod(0o755)

    def setUp(self):
        self.log.unlink(missing_ok=True)

    def node(self):
        return self.cluster.run("scontrol", "show", "node", "n1").stdout

    def resume(self):
        self.cluster.run("scontrol", "update", "NodeName=n1", "State=RESUME")

    def test_a_job_runs_between_them(self):
        c = self.cluster
        job = c.sbatch("-n2", "--gres=gpu:2", script=f"echo job >>{self.log}\nsrun -n2 sh -c 'echo task $SLURM_PROCID in $SCRATCH'")
        c.wait_state(job, "COMPLETED")
        self.assertEqual(self.log.read_text(), f"prolog {job} {os.geteuid()} 0,1\njob\nepilog {job}\n")
        self.assertEqual(sorted(c.output(job).splitlines()),
                         ["ready", "ready", f"task 0 in /scratch/{job}", f"task 1 in /scratch/{job}"])
        self.assertEqual(sorted((self.folder / "tasks").read_text().splitlines()), ["task epilog 0", "task epilog 1"])

    def test_a_failing_prolog_drains_the_node_and_holds_the_job(self):
        c = self.cluster
        mark = self.folder / "prolog-fails"
        mark.touch()
        try:
            job = c.sbatch(script="echo ran")
            c.wait("the job to be held", lambda: "held" in c.run("squeue", "-h", "-j", job, "-o", "%r").stdout)
            self.assertIn("State=IDLE+DRAIN", self.node())
            self.assertIn("Reason=Prolog error", self.node())
        finally:
            mark.unlink()
        self.resume()
        c.run("scontrol", "release", job)
        c.wait_state(job, "COMPLETED")
        self.assertEqual(c.output(job), "ran\n")

    def test_a_failing_epilog_drains_the_node_and_keeps_the_result(self):
        c = self.cluster
        mark = self.folder / "epilog-fails"
        mark.touch()
        try:
            job = c.sbatch(script="exit 3")
            c.wait_state(job, "FAILED")
            c.wait("the node to be drained", lambda: "DRAIN" in self.node())
            self.assertIn("Reason=Epilog error", self.node())
        finally:
            mark.unlink()
        self.resume()
        c.wait_state(c.sbatch(script="true"), "COMPLETED")

    def test_a_job_cancelled_in_its_prolog_never_runs(self):
        c = self.cluster
        self.program("prolog.d/30-slow", f"[ ! -e {self.folder}/slow ] || sleep 2")
        (self.folder / "slow").touch()
        try:
            job = c.sbatch(script="echo ran")
            c.wait_state(job, "RUNNING")
            c.run("scancel", job)
            c.wait_state(job, "CANCELLED")
            c.wait("the epilog", lambda: self.log.exists() and f"epilog {job}" in self.log.read_text())
        finally:
            (self.folder / "slow").unlink()
        self.assertFalse((c.work / f"slurm-{job}.out").exists())


if __name__ == "__main__":
    main()
