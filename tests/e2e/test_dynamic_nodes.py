"""A node that no file names: it joins by itself, runs a job, and leaves; and those that an administrator makes."""

import os
import shutil
import signal
import subprocess
import unittest

from cluster import BIN, Cluster, main

CONF = """ClusterName=open
GresTypes=gpu
MaxNodeCount=4
NodeName=n1 CPUs=2
NodeSet=big Feature=big
PartitionName=main Nodes=ALL Default=YES MaxTime=1-0
PartitionName=big Nodes=big MaxTime=1-0
"""


class OpenCluster(Cluster):
    """A controller whose configuration has room for more nodes than it names."""

    def __init__(self):
        super().__init__()
        self.config = self.root / "etc"
        self.config.mkdir()
        (self.state / "log").mkdir(parents=True)
        (self.config / "slurm.conf").write_text(CONF)
        self.processes = {}

    def up(self):
        self.start_controller()
        self.wait("the controller to listen", (self.state / "agents.sock").exists)

    def start_controller(self):
        self.start("berthd", "berthd", "--state", self.state / "db", "--config", self.config, "--socket", self.state / "berthd.sock",
                   "--agent-socket", self.state / "agents.sock")

    def start_agent(self, node, conf):
        self.start(node, "berth-agent", "-Z", "--conf", conf, "--node", node, "--config", self.config, "--state", self.root / node,
                   "--emulate", "--controller", f"unix:{self.state}/agents.sock", "--client-socket", self.state / "berthd.sock")

    def start(self, name, program, *arguments):
        with (self.state / "log" / f"{name}.log").open("a") as log:
            self.processes[name] = subprocess.Popen([BIN / program, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                    start_new_session=True)

    def stop(self, name):
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        return process.wait(60)

    def state_of_node(self, node):
        return self.run("sinfo", "-h", "-n", node, "-p", "main", "-o", "%T").stdout.strip()

    def log(self, name):
        return (self.state / "log" / f"{name}.log").read_text()

    def __exit__(self, *_):
        self.run("scancel", "--state=RUNNING", "--signal=KILL", "--full", check=False)
        for name in sorted(self.processes, key=lambda one: one == "berthd"):
            self.stop(name)
        shutil.rmtree(self.root, ignore_errors=True)


class DynamicNodes(unittest.TestCase):
    def setUp(self):
        self.cluster = self.enterContext(OpenCluster())

    def join(self, node="dyn1", conf="CPUs=4 RealMemory=1000 Gres=gpu:a100:2 Feature=big"):
        self.cluster.start_agent(node, conf)
        self.cluster.wait("the node to join", lambda: self.cluster.state_of_node(node) == "idle")

    def test_a_node_joins_runs_a_job_stays_over_restarts_and_leaves(self):
        self.join()
        shown = self.cluster.run("scontrol", "show", "node", "dyn1").stdout
        for text in ("State=IDLE+DYNAMIC_NORM", "Gres=gpu:a100:2", "CPUTot=4", "RealMemory=1000", "Partitions=main,big"):
            self.assertIn(text, shown)
        job = self.cluster.sbatch("-p", "big", "--gres=gpu:2", script="echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES; srun -n 1 hostname >/dev/null && echo step")
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual(self.cluster.output(job), "dyn1 0,1\nstep\n")
        self.cluster.stop("berthd")
        self.cluster.start_controller()
        self.cluster.wait("the node to be back", lambda: self.cluster.run("sinfo", check=False).returncode == 0 and self.cluster.state_of_node("dyn1") == "idle")
        conf = self.cluster.config / "slurm.conf"
        conf.write_text(conf.read_text() + "NodeName=n2 CPUs=1\n")
        self.cluster.run("scontrol", "reconfigure")
        self.cluster.wait("the node to be back", lambda: self.cluster.state_of_node("dyn1") == "idle")
        self.assertEqual(sorted(self.cluster.run("sinfo", "-h", "-N", "-p", "main", "-o", "%N").stdout.split()), ["dyn1", "n1", "n2"])
        long = self.cluster.sbatch("-w", "dyn1", script="sleep 1000")
        self.cluster.wait_state(long, "RUNNING")
        refused = self.cluster.run("scontrol", "delete", "NodeName=dyn1", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"Job {long} is on node 'dyn1'", refused.stderr)
        self.cluster.run("scancel", long)
        self.cluster.wait_state(long, "CANCELLED")
        self.cluster.wait("the node to be free", lambda: self.cluster.state_of_node("dyn1") == "idle")
        self.cluster.run("scontrol", "delete", "NodeName=dyn1")
        gone = self.cluster.run("scontrol", "show", "node", "dyn1", check=False)
        self.assertIn("not found", gone.stdout + gone.stderr)
        # Its agent is there still, and is none of ours: until it is started again.
        self.cluster.wait("the controller to turn it away", lambda: "it was deleted" in self.cluster.log("berthd"))
        self.cluster.stop("dyn1")
        self.join(conf="CPUs=1")
        self.assertIn("CPUTot=1 ", self.cluster.run("scontrol", "show", "node", "dyn1").stdout)

    def test_an_administrator_makes_nodes_that_are_to_come(self):
        self.cluster.run("scontrol", "create", "NodeName=c[1-2]", "State=CLOUD", "CPUs=3", "RealMemory=500", "Gres=gpu:1", "Feature=big")
        self.assertIn("+CLOUD+DYNAMIC_NORM", self.cluster.run("scontrol", "show", "node", "c2").stdout)
        refused = self.cluster.run("scontrol", "create", "NodeName=c[3-9]", "State=CLOUD", "CPUs=3", check=False)
        self.assertIn("MaxNodeCount=4 allows no 10 nodes", refused.stderr)
        self.assertEqual(self.cluster.run("scontrol", "create", "NodeName=c3", "CPUs=3", check=False).returncode, 1)
        self.join("c1", "CPUs=3 RealMemory=500 Gres=gpu:1")
        job = self.cluster.sbatch("-p", "big", "--gres=gpu:1", script="echo $SLURMD_NODENAME")
        self.cluster.wait_state(job, "COMPLETED")
        self.assertEqual(self.cluster.output(job), "c1\n")
        self.cluster.run("scontrol", "delete", "NodeName=c[1-2]")
        self.assertEqual(self.cluster.run("sinfo", "-h", "-N", "-o", "%N", "-p", "main").stdout.split(), ["n1"])

    def test_who_may_not_does_not(self):
        if os.geteuid() != 0:
            self.skipTest("SKIPPED: needs root, to be several users")
        for command in (("create", "NodeName=c1", "State=CLOUD", "CPUs=1"), ("delete", "NodeName=n1")):
            done = self.cluster.run("scontrol", *command, check=False, user="daemon", group="daemon", extra_groups=[])
            self.assertEqual(done.returncode, 1)
            self.assertIn("may not", done.stderr)


if __name__ == "__main__":
    main()
