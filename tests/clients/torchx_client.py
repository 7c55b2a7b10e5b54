"""TorchX: apps as jobs by its own scheduler plugin, and by its command line."""

import re
import subprocess
from pathlib import Path

from scenario import out, ran, state_of, wait
from torchx.runner import get_runner
from torchx.schedulers.slurm_scheduler import SLURM_STATES
from torchx.specs import AppDef, AppState, Resource, Role, macros


def app(*command, **more):
    role = Role(name="trainer", image="/tmp", entrypoint=command[0], args=list(command[1:]), resource=Resource(cpu=2, gpu=0, memMB=1200), **more)
    return AppDef(name="app", roles=[role])


def end_of(runner, handle):
    return wait("the app's end", lambda: (found := runner.status(handle)) and found.is_terminal() and found)


def log_of(job, kind="out"):
    return Path(f"slurm-{job}-trainer-0.{kind}").read_text()


def test_an_app_runs():
    with get_runner("berth") as runner:
        handle = runner.run(app("bash", "-c", "echo hi from $SLURM_JOB_ID $NAME", env={"NAME": "berth"}), scheduler="slurm", cfg={"time": "5", "comment": "torchx"})
        job = handle.rsplit("/", 1)[1]
        assert end_of(runner, handle).state == AppState.SUCCEEDED
        assert log_of(job) == f"hi from {job} berth\n", log_of(job)
        described = out("scontrol", "show", "job", job)
        for text in ("JobName=trainer-0", "CPUs/Task=2", "MinMemoryNode=1200M", "Comment=torchx", "TimeLimit=00:05:00", "Requeue=1"):
            assert text in described, (text, described)
        found = runner.describe(handle)
        assert [(role.name, role.num_replicas) for role in found.roles] == [("trainer", 1)], found
    return "one app, its log, status and description"


def test_a_failing_app_is_retried_by_requeue():
    with get_runner("berth") as runner:
        handle = runner.run(app("bash", "-c", "[ ${SLURM_RESTART_COUNT:-0} -ge 1 ]", max_retries=2), scheduler="slurm")
        job = handle.rsplit("/", 1)[1]
        wait("its second run", lambda: "Restarts=1" in out("scontrol", "show", "job", job))
        assert end_of(runner, handle).state == AppState.SUCCEEDED
    return "a failing app requeues itself"


def test_a_running_app_is_cancelled():
    with get_runner("berth") as runner:
        handle = runner.run(app("sleep", "600"), scheduler="slurm")
        job = handle.rsplit("/", 1)[1]
        wait("it to run", lambda: runner.status(handle).state == AppState.RUNNING)
        runner.cancel(handle)
        wait("its end", lambda: state_of(job) == "CANCELLED")
    return "a running app is cancelled"


def test_the_command_line():
    done = subprocess.run(["torchx", "run", "-s", "slurm", "utils.echo", "--msg", "hello"], text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    handle = re.search(r"slurm://\S+/(\d+)", done.stdout)
    wait("its end", lambda: state_of(handle[1]) == "COMPLETED")
    assert "hello" in next(Path.cwd().glob(f"slurm-{handle[1]}-echo-0.out")).read_text()
    status = subprocess.run(["torchx", "status", handle[0]], text=True, capture_output=True, timeout=120)
    assert "SUCCEEDED" in status.stdout + status.stderr, status.stdout + status.stderr
    return "torchx run and status"


def test_several_replicas_are_one_job():
    """A heterogeneous job, with a component for each."""
    with get_runner("berth") as runner:
        command = ("bash", "-c", "echo replica ${replica_id} of $SLURM_HET_SIZE, first on $SLURM_JOB_NODELIST_HET_GROUP_0".replace("${replica_id}", macros.replica_id))
        handle = runner.run(app(*command, num_replicas=2), scheduler="slurm")
        job = handle.rsplit("/", 1)[1]
        assert end_of(runner, handle).state == AppState.SUCCEEDED
        for replica in range(2):
            said = Path(f"slurm-{job}-trainer-{replica}.out").read_text()
            assert re.fullmatch(rf"replica {replica} of 2, first on node\d\n", said), said
        assert out("sacct", "-nXP", "-j", job, "-o", "JobID,State").split() == [f"{job}+0|COMPLETED", f"{job}+1|COMPLETED"]
        roles = runner.describe(handle).roles
        assert [(role.name, role.num_replicas) for role in roles] == [("trainer", 2)], roles
    return "an app of two replicas: a heterogeneous job, its logs, status and description"


if __name__ == "__main__":
    assert SLURM_STATES["COMPLETED"] == AppState.SUCCEEDED
    for test in (test_an_app_runs, test_a_failing_app_is_retried_by_requeue, test_a_running_app_is_cancelled, test_the_command_line,
                 test_several_replicas_are_one_job):
        ran("torchx", test())
