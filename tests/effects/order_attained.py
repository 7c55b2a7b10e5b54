"""Settings of the order rule least_attained: what each makes of a busy cluster in virtual time, whose jobs are put back every 20 minutes."""

import json
import subprocess
import tempfile
from pathlib import Path

from cluster import BIN
from effect import NoEffect, effect, see

# Jobs that ended are remembered, as the Gittins index is made of what they took.
CONF = """ClusterName=sim
MinJobAge=60000
GresTypes=gpu
NodeName=gpu[1-2] CPUs=64 RealMemory=512000 Gres=gpu:a100:8
PartitionName=main Nodes=ALL Default=YES
"""
WORDS = ("--trace=generate:philly:200", "--cluster=etc", "--scale-load=8", "--checkpoint=5", "--time-slice=0:20:00", "--policy=policy.yaml", "--no-timings",
         "--json=figures.json")


def course(settings):
    """How long jobs took, from submission to end."""
    with tempfile.TemporaryDirectory(prefix="berth-sim.") as name:
        folder = Path(name)
        (folder / "etc").mkdir()
        (folder / "etc/slurm.conf").write_text(CONF)
        (folder / "policy.yaml").write_text(json.dumps({"order": {"rule": "least_attained"} | settings}))
        done = subprocess.run([BIN / "berth", "sim", "run", *WORDS], cwd=folder, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise NoEffect(done.stderr)
        return json.loads((folder / "figures.json").read_text())["runs"][0]["all"]


def setting(name, value, **others):
    @effect(f"order least_attained.{name}", seen="jobs take another time", world="alone")
    def test(run):
        see(course(others | ({} if run.withheld else {name: value})) != course(others))


setting("first", 60_000)
setting("second", 500_000)
setting("queues", 20)
setting("factor", 10, queues=20)
setting("gittins", 1)
setting("quantum", 1000, gittins=1)
