"""What a killed test run leaves is removed by the next one."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import leftovers
from cluster import main

# A run that is killed while its job runs, and one that goes on.
RUN = """
import sys, time
from cluster import Cluster
with Cluster("a100:2", nodes=2) as c:
    job = c.sbatch(script="cd /; touch {}/began; srun sleep 1000".format(c.work))
    c.wait("the job to run", lambda: (c.work / "began").exists())
    print(c.root, flush=True)
    time.sleep(1000)
"""


class Leftovers(unittest.TestCase):
    def run_one(self):
        process = subprocess.Popen([sys.executable, "-c", RUN], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        root = Path(process.stdout.readline().strip())
        process.stdout.close()
        self.assertTrue(root.is_dir())
        groups = [mount / leftovers.cgroup_of(agent) for agent in (root / "cluster/agents").glob("*") for mount in leftovers.cgroup_mounts()]
        return process, root, [group for group in groups if group.is_dir()]

    def test_a_dead_run_is_removed_and_a_live_one_is_not(self):
        dead, dead_root, groups = self.run_one()
        live, live_root, live_groups = self.run_one()
        if os.geteuid() == 0 and list(leftovers.cgroup_mounts()):
            self.assertTrue(groups, "the cgroups of agents have another name: see leftovers.cgroup_of()")
        dead.send_signal(signal.SIGKILL)
        dead.wait()
        leftovers.sweep()
        self.assertFalse(dead_root.exists())
        self.assertEqual([group for group in groups if group.exists()], [])
        self.assertEqual(leftovers.processes(dead_root, []), set())
        self.assertTrue(live_root.is_dir())
        self.assertTrue(leftovers.processes(live_root, live_groups))
        live.send_signal(signal.SIGKILL)
        live.wait()
        leftovers.sweep()
        self.assertFalse(live_root.exists())

    def test_a_folder_without_an_owner_stays(self):
        with tempfile.TemporaryDirectory(prefix="berth-e2e.") as name:
            leftovers.sweep()
            self.assertTrue(Path(name).is_dir())


if __name__ == "__main__":
    main()
