"""The care of nodes: health checks, reboots, single GPUs drained, a fence for what is silent, and how much jobs use."""

import signal
import tempfile
import unittest
from pathlib import Path

from cluster import BIN, Cluster, main

CONF = """ClusterName=cared
GresTypes=gpu
NodeName=n[1-2] CPUs=8 Gres=gpu:a100:4
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0
HealthCheckProgram={folder}/check
HealthCheckInterval=1
RebootProgram={folder}/reboot
ResumeTimeout=8
SlurmdTimeout=5
JobAcctGatherFrequency=1
"""
CHECK = """#!/bin/sh
echo "$SLURMD_NODENAME" >>{folder}/checked
[ -e {folder}/sick ] || exit 0
exec {bin}/scontrol update NodeName="$SLURMD_NODENAME" State=DRAIN Reason=sick
"""
FENCE = """#!/bin/sh
echo "$1 $2" >>{folder}/fenced
[ -e {folder}/fence-works ] || {{ echo no power; exit 3; }}
kill -9 "$(cat {folder}/job.pid)"
"""


class Care(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-care.")))
        self.folder.chmod(0o755)
        (self.folder / "slurm.conf").write_text(CONF.format(folder=self.folder))
        (self.folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Type=a100 Count=4\n")
        (self.folder / "berth.yaml").write_text(f"fence: {{program: {self.folder}/fence, timeout: 0:20}}\n")
        self.cluster = Cluster(conf=self.folder / "slurm.conf")
        self.program("check", f"#!/bin/sh\nexport BERTH_SOCKET={self.cluster.state}/berthd.sock\n"
                     + CHECK.format(folder=self.folder, bin=BIN).split("\n", 1)[1])
        self.program("reboot", f"#!/bin/sh\necho $SLURMD_NODENAME >>{self.folder}/rebooted\n")
        self.program("fence", FENCE.format(folder=self.folder))
        self.enterContext(self.cluster)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def node(self, name="n1"):
        return self.cluster.run("scontrol", "show", "node", name).stdout

    def test_health_checks_run_again_and_again_and_may_drain_their_node(self):
        checked = self.folder / "checked"
        self.cluster.wait("three checks of a node",
                          lambda: checked.exists() and checked.read_text().split().count("n2") >= 3)
        (self.folder / "sick").touch()
        self.cluster.wait("the node to be drained", lambda: "Reason=sick [" in self.node())
        self.assertIn("State=IDLE+DRAIN ", self.node())

    def test_a_reboot_is_told_and_shown_and_given_up_in_the_end(self):
        c = self.cluster
        job = c.sbatch("-w", "n1", script="until [ -e reboot-now ]; do sleep 0.1; done")
        c.wait_state(job, "RUNNING")
        c.run("scontrol", "reboot", "ASAP", "reason=kernel", "n1")
        self.assertIn("State=MIXED+DRAIN+REBOOT_REQUESTED ", self.node())
        self.assertEqual(c.run("sinfo", "-hN", "-n", "n1", "-o", "%t").stdout.strip(), "drng@")
        self.assertIn("already", c.run("scontrol", "reboot", "n1", check=False).stderr)
        (c.work / "reboot-now").touch()
        told = self.folder / "rebooted"
        c.wait("the node to be told", lambda: told.exists() and told.read_text() == "n1\n")
        self.assertEqual(c.state_of(job), "COMPLETED")
        self.assertEqual(c.run("sinfo", "-hN", "-n", "n1", "-o", "%t").stdout.strip(), "idle^")
        c.wait("it to be given up", lambda: "Reason=reboot timed out [" in self.node())
        self.assertIn("State=DOWN ", self.node())

    def test_a_single_gpu_is_drained_and_given_back(self):
        c = self.cluster
        c.run("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=other")
        c.run("scontrol", "update", "NodeName=n1", "BerthGpus=2", "State=DRAIN", "Reason=hot")
        self.assertIn("GresDrain=gpu:a100:1(IDX:2)", self.node())
        self.assertIn("Reason=hot [", self.node())
        self.assertIn("State=IDLE ", self.node())
        four, three = c.sbatch("--gres=gpu:4", script="true"), c.sbatch("--gres=gpu:3", script="echo $CUDA_VISIBLE_DEVICES")
        c.wait_state(three, "COMPLETED")
        self.assertEqual(c.output(three).strip(), "0,1,3")
        self.assertEqual(c.state_of(four), "PENDING")
        c.run("scontrol", "update", "NodeName=n1", "BerthGpus=2", "State=RESUME")
        c.wait_state(four, "COMPLETED")
        self.assertNotIn("GresDrain", self.node())

    def test_what_a_job_uses_is_measured_while_it_runs_and_afterwards(self):
        c = self.cluster
        job = c.sbatch(script="exec python3 -c '\nimport time\nsome = bytearray(80 << 20)\n"
                              "while time.process_time() < 4: pass\n'")

        def measured():
            row = c.run("sstat", "-n", "-P", "-o", "JobID,MaxRSS,AveCPU,NTasks", "-j", job, check=False).stdout.split("\n")[0]
            return row if row and "00:00:00" not in row else None

        row = c.wait("its use to be measured", measured).split("|")
        self.assertEqual((row[0], row[3]), (f"{job}.batch", "1"))
        self.assertGreater(int(row[1].rstrip("KMG")), 0)
        c.wait_state(job, "COMPLETED")
        rows = [line.split("|") for line in c.run("sacct", "-n", "-P", "-j", job, "-o", "JobID,TotalCPU,UserCPU,MaxRSS,MaxRSSNode").stdout.splitlines()]
        self.assertRegex(rows[0][1], r"^00:0[4-9]\.\d{3}$")
        self.assertEqual(rows[0][3], "")
        used = int(rows[1][3].rstrip("K")) >> 10 if rows[1][3].endswith("K") else int(rows[1][3].rstrip("M"))
        self.assertTrue(80 <= used < 400, rows)
        self.assertEqual(rows[1][4], "n1")

    def fall_silent(self):
        """The id of a job on n1, whose agent is then gone."""
        c = self.cluster
        job = c.sbatch("--requeue", script=f"[ -e {self.folder}/job.pid ] && exit 0\n"
                       f"echo $$ >{self.folder}/job.pid\nexec sleep 300")
        c.wait("it to run", (self.folder / "job.pid").exists)
        self.assertEqual(c.run("squeue", "-h", "-j", job, "-o", "%N").stdout.strip(), "n1")
        c.kill("agent-n1", signal.SIGKILL)
        asked = self.folder / "fenced"
        c.wait("the fence to be asked", lambda: asked.exists() and asked.read_text().endswith("\n"))
        self.assertRegex((self.folder / "fenced").read_text(), r"^n1 \S+\n$")
        return job

    def test_a_job_of_a_silent_node_waits_while_its_fence_fails(self):
        job = self.fall_silent()
        self.cluster.wait("it to be shown", lambda: "fence ended with exit code 3: no power" in self.node())
        self.assertEqual(self.cluster.state_of(job), "RUNNING")

    def test_a_job_of_a_fenced_node_runs_elsewhere(self):
        (self.folder / "fence-works").touch()
        job = self.fall_silent()
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual(self.cluster.run("sacct", "-nXP", "-j", job, "-o", "NodeList,Restarts").stdout.strip(), "n2|1")


if __name__ == "__main__":
    main()
