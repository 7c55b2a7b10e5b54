"""scancel, sacctmgr, sbcast, sattach: what each option does to jobs and files."""

import os
import shutil
import stat
import subprocess
import time
from contextlib import contextmanager

from commands import command_option
from effect import same, see

WHERE = "jobs"


# ---- scancel: of two jobs that run, one is ended.

def pair(run, first, second=(), script="sleep 300"):
    """Two jobs that run: with the options of the first, and of the second."""
    jobs = [run.out("sbatch", "--parsable", *options, "--wrap", script).strip() for options in (first, second)]
    for job in jobs:
        run.wait("the job to run", lambda: run.cluster.state_of(job) == "RUNNING")
    return jobs


def ends_the_first(run, first, second=(), *others):
    """With the option the second job goes on; both would be ended without it."""
    mine, theirs = pair(run, first, second)
    run.done(*others, mine, theirs)
    run.wait("the first to end", lambda: run.cluster.state_of(mine) == "CANCELLED")
    same(run.cluster.state_of(theirs), "RUNNING")


@command_option("scancel --account", "bio", seen="the account's jobs end", world=WHERE)
def scancel_account(run):
    ends_the_first(run, ("-A", "bio"))


@command_option("scancel --admin-comment", "too long", seen="sacct has the comment", world=WHERE)
def scancel_admin_comment(run):
    job = run.out("sbatch", "--parsable", "--wrap", "sleep 300").strip()
    run.done(job)
    run.wait("the job to end", lambda: run.cluster.state_of(job) == "CANCELLED")
    same(run.out("sacct", "-n", "-X", "-P", "-j", job, "-o", "AdminComment").strip(), "too long")


@command_option("scancel --name", "one", seen="the jobs of that name end", world=WHERE)
@command_option("scancel --jobname", "one", seen="the jobs of that name end", world=WHERE)
def scancel_name(run):
    ends_the_first(run, ("-J", "one"))


@command_option("scancel --nodelist", "n2", seen="the jobs on that node end", world=WHERE)
def scancel_nodelist(run):
    ends_the_first(run, ("-w", "n2"), ("-w", "n1"))


@command_option("scancel --partition", "other", seen="the partition's jobs end", world=WHERE)
def scancel_partition(run):
    ends_the_first(run, ("-p", "other"))


@command_option("scancel --qos", "high", seen="the QOS's jobs end", world=WHERE)
def scancel_qos(run):
    ends_the_first(run, ("-q", "high"))


@command_option("scancel --wckey", "blue", seen="the jobs of that wckey end", world=WHERE)
def scancel_wckey(run):
    ends_the_first(run, ("--wckey=blue",))


@command_option("scancel --reservation", "held", seen="the reservation's jobs end", world=WHERE)
def scancel_reservation(run):
    run.run("scontrol", "create", "reservation", "ReservationName=held", "StartTime=now", "Duration=60", "Nodes=n2", "Users=root")
    try:
        ends_the_first(run, ("--reservation=held", "-t", "5"))
    finally:
        run.run("scancel", "-u", "root")
        run.cluster.wait_all_done()
        run.run("scontrol", "delete", "ReservationName=held")


@command_option("scancel --state", "PENDING", seen="running jobs go on", world=WHERE)
def scancel_state(run):
    waits = run.out("sbatch", "--parsable", "-H", "--wrap", "true").strip()
    runs, _ = pair(run, (), ())
    run.done(waits, runs)
    run.wait("the pending one to end", lambda: run.cluster.state_of(waits) != "PENDING")
    same(run.cluster.state_of(runs), "RUNNING")


@command_option("scancel --user", "nobody", seen="the jobs of others go on", world=WHERE)
def scancel_user(run):
    job, _ = pair(run, (), ())
    run.done(job)
    same(run.cluster.state_of(job), "RUNNING")


@command_option("scancel --me", seen="the jobs of others go on", world=WHERE)
def scancel_me(run):
    theirs = run.as_nobody("sbatch", "--parsable", "--wrap", "sleep 300").stdout.strip()
    try:
        run.done(theirs)
        same(run.cluster.state_of(theirs) in ("RUNNING", "PENDING"), True)
    finally:
        run.run("scancel", theirs, ok=None)


@command_option("scancel --clusters", "nosuch", seen="another cluster is not there", world=WHERE)
def scancel_clusters(run):
    job, _ = pair(run, (), ())
    run.done(job, ok=False)
    same(run.cluster.state_of(job), "RUNNING")


@command_option("scancel --interactive", seen="each is asked about", world=WHERE)
def scancel_interactive(run):
    job, _ = pair(run, (), ())
    run.done(job, stdin="n\n")
    same(run.cluster.state_of(job), "RUNNING")


