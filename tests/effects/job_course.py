"""Options of jobs: when they start, in which order, how they end, and who is told."""

import re
import shlex
import uuid

from effect import same, see
from job_options import job_option


# ---- When.

@job_option("begin", "now+2", seen="it starts two seconds later")
def begin(run):
    text = run.output("scontrol show job $SLURM_JOB_ID | grep -oE '(SubmitTime|StartTime)=[^ ]*' | cut -d= -f2 | xargs -n1 date +%s -d")
    submitted, started = sorted(int(word) for word in text.split())[-2:]
    see(started - submitted >= 1, text)


@job_option("time", "3", seen="it would be ended three minutes after its start")
def time(run):
    text = run.output("echo $((SLURM_JOB_END_TIME - SLURM_JOB_START_TIME)); squeue -h -j $SLURM_JOB_ID -o %L")
    see(any(word in text for word in ("3:00", "2:59", "2:58", "180")), text)


@job_option("dependency", None, seen="it starts after the other's end", forms=("option", "directive", "variable"), variable_value="?")
def dependency(run):
    first = run.out("sbatch", "--parsable", "--wrap", "sleep 1; touch first.done").strip()
    run.value = f"afterok:{first}"
    see(run.output("ls first.done; rm -f first.done") == "first.done")
    if run.command == "sbatch":
        same(run.output("echo $SLURM_JOB_DEPENDENCY"), run.value)


@job_option("hold", seen="the job waits until it is released")
def hold(run):
    with run.waiting() as (job, _):
        same(run.out("squeue", "-h", "-j", job, "-o", "%t %r").strip(), "PD JobHeldUser")
        run.run("scontrol", "release", job)
        run.wait("the released job to end", lambda: run.cluster.state_of(job) == "COMPLETED")


@job_option("array", "1-2", seen="each task has its number", commands=("sbatch",))
def array(run):
    run.submit("echo $SLURM_ARRAY_TASK_ID", "-o", "array-%a")
    see((run.file("array-1"), run.file("array-2")) == ("1\n", "2\n"))
    for task in (1, 2):
        (run.cluster.work / f"array-{task}").unlink()


@job_option("deadline", "now+5minutes", seen="a job that cannot be over by then does not run")
def deadline(run):
    if run.command != "sbatch":
        run.start("true", "-t", "10", ok=False)
        return
    done = run.submit("true", "-t", "10", wait=False, ok=None)
    if done.returncode == 0:
        run.wait("the job to be given up", lambda: run.cluster.state_of(done.stdout.strip()) == "DEADLINE", 5)


@job_option("berth-max-wait", "0:02", seen="a job that has not started by then is given up")
def max_wait(run):
    run.busy("n2")
    with run.waiting("-w", "n2") as (job, _):
        run.wait("the job to be given up", lambda: run.cluster.state_of(job) == "DEADLINE", 5)


@job_option("berth-checkpoint", "model-%j.pt", seen="the script has its path, and may say that it is saved", commands=("sbatch",))
def checkpoint(run):
    text = run.output("echo $BERTH_CHECKPOINT; berth checkpoint done; scontrol show job $SLURM_JOB_ID | grep -oE 'LastCheckpoint=2[^ ]*'; true")
    see(re.search(r"/model-\d+\.pt\nLastCheckpoint=20", text), text)


@job_option("berth-restart-cost", "10:00:00", seen="berth why counts it as lost with the run", commands=("sbatch",))
def restart_cost(run):
    first = run.submit("sleep 60", "-p", "other", "--gres=gpu:4", wait=False).stdout.strip()
    run.cluster.wait_state(first, "RUNNING")
    with_more = run.out("sbatch", "--parsable", "-p", "other", "--gres=gpu:4", "--priority=4000000000", "--wrap", "true").strip()
    says = lambda: "which would lose 40.0 GPU-hours" in run.out("berth", "why", with_more)
    run.wait("the loss", says, 5)


@job_option("time-min", "1", seen="it starts before a reservation, with less time")
def time_min(run):
    with run.reserved("n2", "now+5minutes"):
        see(run.starts("-w", "n2", "-t", "60"))


