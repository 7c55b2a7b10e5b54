"""berth doctor on a real installation: well, and then broken one way after another."""

import json
import signal
import unittest

from cluster import Cluster, main


class Doctor(unittest.TestCase):
    def symptoms(self, cluster, is_well):
        done = cluster.run("berth", "doctor", "--json", check=False)
        self.assertEqual(done.returncode, 0 if is_well else 1, done.stdout + done.stderr)
        return [(one["is"], one["what"], one["mend"]) for one in json.loads(done.stdout)]

    def find(self, symptoms, part):
        found = [one for one in symptoms if part in one[1]]
        self.assertTrue(found, f"{part!r} is not among {symptoms}")
        return found[0]

    def test_it_finds_what_was_broken(self):
        with Cluster("a100:8", nodes=2) as c:
            c.wait("the nodes", lambda: c.run("sinfo", "-h", "-o", "%D %t").stdout.strip() == "2 idle")
            well = self.symptoms(c, is_well=True)
            self.assertNotIn("wrong", [one[0] for one in well])
            self.find(well, "2 nodes answer")
            self.assertIn("ok", c.run("berth", "doctor").stdout)

            node = c.run("sinfo", "-h", "-N", "-o", "%N").stdout.split()[0]
            c.run("scontrol", "update", f"NodeName={node}", "State=DRAIN", "Reason=fan")
            self.assertEqual(self.find(self.symptoms(c, is_well=True), f"{node} is drained: fan")[0], "worth knowing")
            c.run("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=fan")
            self.assertEqual(self.find(self.symptoms(c, is_well=False), f"{node} are down")[0], "wrong")
            c.run("scontrol", "update", f"NodeName={node}", "State=RESUME")

            foreign = c.work / "squeue"
            foreign.write_text("#!/bin/sh\n")
            foreign.chmod(0o755)
            done = c.run("berth", "doctor", check=False, env={"PATH": f"{c.work}:{c.environment()['PATH']}"})
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"squeue is {foreign}, which is not Berth's", done.stdout)

            conf = c.state / "etc" / "slurm.conf"
            conf.write_text(conf.read_text() + "PartitionName=other Nodes=nobody\n")
            self.assertIn("does not start", self.find(self.symptoms(c, is_well=False), "slurm.conf:")[2])

            c.kill("berthd")
            self.assertIn("restart it", self.find(self.symptoms(c, is_well=False), "does not answer")[2])
            (c.state / "berthd.sock").unlink()
            self.assertIn("berth up", self.find(self.symptoms(c, is_well=False), "no controller listens")[2])


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
