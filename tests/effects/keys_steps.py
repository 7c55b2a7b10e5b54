"""Keys of slurm.conf about steps, and about scripts that fail."""

from effect import same, see
from keys_case import key


@key("slurm.conf", "KillOnBadExit", "1", seen="one task's failure ends the others, unless its srun says no")
def kill_on_bad_exit(run):
    run.configure()
    failing = ("-n2", "sh", "-c", "[ $SLURM_PROCID = 1 ] || exit 3; sleep 1.5; echo late")
    same(run.run("srun", "-K0", *failing, ok=None).stdout, "late\n")
    done = run.run("srun", *failing, ok=None)
    see("late" not in done.stdout)


@key("slurm.conf", "WaitTime", "1", seen="a second after the first task's end the others are ended, unless its srun says no")
def wait_time(run):
    run.configure()
    leaving = ("-n2", "sh", "-c", "[ $SLURM_PROCID = 1 ] || exit 0; sleep 3; echo late")
    same(run.run("srun", "-W0", *leaving, ok=None).stdout, "late\n")
    done = run.run("srun", *leaving, ok=None)
    see("late" not in done.stdout)
    see("First task exited 1s ago" in done.stderr)


@key("slurm.conf", "MaxStepCount", "2", seen="the third step of a job is refused")
def max_step_count(run):
    run.configure()
    text = run.output("for i in 1 2 3; do srun true 2>&1 && echo ran; done; true")
    see(text.startswith("ran\nran\nsrun: error: Unable to create step for job ") and text.endswith("Step limit reached for this job"), text)


@key("slurm.conf", "MaxTasksPerNode", "3", seen="a step with more tasks on a node is refused")
def max_tasks_per_node(run):
    run.configure()
    same(run.run("srun", "-N2", "-n6", "--ntasks-per-node=3", "true").returncode, 0)
    done = run.run("srun", "-N1", "-n4", "true", ok=False)
    see("Task count specification invalid" in done.stderr, done.stderr)


AGAIN = "[ \"$SLURM_RESTART_COUNT\" ] || exit 7"


@key("slurm.conf", "RequeueExit", "3,5-8", seen="a script that ends with such a code waits to run again")
def requeue_exit(run):
    run.configure()
    job = run.sbatch("--no-requeue", script=AGAIN)
    run.wait("the job to wait again", lambda: run.squeue(job, "%t %r") == "PD BeginTime", 4)
    other = run.sbatch(script="exit 4")
    run.ends(other)
    same(run.squeue(other, "%t"), "F")
    run.run("scontrol", "update", f"JobId={job}", "StartTime=now")
    run.ends(job)
    same(run.squeue(job, "%t"), "CD")


@key("slurm.conf", "RequeueExitHold", "7", seen="a script that ends with such a code waits, held, in SPECIAL_EXIT")
def requeue_exit_hold(run):
    run.configure()
    job = run.sbatch(script=AGAIN)
    run.wait("the job to be held", lambda: run.squeue(job, "%t %r") == "SE JobHeldUser", 4)
    see("JobState=SPECIAL_EXIT" in run.shown(job))
    same(run.out("squeue", "-h", "-t", "SE", "-o", "%A").split(), [job])
    run.run("scontrol", "release", job)
    run.ends(job)
    same(run.squeue(job, "%t"), "CD")