@job_option("signal", "USR1@59", seen="its step has the signal 59 seconds before the end")
def signal(run):
    step = "/bin/bash -c \"trap 'echo warned; exit 0' USR1; for i in 1 2 3 4 5 6 7 8; do sleep 0.5; done\""
    see("warned" in run.output(step if run.command == "srun" else f"srun {step}", "-t", "1"))


@job_option("no-requeue", seen="the job cannot be requeued", commands=("sbatch",))
def no_requeue(run):
    job = run.submit("sleep 60", wait=False).stdout.strip()
    run.cluster.wait_state(job, "RUNNING")
    run.run("scontrol", "requeue", job, ok=False)


@job_option("requeue", variable_value="expedite", seen="the job can be requeued, though its script says otherwise", commands=("sbatch",))
def requeue(run):
    job = run.submit("sleep 60", wait=False, head="#SBATCH --no-requeue\n").stdout.strip()
    run.cluster.wait_state(job, "RUNNING")
    run.run("scontrol", "requeue", job)


@job_option("kill-on-invalid-dep", "yes", seen="it is cancelled when the job that it depends on has failed", commands=("sbatch",))
def kill_on_invalid_dep(run):
    failed = run.out("sbatch", "--parsable", "--wrap", "sleep 0.5; exit 1").strip()
    job = run.submit("true", "-d", f"afterok:{failed}", wait=False).stdout.strip()
    run.cluster.wait_state(job, "CANCELLED")
    see("DependencyNeverSatisfied" in run.out("sacct", "-n", "-X", "-j", job, "-o", "Reason%30"))


@job_option("berth-presume-dead", seen="the job of a node that stops responding is ended without proof", world="silent")
def presume_dead(run):
    with run.waiting("-w", "n2", script="sleep 300") as (job, _):
        run.wait("the job to run", lambda: run.cluster.state_of(job) == "RUNNING")
        run.cluster.kill("agent-n2")
        try:
            run.wait("the job to be ended", lambda: run.cluster.state_of(job) != "RUNNING", 10)
        finally:
            run.cluster.up()


@job_option("no-kill", seen="the job goes on when a node other than its first is lost", world="silent", variable_value="set")
def no_kill(run):
    with run.waiting("-N2", "-w", "n[1-2]", "--berth-presume-dead", script="sleep 300") as (job, _):
        run.wait("the job to run", lambda: run.cluster.state_of(job) == "RUNNING")
        run.cluster.kill("agent-n2")
        try:
            run.wait("the node to be presumed dead", lambda: run.out("squeue", "-h", "-j", job, "-w", "n2", "-o", "%i").strip() != job, 10)
            same(run.out("squeue", "-h", "-j", job, "-o", "%t %N").strip(), "R n1")
        finally:
            run.cluster.up()


# ---- The order of jobs that wait for n4. The tested one is submitted before another in the first case, behind it in the second.

@job_option("nice", "100", seen="a job submitted later goes first")
def nice(run):
    run.busy("n4")
    with run.waiting("-p", "other") as (job, _):
        other = run.out("sbatch", "--parsable", "-p", "other", "--wrap", "true").strip()
        order(run, other, job)


def in_front(run, *others):
    run.busy("n4")
    other = run.out("sbatch", "--parsable", "-p", "other", "--wrap", "true").strip()
    with run.waiting("-p", "other", *others) as (job, _):
        order(run, job, other)


@job_option("priority", "4000000000", seen="it goes before a job submitted earlier")
def priority(run):
    in_front(run)


@job_option("berth-priority-class", "urgent", seen="it goes before a job submitted earlier")
def priority_class(run):
    in_front(run)


@job_option("qos", "high", seen="it goes before a job submitted earlier")
def qos(run):
    in_front(run)


def order(run, *wanted):
    shown = lambda: tuple(run.out("squeue", "-h", "-t", "PD", "-S", "-p", "-o", "%i").split()) == wanted
    run.wait("that order", shown, 2)


# ---- Who waits, and who is told.

