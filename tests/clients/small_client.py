"""Small Python clients: simple_slurm, QToolKit, pysqa, executorlib."""

import os
import subprocess
import sys
from pathlib import Path

from scenario import out, ran, state_of, wait


def simple_slurm():
    from simple_slurm import Slurm
    job = Slurm(array="0-2", cpus_per_task=2, job_name="simple", output=f"simple_{Slurm.JOB_ARRAY_MASTER_ID}_{Slurm.JOB_ARRAY_ID}.out", time="00:05:00")
    number = job.sbatch("echo $SLURM_ARRAY_TASK_ID $SLURM_CPUS_PER_TASK")
    wait("the array's end", lambda: state_of(number).startswith("COMPLETED") and not out("squeue", "-h", "--me"))
    assert [Path(f"simple_{number}_{task}.out").read_text() for task in range(3)] == [f"{task} 2\n" for task in range(3)]
    waiting = Slurm(dependency={"afterok": number}, hold=True, job_name="held").sbatch("true")
    job.squeue.update_squeue()
    shown = {str(row): info for row, info in job.squeue.jobs.items()}
    assert str(waiting) in shown, shown
    job.scancel.cancel_job(waiting)
    wait("it to be cancelled", lambda: state_of(waiting) == "CANCELLED")
    ran("simple-slurm", "an array by its here-document, squeue's table, scancel")


def qtoolkit():
    from qtoolkit.core.data_objects import CancelStatus, QState, SubmissionStatus
    from qtoolkit.io.slurm import SlurmIO

    def call(command):
        done = subprocess.run(command, shell=True, text=True, capture_output=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    slurm = SlurmIO()
    script = slurm.get_submission_script("sleep 600", {"job_name": "tool", "partition": "main", "ntasks": 2, "time": "0-0:5:0", "qout_path": "tool.out"})
    Path("tool.sh").write_text(script)
    submitted = slurm.parse_submit_output(*call(slurm.get_submit_cmd("tool.sh")))
    assert submitted.status == SubmissionStatus.SUCCESSFUL, submitted
    number = submitted.job_id
    wait("it to run", lambda: state_of(number) == "RUNNING")
    job = slurm.parse_job_output(*call(slurm.get_job_cmd(number)))
    assert (job.job_id, job.state, job.info.threads_per_process, job.queue_name) == (number, QState.RUNNING, 1, "main"), job
    listed = slurm.parse_jobs_list_output(*call(slurm.get_jobs_list_cmd([number], "")))
    assert [(one.job_id, one.state, one.name) for one in listed] == [(number, QState.RUNNING, "tool")], listed
    cancelled = slurm.parse_cancel_output(*call(slurm.get_cancel_cmd(number)))
    assert cancelled.status == CancelStatus.SUCCESSFUL and cancelled.job_id == number, cancelled
    wait("its end", lambda: state_of(number) == "CANCELLED")
    ran("qtoolkit", "submit, show, list, cancel (-v), each by its own parser")


def pysqa():
    from pysqa import QueueAdapter
    adapter = QueueAdapter(queue_type="SLURM")
    number = adapter.submit_job(command="sleep 600", job_name="sqa", cores=2, run_time_max=300, working_directory=os.getcwd())
    wait("it to run", lambda: adapter.get_status_of_job(number) == "running")
    table = adapter.get_queue_status(user=os.environ["USER"])
    row = table[table.jobid == number].iloc[0]
    assert (row["jobname"].strip(), row["status"], row["user"]) == ("sqa", "running", os.environ["USER"]), table
    adapter.delete_job(number)
    wait("its end", lambda: state_of(number) == "CANCELLED")
    ran("pysqa", "submit, queue table, status, delete")


EXECUTORLIB = """
from executorlib import SlurmJobExecutor

def rank(number):
    import os
    return number, os.environ["SLURM_JOB_ID"], os.environ["SLURM_STEP_ID"]

if __name__ == "__main__":
    with SlurmJobExecutor(max_workers=2, hostname_localhost=True) as exe:
        for future in [exe.submit(rank, number, resource_dict={"cores": 1}) for number in range(4)]:
            print(*future.result(timeout=100))
"""


def executorlib():
    Path("exec.py").write_text(EXECUTORLIB)
    done = subprocess.run(["salloc", "-n4", sys.executable, "exec.py"], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=200)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0 and [row[0] for row in rows] == ["0", "1", "2", "3"], done.stdout + done.stderr
    assert len({row[1] for row in rows}) == 1 and len({row[2] for row in rows}) == 4, rows
    ran("executorlib", "4 functions, each in a step of its own, within salloc")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
