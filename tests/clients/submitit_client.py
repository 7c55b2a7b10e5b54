"""submitit: functions as jobs, on several nodes, in arrays, requeued from within, failed and cancelled."""

import os
import time
from pathlib import Path

import submitit
from submitit.helpers import Checkpointable, DelayedSubmission
from scenario import out, ran, state_of, wait

LOGS = Path.cwd() / "logs"


def executor(**parameters):
    made = submitit.AutoExecutor(folder=LOGS / "%j", cluster="slurm")
    made.update_parameters(timeout_min=2, **parameters)
    return made


def where():
    env = submitit.JobEnvironment()
    gpus = len(os.environ["CUDA_VISIBLE_DEVICES"].split(","))
    return env.global_rank, env.local_rank, env.num_tasks, env.num_nodes, env.node, env.hostnames, gpus


def test_tasks_on_two_nodes():
    job = executor(nodes=2, tasks_per_node=2, gpus_per_node=1, cpus_per_task=2, mem_gb=1).submit(where)
    results = job.results()
    hosts = out("scontrol", "show", "hostnames", out("sacct", "-nXP", "-j", job.job_id, "-o", "NodeList").strip()).split()
    assert results == [(rank, rank % 2, 4, 2, rank // 2, hosts, 1) for rank in range(4)], results
    wait("its end", lambda: state_of(job.job_id) == "COMPLETED")  # The result comes a moment before.
    assert "from 4 tasks" not in job.stdout()
    return "4 tasks on 2 nodes"


def span(number):
    started = time.time()
    time.sleep(0.5)
    return number, started, time.time()


def test_an_array_keeps_to_its_parallelism():
    jobs = executor(slurm_array_parallelism=4, cpus_per_task=1).map_array(span, range(20))
    spans = [job.result() for job in jobs]
    assert [number for number, _, _ in spans] == list(range(20))
    most = max(sum(1 for _, start, end in spans if start <= at < end) for _, at, _ in spans)
    assert most <= 4, f"{most} at once"
    array = jobs[0].job_id.split("_")[0]
    assert {job.job_id for job in jobs} == {f"{array}_{task}" for task in range(20)}
    assert sorted(out("sacct", "-nXP", "-j", array, "-o", "JobID").split()) == sorted(job.job_id for job in jobs)
    return "an array of 20, 4 at a time"


class Counter(Checkpointable):
    def __init__(self):
        self.seen = 0

    def __call__(self, target):
        restarts = int(os.environ.get("SLURM_RESTART_COUNT", "0"))
        while self.seen < target or restarts == 0:
            self.seen += 1
            time.sleep(0.2)
        return restarts, os.environ["SLURM_JOB_ID"]

    def checkpoint(self, target):
        return DelayedSubmission(self, target)


def test_an_interrupted_job_is_requeued_from_within():
    job = executor(cpus_per_task=1).submit(Counter(), 5)
    wait("the job to run", lambda: job.get_info(mode="force").get("State") == "RUNNING")
    wait("its function to start", lambda: "Starting with" in (job.stdout() or "") or "Job has started" in (job.stdout() or "") or
         "Loading pickle" in (job.stderr() or ""))
    time.sleep(1)
    job._interrupt(timeout=False)
    restarts, own_id = job.result()
    assert (restarts, own_id) == (1, job.job_id), (restarts, own_id)
    return "interrupted by scancel --signal, requeued by itself, same id"


def test_signal_comes_before_the_time_limit():
    made = executor(cpus_per_task=1, slurm_signal_delay_s=50)
    made.update_parameters(timeout_min=1)
    job = made.submit(Counter(), 5)
    restarts, own_id = job.result()  # USR2 after 10 s, and the rest in the second run.
    assert (restarts, own_id) == (1, job.job_id), (restarts, own_id)
    return "--signal=USR2@50 before its time limit"


def fail():
    raise ValueError("on purpose")


def test_failures_and_cancellations_are_told():
    failing = executor(cpus_per_task=1).submit(fail)
    assert "on purpose" in str(failing.exception()), failing.exception()
    assert state_of(failing.job_id) in ("FAILED", "COMPLETED")
    sleeping = executor(cpus_per_task=1).submit(time.sleep, 600)
    wait("the job to run", lambda: sleeping.get_info(mode="force").get("State") == "RUNNING")
    sleeping.cancel(check=True)
    wait("its end", lambda: sleeping.get_info(mode="force").get("State", "").startswith("CANCELLED"))
    assert sleeping.done(force_check=True)
    return "an exception told, a job cancelled"


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            ran("submitit", test())