@job_option("immediate", "1", seen="it gives up after a second", commands=("srun", "salloc"))
def immediate(run):
    run.busy("n4")
    done = run.run("timeout", "4", run.command, "-p", "other", *run.words(), "true", ok=None, env=run.environment())
    same(done.returncode, 1)


@job_option("quiet", seen="no word of the wait", commands=("srun", "salloc"))
def quiet(run):
    run.busy("n4")
    with run.waiting("-p", "other") as (_, process):
        run.run("sleep", "0.6")
        run.run("scancel", "-w", "n4")
        same(process.communicate(timeout=30)[1], "")


@job_option("verbose", seen="more than is said without", world="jobs", forms=("option", "variable"))
def verbose(run):
    said = run.start("true").stderr.splitlines()
    see([line for line in said if "job allocation" not in line and "ready for job" not in line], said)


@job_option("kill-command", "KILL", seen="the command ends with the allocation", commands=("salloc",))
def kill_command(run):
    done = run.run("timeout", "8", "salloc", *run.words(), "bash", "-c", "scancel $SLURM_JOB_ID; sleep 20", ok=None, env=run.environment())
    same(done.returncode, 128 + 9)


def on_a_terminal(run, *words):
    """What salloc prints on a terminal."""
    line = " ".join(shlex.quote(word) for word in ("salloc", *words, *run.words(), "true"))
    return run.run("script", "-qec", line, "/dev/null", env=run.environment()).stdout


@job_option("bell", seen="the terminal's bell rings as the job starts", commands=("salloc",))
def bell(run):
    see("\a" in on_a_terminal(run))


@job_option("no-bell", seen="it does not ring after a long wait", commands=("salloc",))
def no_bell(run):
    run.busy("n4")
    with run.process("sh", "-c", "sleep 11; scancel -w n4"):
        see("\a" not in on_a_terminal(run, "-p", "other"))


@job_option("no-shell", seen="the allocation stays", commands=("salloc",))
def no_shell(run):
    run.run("salloc", *run.words(), env={"SHELL": "/bin/true"})
    see(run.out("squeue", "-h", "-t", "R").strip())


def mails(run, name):
    path = run.cluster.mails / f"mail.{name}"
    path.unlink(missing_ok=True)
    return lambda: path.exists() and path.read_text()


@job_option("mail-type", "END", seen="the user is told of the end")
def mail_type(run):
    mail = mails(run, "ann@example.org")
    run.start("true", "--mail-user=ann@example.org")
    run.wait("the mail", lambda: "Ended" in (mail() or ""), 4)


@job_option("mail-user", "bob@example.org", seen="this one is told")
def mail_user(run):
    mail = mails(run, "bob@example.org")
    run.start("true", "--mail-type=END")
    run.wait("the mail", mail, 4)


# ---- Whose it is.

@job_option("account", "bio", seen="a partition for this account takes the job")
def account(run):
    run.start("true", "-p", "biolab")


@job_option("comment", "blue", seen="the site's job_submit.lua takes the job for it")
def comment(run):
    run.start("true", "-J", "commented")


@job_option("extra", "rack7", seen="sacct has it")
def extra(run):
    same(run.output("sacct -n -P -X -j $SLURM_JOB_ID -o Extra").strip(), "rack7")


@job_option("wckey", "blue", seen="sacct finds the job by the key, and by no other")
def wckey(run):
    found = run.output("for key in blue other; do sacct -n -X -W $key -j $SLURM_JOB_ID -o JobID; done; echo $SLURM_JOB_ID").split()
    same(found, [found[-1]] * 2)


@job_option("test-only", seen="it says when the job would start, and there is no job")
def test_only(run):
    name = f"tested-{uuid.uuid4().hex[:8]}"
    done = run.start("true", "-J", name) if run.command != "sbatch" else run.submit("true", "-J", name, wait=False)
    see(re.search(r"Job \d+ to start at \S+ using 1 processors on nodes n\d in partition", done.stderr), done.stderr)
    same(run.out("sacct", "-n", "-X", "--name", name), "")