@command_option("scancel --quiet", seen="no word of a job that is not there", world=WHERE)
def scancel_quiet(run):
    see("Kill job error" not in run.done("-v", "123456").stderr)


@command_option("scancel --sibling", "nosuch", seen="the job goes on, since it is no federation's", world=WHERE)
def scancel_sibling(run):
    job, _ = pair(run, (), ())
    see(f"Kill job error on job id {job}: Not a valid federated job" in (done := run.done(job, ok=False)).stderr, done.stderr)
    same(run.cluster.state_of(job), "RUNNING")


@command_option("scancel --verbose", seen="which jobs are ended", world=WHERE)
def scancel_verbose(run):
    job, _ = pair(run, (), ())
    see("Terminating job" in run.done(job).stderr)


def traps(run, *others):
    """Who of a batch script and its step had the signal. It kills their `sleep` too, whose end must not end them."""
    for name in ("batch.signal", "step.signal"):
        (run.cluster.work / name).unlink(missing_ok=True)
    script = ("#!/bin/bash\ntrap 'touch batch.signal' USR1\n"
              "srun bash -c \"trap 'touch step.signal' USR1; touch ready; while :; do sleep 0.05; done\" &\nwhile :; do sleep 0.05; done\n")
    (run.cluster.work / "ready").unlink(missing_ok=True)
    job = run.run("sbatch", "--parsable", stdin=script).stdout.strip()
    run.wait("the step", lambda: (run.cluster.work / "ready").exists())
    run.done(*others, job)
    had = lambda: {name for name in ("batch", "step") if (run.cluster.work / f"{name}.signal").exists()}
    run.wait("a signal", had, 5)
    time.sleep(0.3)
    return had()


@command_option("scancel --signal", "USR1", seen="the step has the signal, and the job goes on", world=WHERE)
def scancel_signal(run):
    same(traps(run), {"step"})


@command_option("scancel --batch", seen="the batch script alone has the signal", world=WHERE)
def scancel_batch(run):
    same(traps(run, "-s", "USR1"), {"batch"})


@command_option("scancel --full", seen="script and steps have the signal", world=WHERE)
def scancel_full(run):
    same(traps(run, "-s", "USR1"), {"batch", "step"})


# ---- sacctmgr.

def without_chemistry(run):
    run.run("sacctmgr", "-i", "delete", "account", "chemistry", ok=None)


@command_option("sacctmgr --immediate", seen="it is done without a question", world=WHERE)
def sacctmgr_immediate(run):
    without_chemistry(run)
    run.done("add", "account", "chemistry", stdin="")
    see("chemistry" in run.out("sacctmgr", "-n", "show", "account"))
    without_chemistry(run)


@command_option("sacctmgr --readonly", seen="nothing is changed", world=WHERE)
def sacctmgr_readonly(run):
    without_chemistry(run)
    run.done("-i", "add", "account", "chemistry", ok=False)
    see("chemistry" not in run.out("sacctmgr", "-n", "show", "account"))


@command_option("sacctmgr --quiet", seen="nothing is printed", world=WHERE)
def sacctmgr_quiet(run):
    without_chemistry(run)
    same(run.ask("-i", "add", "account", "chemistry"), "")


# ---- sbcast, into a folder of the test's own.

@contextmanager
def broadcast(run, *options):
    """A job on n1 and n2, and a file to copy."""
    job = run.out("sbatch", "--parsable", "-N2", *options, "--wrap", "sleep 300").strip()
    run.wait("the job to run", lambda: run.cluster.state_of(job) == "RUNNING")
    source, copy = run.cluster.work / "source", run.cluster.work / "copy"
    source.write_text("new\n")
    source.chmod(0o750)
    os.utime(source, (1_000_000_000, 1_000_000_000))
    copy.unlink(missing_ok=True)
    try:
        yield job, copy
    finally:
        copy.unlink(missing_ok=True)


@command_option("sbcast --force", seen="a file that is there is replaced", world=WHERE)
def sbcast_force(run):
    with broadcast(run, "-N1") as (job, copy):
        copy.write_text("old\n")
        run.done("-j", job, "source", "copy", ok=None)
        same(copy.read_text(), "new\n")


@command_option("sbcast --preserve", seen="the copy is as old as the source", world=WHERE)
def sbcast_preserve(run):
    with broadcast(run, "-N1") as (job, copy):
        run.done("-j", job, "source", "copy")
        same(copy.stat()[stat.ST_MTIME], 1_000_000_000)


@command_option("sbcast --jobid", lambda c: "?", seen="outside of a job it knows where to copy to", world=WHERE)
def sbcast_jobid(run):
    with broadcast(run, "-N1") as (job, copy):
        run.value = job
        run.done("source", "copy")
        same(copy.read_text(), "new\n")


