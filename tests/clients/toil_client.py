"""Toil's slurm batch system: jobs that return values, one that fails and is retried, one with a GPU, one out of attempts."""

import subprocess
import sys
from pathlib import Path

from scenario import out, ran

WORKFLOW = """
import os, sys
from pathlib import Path
from toil.common import Toil
from toil.job import Job

def start(job, here):
    ways = [job.addChildJobFn(square, number, cores=2, memory="300Mi").rv() for number in range(3)]
    ways.append(job.addChildJobFn(shaky, here, cores=1, memory="200Mi").rv())
    ways.append(job.addChildJobFn(gpu, cores=1, memory="200Mi", accelerators="1").rv())
    return job.addFollowOnJobFn(gather, ways, cores=1, memory="100Mi").rv()

def square(job, number):
    return number * number, os.environ["SLURM_CPUS_PER_TASK"], os.environ["SLURM_JOB_ID"]

def shaky(job, here):
    tries = Path(here, "tries")
    with open(tries, "a") as file:
        print(os.environ["SLURM_JOB_ID"], file=file)
    assert tries.read_text().count("\\n") == 2, "the first time"
    return "second"

def gpu(job):
    return os.environ["SLURM_JOB_GPUS"], os.environ["CUDA_VISIBLE_DEVICES"]

def gather(job, ways):
    return ways

def hopeless(job, here):
    os._exit(5)

if __name__ == "__main__":
    options = Job.Runner.getDefaultArgumentParser().parse_args()
    here = os.getcwd()
    first = start if "good" in options.jobStore else hopeless
    with Toil(options) as toil:
        print("result:", toil.start(Job.wrapJobFn(first, here, cores=1, memory="100Mi")))
"""


def toil(store):
    return subprocess.run([sys.executable, "flow.py", f"file:{store}", "--batchSystem", "slurm", "--retryCount", "1",
                           "--statePollingWait", "1", "--clean", "always", "--slurmTime", "0:05:00",
                           "--defaultDisk", "10M", "--batchLogsDir", "."],
                          text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)


def jobs(kind, fields):
    rows = [line.split("|") for line in out("sacct", "-nXP", "-o", f"JobName%60,{fields}").splitlines()]
    return [row[1:] for row in rows if f"_{kind}" in row[0]]


if __name__ == "__main__":
    Path("flow.py").write_text(WORKFLOW)
    done = toil("good")
    assert done.returncode == 0, done.stdout + done.stderr
    *squares, second, gpu = eval(done.stdout.split("result:")[1])
    assert [row[:2] for row in squares] == [(0, "2"), (1, "2"), (4, "2")] and second == "second" and len(gpu[0]) == 1, done.stdout
    rows = jobs("square", "JobID,AllocCPUS,ReqMem,Timelimit,State")
    assert sorted(rows) == sorted([row[2], "2", "300M", "00:05:00", "COMPLETED"] for row in squares), (rows, squares)
    tries, rows = Path("tries").read_text().split(), jobs("shaky", "JobID,State")
    assert [row[0] for row in rows] == tries and [row[1] for row in rows] == ["FAILED", "COMPLETED"], (tries, rows)
    assert "gres/gpu=1" in jobs("gpu", "AllocTRES")[0][0], jobs("gpu", "AllocTRES")
    done = toil("bad")
    assert done.returncode != 0 and "exit value 5" in done.stdout + done.stderr, done.stdout + done.stderr
    assert jobs("hopeless", "State,ExitCode") == [["FAILED", "5:0"]] * 2, jobs("hopeless", "State,ExitCode")
    ran("toil", "7 jobs with values, one retried, one with a GPU; a job that fails twice, its exit code by scontrol")
