"""Cylc: tasks as Slurm jobs that succeed, fail and are retried, are held, killed, and found by a poll to be gone."""

import os
import subprocess
import sys
from pathlib import Path

from scenario import out, ran, state_of, wait

GLOBAL = """
[platforms]
    [[berth]]
        hosts = localhost
        install target = localhost
        cylc path = {bin}
        job runner = slurm
"""
FLOW = """
[scheduler]
    [[events]]
        stall timeout = PT0S
        abort on stall timeout = True
[scheduling]
    [[graph]]
        R1 = \"\"\"
            first => shaky & held & slow? & gone?
            slow:fail? & gone:submit-fail? & shaky & held => last
        \"\"\"
[runtime]
    [[root]]
        platform = berth
    [[first]]
        script = echo $SLURM_JOB_ID $SLURM_NTASKS > $HOME/first.txt
        execution time limit = PT1M1S
        [[[directives]]]
            --ntasks = 2
            --mem = 300M
    [[shaky]]
        script = test $CYLC_TASK_TRY_NUMBER = 2
        execution retry delays = PT1S
    [[held]]
        script = true
        [[[directives]]]
            --hold =
    [[slow]]
        script = sleep 600
    [[gone]]
        [[[directives]]]
            -H =
    [[last]]
        script = true
"""


def jobs(task, fields="State"):
    text = out("sacct", "-nXP", "--name", f"{task}.1.flow/run1", "-o", fields)
    return [line.split("|") if "," in fields else line.split(" ")[0] for line in text.splitlines()]


def cylc(*arguments):
    return out("cylc", *arguments)


def job_of(task, reason):
    """The number of its job, when that waits for this reason."""
    text = out("squeue", "-h", "-n", f"{task}.1.flow/run1", "-o", "%A %r").split()
    return text[0] if text[1:] == [reason] else None


if __name__ == "__main__":
    Path("conf").mkdir()
    Path("conf/global.cylc").write_text(GLOBAL.format(bin=Path(sys.executable).parent))
    Path("flow").mkdir()
    Path("flow/flow.cylc").write_text(FLOW)
    os.environ["CYLC_CONF_PATH"] = str(Path("conf").resolve())
    cylc("install", "./flow")
    with open("scheduler.log", "w") as log:
        scheduler = subprocess.Popen(["cylc", "play", "--no-detach", "flow"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        held = wait("a held job", lambda: job_of("held", "JobHeldUser"))
        gone = wait("another", lambda: job_of("gone", "JobHeldUser"))
        wait("the job that is killed later", lambda: jobs("slow") == ["RUNNING"])
        wait("cylc to know of it", lambda: "1/slow/01:submitted] => running" in Path("scheduler.log").read_text())
        assert jobs("first", "JobID,NTasks,ReqMem,Timelimit,State")[0][2:] == ["300M", "00:02:00", "COMPLETED"]
        assert Path("first.txt").read_text().split() == [jobs("first", "JobID,State")[0][0], "2"]
        cylc("kill", "flow//1/slow")
        wait("its end", lambda: jobs("slow") == ["CANCELLED"])
        out("scancel", gone)
        cylc("poll", "flow//1/gone", "flow//1/held")
        wait("the poll's answer", lambda: "1/gone/01:submitted] => submit-failed" in Path("scheduler.log").read_text())
        assert job_of("held", "JobHeldUser") == held and "1/held/01:submitted] =>" not in Path("scheduler.log").read_text()
        out("scontrol", "release", held)
        assert scheduler.wait(timeout=120) == 0
        states = {task: jobs(task) for task in ("first", "shaky", "held", "slow", "last")}
        assert states == {"first": ["COMPLETED"], "shaky": ["FAILED", "COMPLETED"], "held": ["COMPLETED"], "slow": ["CANCELLED"],
                          "last": ["COMPLETED"]} and state_of(gone) == "CANCELLED", states
    except BaseException:
        print(Path("scheduler.log").read_text())
        raise
    finally:
        scheduler.kill()
    ran("cylc-flow", "6 tasks: directives, a retry, a held job released, one killed, one that a poll finds gone")