@command_option("sbcast --compress", seen="a warning that it is sent as it is", world=WHERE)
@command_option("sbcast --fanout", "8", seen="a warning that it is sent to all nodes at once", world=WHERE)
@command_option("sbcast --size", "1024", seen="a warning that it is sent as it is", world=WHERE)
def sbcast_how(run):
    with broadcast(run, "-N1") as (job, copy):
        see(f"--{run.option} has no effect" in run.done("-j", job, "source", "copy").stderr)
        same(copy.read_text(), "new\n")


@command_option("sbcast --send-libs", "yes", seen="the libraries lie beside the copy", world=WHERE)
def sbcast_send_libs(run):
    with broadcast(run, "-N1") as (job, copy):
        run.done("-j", job, "--exclude=NONE", "/bin/sh", "copy")
        libraries = list((copy.parent / "copy_libs").glob("libc.so*"))
        shutil.rmtree(copy.parent / "copy_libs", ignore_errors=True)
        see(libraries, "no libraries")


@command_option("sbcast --exclude", "NONE", seen="the system's libraries lie beside the copy as well", world=WHERE)
def sbcast_exclude(run):
    with broadcast(run, "-N1") as (job, copy):
        run.done("-j", job, "--send-libs", "/bin/sh", "copy")
        libraries = list((copy.parent / "copy_libs").glob("libc.so*"))
        shutil.rmtree(copy.parent / "copy_libs", ignore_errors=True)
        see(libraries, "no libraries")


@command_option("sbcast --verbose", seen="what is copied where", world=WHERE)
def sbcast_verbose(run):
    with broadcast(run, "-N1") as (job, _):
        see(run.done("-j", job, "source", "copy").stderr)


# ---- sattach, to a step of two tasks that say something now and then until `done` is there.

SAYS = ["sh", "-c", "while [ ! -e done ]; do echo out $SLURM_PROCID; echo err $SLURM_PROCID >&2; sleep 0.1; done"]


@contextmanager
def attached(run, command=SAYS):
    """What sattach says beside the step: (standard output, standard error, srun's output)."""
    done = run.cluster.work / "done"
    done.unlink(missing_ok=True)
    more = dict(cwd=run.cluster.work, env=run.cluster.environment(), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)
    srun = subprocess.Popen(["srun", "-n2", "-t", "5", *command], **more)
    step = run.wait("the step", lambda: run.out("squeue", "-h", "-s", "-o", "%i").split())[0]
    beside = subprocess.Popen(["sattach", *run.words(), step], **more)
    try:
        yield done, beside, srun
    finally:
        for one in (beside, srun):
            one.kill()
            one.communicate()


def words_beside(run):
    """What sattach printed: lines of standard output, and of standard error."""
    with attached(run) as (done, beside, _):
        time.sleep(0.7)
        done.touch()
        out, err = beside.communicate(timeout=20)
        return set(out.splitlines()), set(err.splitlines())


@command_option("sattach --label", seen="each line is headed by its task", world=WHERE)
def sattach_label(run):
    same(words_beside(run)[0], {"0: out 0", "1: out 1"})


@command_option("sattach --output-filter", "1", seen="one task's output alone", world=WHERE)
def sattach_output_filter(run):
    same(words_beside(run)[0], {"out 1"})


@command_option("sattach --error-filter", "1", seen="one task's error output alone", world=WHERE)
def sattach_error_filter(run):
    same(words_beside(run)[1], {"err 1"})


@command_option("sattach --layout", seen="which task is where, and no output", world=WHERE)
def sattach_layout(run):
    out, _ = words_beside(run)
    see(any("2 tasks, 1 nodes" in line for line in out), out)


@command_option("sattach --input-filter", "1", seen="one task reads what is typed", world=WHERE)
def sattach_input_filter(run):
    with attached(run, ["sh", "-c", "read line; echo $SLURM_PROCID read $line"]) as (_, beside, srun):
        beside.stdin.write("typed\n")
        beside.stdin.flush()
        see("1 read typed" in srun.stdout.readline())
        time.sleep(1)
        run.run("scancel", "-u", "root")
        see("0 read typed" not in srun.communicate(timeout=20)[0])


@command_option("sattach --pty", seen="tasks are not told apart: a filter is refused", world=WHERE)
def sattach_pty(run):
    done = run.done("--output-filter=0", "1.0", ok=False)
    see("--pty is incompatible" in done.stderr)


@command_option("sattach --quiet", seen="no messages of its own", world=WHERE)
def sattach_quiet(run):
    same(words_beside(run)[1], {"err 0", "err 1"})


@command_option("sattach --verbose", seen="what it attaches to", world=WHERE)
def sattach_verbose(run):
    with attached(run) as (done, beside, _):
        time.sleep(0.5)
        done.touch()
        see(set(beside.communicate(timeout=20)[1].splitlines()) - {"err 0", "err 1"})
