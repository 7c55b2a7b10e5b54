"""PSI/J: jobs with status callbacks, and one that is cancelled while it waits."""

from datetime import timedelta
from pathlib import Path

from psij import Job, JobAttributes, JobExecutor, JobSpec, JobState, ResourceSpecV1
from scenario import out, ran, state_of, wait

EXECUTOR = JobExecutor.get_instance("slurm")


def job(*command, **more):
    attributes = JobAttributes(duration=timedelta(minutes=5), queue_name="main")
    return Job(JobSpec(executable=command[0], arguments=list(command[1:]), attributes=attributes, **more))


def test_ten_jobs():
    seen, jobs = {}, []
    for number in range(10):
        path = Path.cwd() / f"psij-{number}.out"
        one = job("/bin/sh", "-c", f"echo {number} $SLURM_JOB_ID; exit {number % 2}", stdout_path=path)
        one.set_job_status_callback(lambda which, status: seen.setdefault(which.id, []).append(status.state))
        EXECUTOR.submit(one)
        jobs.append((one, path))
    for number, (one, path) in enumerate(jobs):
        status = one.wait(timeout=timedelta(seconds=120))
        assert status is not None and status.state == (JobState.FAILED if number % 2 else JobState.COMPLETED), (number, status)
        assert path.read_text().split() == [str(number), one.native_id], path.read_text()
    assert all(states[-1].final for states in seen.values()) and len(seen) == 10, seen
    return "10 jobs with callbacks, half of them failing"


def test_several_tasks():
    path = Path.cwd() / "psij-tasks.out"
    one = job("/bin/sh", "-c", "echo $SLURM_PROCID", stdout_path=path, launcher="srun",
              resources=ResourceSpecV1(node_count=2, processes_per_node=2, cpu_cores_per_process=1))
    EXECUTOR.submit(one)
    status = one.wait(timeout=timedelta(seconds=120))
    assert status is not None and status.state == JobState.COMPLETED, status
    assert sorted(path.read_text().split()) == ["0", "1", "2", "3"], path.read_text()
    return "4 tasks on 2 nodes by its srun launcher"


def test_a_waiting_job_is_cancelled():
    holder = out("sbatch", "--parsable", "--exclusive", "-N2", "-o", "/dev/null", "--wrap", "sleep 600").strip()
    wait("the nodes to be held", lambda: state_of(holder) == "RUNNING")
    one = job("/bin/sleep", "600")
    EXECUTOR.submit(one)
    wait("it to be queued", lambda: one.status.state == JobState.QUEUED)
    one.cancel()
    status = one.wait(timeout=timedelta(seconds=120))
    assert status is not None and status.state == JobState.CANCELED, status
    assert state_of(one.native_id) == "CANCELLED"
    out("scancel", holder)
    return "a waiting job is cancelled"


if __name__ == "__main__":
    for test in (test_ten_jobs, test_several_tasks, test_a_waiting_job_is_cancelled):
        ran("psij-python", test())
