"""dask-jobqueue: workers as jobs, scaled up, worked with, scaled down, adapted."""

import asyncio  # noqa: F401  distributed wants a loop policy before it starts threads.
from pathlib import Path

from dask.distributed import Client
from dask_jobqueue import SLURMCluster
from scenario import out, ran, state_of, wait

LOGS = Path.cwd() / "dask-logs"


def cluster():
    return SLURMCluster(cores=2, memory="2GiB", processes=1, walltime="00:05:00", interface="lo", log_directory=str(LOGS),
                        job_extra_directives=["--comment=dask"], python=out("which", "python3").strip())


def jobs(*states):
    return out("squeue", "--me", "-h", "-t", ",".join(states) if states else "all", "-o", "%A").split()


def test_workers_compute():
    with cluster() as workers, Client(workers) as client:
        workers.scale(2)
        client.wait_for_workers(2, timeout=120)
        assert client.submit(lambda x: x + 1, 10).result(timeout=60) == 11
        assert sorted(client.gather(client.map(lambda x: x * x, range(50)))) == [x * x for x in range(50)]
        ids = jobs("RUNNING")
        assert len(ids) == 2, ids
        for job in ids:
            logs = {p.name for p in LOGS.iterdir()}
            assert f"dask-worker-{job}.out" in logs and f"dask-worker-{job}.err" in logs, logs  # %J of a batch script.
            asked = out("scontrol", "show", "job", job)
            for text in ("TimeLimit=00:05:00", "CPUs/Task=2", "MinMemoryNode=2G", "Comment=dask"):
                assert text in asked, (text, asked)
        workers.scale(0)
        wait("the workers to go", lambda: not jobs("RUNNING", "PENDING"))
    wait("the jobs' end", lambda: all(state_of(job).startswith(("CANCELLED", "COMPLETED")) for job in ids))
    return "scaled to 2 workers and back"


def test_workers_come_and_go_as_needed():
    with cluster() as workers, Client(workers) as client:
        workers.adapt(minimum=0, maximum=2, interval="500ms", wait_count=2)
        assert client.submit(lambda x: x + 1, 10).result(timeout=120) == 11
        wait("the workers to go", lambda: not jobs("RUNNING", "PENDING"), 120)
    return "adapted from 0 to 2 and back to 0"


if __name__ == "__main__":
    for test in (test_workers_compute, test_workers_come_and_go_as_needed):
        ran("dask-jobqueue", test())
