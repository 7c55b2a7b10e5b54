"""Parsl: blocks of workers as jobs, apps run on them, blocks scaled in."""

import parsl
from parsl.app.app import python_app
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.launchers import SrunLauncher
from parsl.providers import SlurmProvider
from scenario import out, ran, state_of, wait


@python_app
def square(number):
    import os
    return number * number, os.environ["SLURM_JOB_ID"]


def config():
    provider = SlurmProvider(partition="main", nodes_per_block=1, cores_per_node=2, mem_per_node=1, init_blocks=1, min_blocks=0, max_blocks=2, walltime="00:05:00",
                             launcher=SrunLauncher(), exclusive=False, worker_init="", cmd_timeout=30)
    executor = HighThroughputExecutor(label="htex", max_workers_per_node=2, address="127.0.0.1", loopback_address="127.0.0.1", provider=provider, encrypted=False)
    return Config(executors=[executor], run_dir="parsl", strategy="none", usage_tracking=0)


def test_apps_run_in_blocks():
    with parsl.load(config()) as kernel:
        answers = [future.result(timeout=120) for future in [square(number) for number in range(100)]]
        assert [value for value, _ in answers] == [number * number for number in range(100)]
        jobs = {job for _, job in answers}
        assert len(jobs) == 1, jobs
        job = jobs.pop()
        shown = out("scontrol", "show", "job", job)
        for text in ("JobState=RUNNING", "TimeLimit=00:05:00", "MinMemoryNode=1G", "OverSubscribe=OK"):
            assert text in shown, (text, shown)
        executor = kernel.executors["htex"]
        wait("the block to be seen as running", lambda: [str(status.state) for status in executor.status().values()] == ["JobState.RUNNING"])
        executor.scale_in(1)
        wait("the block's end", lambda: state_of(job) == "CANCELLED")
    return "100 apps on a block of workers, status by sacct, scaled in"


if __name__ == "__main__":
    ran("parsl", test_apps_run_in_blocks())
