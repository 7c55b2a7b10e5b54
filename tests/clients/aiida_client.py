"""AiiDA: calculations by its engine as Slurm jobs: one that is well, one that runs out of memory, one that is cancelled."""

import os
import subprocess
import sys
from pathlib import Path

from scenario import out, ran, state_of, wait

CALCULATION = """
import sys
from aiida import load_profile, orm
from aiida.engine import run_get_node
load_profile()
code = orm.load_code(sys.argv[1] + "@berth")
builder = code.get_builder()
builder.x, builder.y = orm.Int(4), orm.Int(5)
builder.metadata.options = {"resources": {"num_machines": 1, "num_mpiprocs_per_machine": 2}, "max_wallclock_seconds": 300,
                            "withmpi": False, "max_memory_kb": 204800, "queue_name": "main", "priority": "10"}
results, node = run_get_node(builder)
total = results["sum"].value if "sum" in results else None
print("node:", node.exit_status, node.get_job_id(), total, node.get_detailed_job_info()["retval"])
for log in orm.Log.collection.get_logs_for(node):
    print("log:", log.message)
"""
SETUP = """
import os, sys
from aiida import load_profile, orm
load_profile()
computer = orm.Computer("berth", "localhost", transport_type="core.local", scheduler_type="core.slurm", workdir=os.path.abspath("aiida"))
computer.store()
computer.configure(safe_interval=0, use_login_shell=False)
computer.set_minimum_job_poll_interval(1)
for name in ("bash", "hungry", "slow"):
    path = "/bin/bash" if name == "bash" else os.path.abspath(name)
    orm.InstalledCode(label=name, computer=computer, filepath_executable=path, default_calc_job_plugin="core.arithmetic.add").store()
"""
HUNGRY = "#!/usr/bin/python3\nimport time\nheld = bytearray(600 << 20)\nfor at in range(0, len(held), 4096): held[at] = 1\ntime.sleep(60)\n"
SLOW = "#!/bin/bash\nexec sleep 600\n"


def start(code):
    return subprocess.Popen([sys.executable, "calculation.py", code], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def result(run):
    """Exit status of the node, number of the job, sum, how sacct ended; and the node's log."""
    said, _ = run.communicate(timeout=200)
    rows = [line.split()[1:] for line in said.splitlines() if line.startswith("node: ")]
    assert len(rows) == 1, said
    return *rows[0], [line for line in said.splitlines() if line.startswith("log: ")]


if __name__ == "__main__":
    for name, text in (("calculation.py", CALCULATION), ("setup.py", SETUP), ("hungry", HUNGRY), ("slow", SLOW)):
        Path(name).write_text(text)
        Path(name).chmod(0o755)
    os.environ["AIIDA_PATH"] = os.getcwd()
    out("verdi", "presto", "--no-broker", "-n")
    out(sys.executable, "setup.py")
    status, job, total, sacct, log = result(start("bash"))
    assert (status, total, sacct) == ("0", "9", "0") and "scheduler parser" not in str(log), (status, total, sacct, log)
    assert state_of(job) == "COMPLETED"
    asked = out("sacct", "-nXP", "-j", job, "-o", "AllocCPUS,ReqMem,Timelimit,Partition")
    assert asked == "2|200M|00:05:00|main\n", asked
    status, job, _, sacct, log = result(start("hungry"))
    assert state_of(job) == "OUT_OF_MEMORY" and "scheduler parser returned exit code<110>" in str(log), (state_of(job), status, log)
    slow = start("slow")
    job = wait("its job to run", lambda: out("squeue", "-h", "--me", "-t", "RUNNING", "-o", "%A").strip())
    wait("its program to be begun", lambda: len(list(Path("aiida").glob("*/*/*/aiida.out"))) == 3)
    out("scancel", job)
    status, same, _, sacct, log = result(slow)
    assert (status, same, sacct) == ("320", job, "0") and state_of(job) == "CANCELLED", (status, same, sacct, log)
    ran("aiida-core", "an addition; one out of memory, known by sacct (exit code 110); one cancelled")
