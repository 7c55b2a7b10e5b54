"""Options of srun alone: how a step runs, within a job and in one of its own."""

import os
import re
import select
import shutil
import signal
import time
from contextlib import contextmanager
from pathlib import Path

from commands import only_variable
from effect import same, see
from job_options import job_option


def srun_option(name, value=None, seen="", **more):
    return job_option(name, value, seen, commands=("srun",), **more)


@contextmanager
def job(run, *options):
    """The options for srun to run a step in a job of these."""
    number = run.out("sbatch", "--parsable", "-o", "/dev/null", *options, "--wrap", "sleep 300").strip()
    run.wait("the job to run", lambda: run.cluster.state_of(number) == "RUNNING")
    yield f"--jobid={number}"


def srun(run, *words, **more):
    return run.run("srun", *words, env=run.environment(), **more)


@srun_option("exact", variable_value="1", seen="the step has the core it asks for, and not all of the job's")
def exact(run):
    with job(run, "-n4", "-N1") as within:
        same(srun(run, within, "-n1", *run.words(), "sh", "-c", "echo $SLURM_CPUS_ON_NODE").stdout, "1\n")


@srun_option("overlap", variable_value="1", seen="the step runs beside one that has all of the job")
def overlap(run):
    with job(run) as within, run.process("srun", within, "sh", "-c", "echo runs; sleep 300") as first:
        same(first.stdout.readline(), "runs\n")
        same(run.run("timeout", "3", "srun", within, *run.words(), "true", ok=None, env=run.environment()).returncode, 0)


@srun_option("jobid", "?", seen="the step is the job's")
def jobid(run):
    with job(run, "-w", "n3") as within:
        run.value = within.removeprefix("--jobid=")
        same(srun(run, *run.words(), "sh", "-c", "echo $SLURM_JOB_ID").stdout.strip(), run.value)


@srun_option("pack-group", "1", seen="the step is in the second component")
@srun_option("het-group", "1", seen="the step is in the second component")
def het_group(run):
    script = f"#!/bin/bash\nsrun {' '.join(run.words())} sh -c 'echo $SLURMD_NODENAME'\n"
    run.run("sbatch", "--wait", "-o", "group", "-w", "n1", ":", "-w", "n3", stdin=script)
    same(run.file("group"), "n3\n")


@srun_option("kill-on-bad-exit", variable_value="1", seen="one task's failure ends the others")
def kill_on_bad_exit(run):
    done = run.start("[ $SLURM_PROCID = 1 ] || exit 1; sleep 2; echo late", "-n2", ok=False)
    see("late" not in done.stdout)


@srun_option("wait", "1", seen="a second after the first task's end the others are ended")
def wait(run):
    done = run.start("[ $SLURM_PROCID = 1 ] || exit 0; sleep 4; echo late", "-n2", ok=None)
    see("late" not in done.stdout)


@job_option("cpu-freq", "performance", seen="its tasks are told of it, as are the steps within a job; a speed that is none is refused")
def cpu_freq(run):
    same(run.output("echo $SLURM_CPU_FREQ_REQ"), "Performance")
    done = run.run(run.command, "--cpu-freq=fast", "true", ok=False)
    see(f'{run.command}: error: unrecognized --cpu-freq argument "fast"\n{run.command}: error: Invalid --cpu-freq argument\n' in done.stderr, done.stderr)


@job_option("network", "sn_single", seen="the job is told of it")
def network(run):
    same(run.output("echo $SLURM_NETWORK"), "sn_single")


@job_option("gpu-freq", "low,verbose", seen="its tasks are told of it, as are the steps within a job, which say what was set; a clock that is none is refused")
def gpu_freq(run):
    same(run.output("echo $SLURM_GPU_FREQ"), "low,verbose")
    refused = run.run(run.command, "--gpu-freq=fast", "true", ok=False)
    see(f"{run.command}: error: Invalid --gpu-freq argument: gpu:fast\n" in refused.stderr, refused.stderr)
    if run.command == "srun":  # Of simulated GPUs nothing can be set.
        see("GpuFreq=control_disabled" in run.start("true", "-n1", "--gpus=1").stderr)


@contextmanager
def copied(run):
    """Where a program is to be copied to."""
    copy = run.cluster.work / "copied"
    try:
        yield copy
    finally:
        copy.unlink(missing_ok=True)
        shutil.rmtree(f"{copy}_libs", ignore_errors=True)


def named_program(run):
    """A program that prints its own name."""
    program = run.cluster.work / "named"
    program.write_text("#!/bin/sh\necho $0 $*\n")
    program.chmod(0o755)
    return str(program)


@srun_option("bcast", "?", seen="the step runs a copy of the program")
def bcast(run):
    program = named_program(run)
    with copied(run) as copy:
        run.value = str(copy)
        same(srun(run, "-w", "n1", *run.words(), program, "a b").stdout, f"{copy} a b\n")
    own = run.run("srun", "-N2", "-w", "n1,n3", "--bcast", program).stdout.splitlines()  # They share this folder.
    for node in ("n1", "n3"):
        see(any(re.fullmatch(rf"{run.cluster.work}/slurm_bcast_\d+\.\d+_{node} ?", line) for line in own), own)
        for left in run.cluster.work.glob(f"slurm_bcast_*_{node}"):
            left.unlink()


@srun_option("compress", "lz4", seen="a warning that the program is sent as it is")
def compress(run):
    with copied(run) as copy:
        see("--compress has no effect" in srun(run, *run.words(), f"--bcast={copy}", "true").stderr)


@srun_option("send-libs", "yes", seen="the libraries lie beside the copy, which uses them")
def send_libs(run):
    with copied(run) as copy:
        show = srun(run, "-w", "n1", *run.words(), f"--bcast={copy}", "--bcast-exclude=NONE", "bash", "-c", "echo $LD_LIBRARY_PATH").stdout
        same(show.strip().split(":")[0], f"{copy}_libs")
        see(list(Path(f"{copy}_libs").glob("libc.so*")), "no libraries")


@srun_option("bcast-exclude", "NONE", seen="the system's libraries lie beside the copy as well")
def bcast_exclude(run):
    with copied(run) as copy:
        srun(run, "-w", "n1", *run.words(), f"--bcast={copy}", "--send-libs", "true")
        see(list(Path(f"{copy}_libs").glob("libc.so*")), "no libraries")


@srun_option("relative", "1", seen="the step is on the job's second node")
def relative(run):
    with job(run, "-w", "n[1,3]") as within:
        same(srun(run, within, "-N1", "-n1", *run.words(), "sh", "-c", "echo $SLURMD_NODENAME").stdout, "n3\n")


@srun_option("multi-prog", seen="each task runs the program of its line")
def multi_prog(run):
    file = run.cluster.work / "programs"
    file.write_text("#!/bin/sh\n0 echo zero %t\n1-2 echo 'the others' %o\n")
    file.chmod(0o755)
    same(sorted(srun(run, "-n3", *run.words(), str(file)).stdout.split("\n")), ["", "the others 0", "the others 1", "zero 0"])


def beside_the_step(run, wanted):
    """What a program that srun runs itself writes: the words of the step."""
    program = run.cluster.work / "beside"
    program.write_text("#!/bin/sh\necho $@ >> told\n")
    program.chmod(0o755)
    (run.cluster.work / "told").unlink(missing_ok=True)
    run.value = str(program)
    srun(run, *run.words(), "sh", "-c", "echo step >> told")
    same(run.file("told"), wanted)


@srun_option("prolog", "?", seen="the program runs before the step")
def prolog(run):
    beside_the_step(run, "sh -c echo step >> told\nstep\n")


@srun_option("epilog", "?", seen="the program runs after the step")
def epilog(run):
    beside_the_step(run, "step\nsh -c echo step >> told\n")


def around_a_task(run, wanted):
    program = run.cluster.work / "around"
    program.write_text("#!/bin/sh\necho export SAID=before\necho around $SLURM_PROCID >> told\n")
    program.chmod(0o755)
    (run.cluster.work / "told").unlink(missing_ok=True)
    run.value = str(program)
    srun(run, "-n1", *run.words(), "sh", "-c", "echo task $SAID >> told")
    same(run.file("told"), wanted)


@srun_option("task-prolog", "?", seen="the program runs before the task, and sets its variables")
def task_prolog(run):
    around_a_task(run, "around 0\ntask before\n")


@srun_option("task-epilog", "?", seen="the program runs after the task")
def task_epilog(run):
    around_a_task(run, "task\naround 0\n")


@srun_option("preserve-env", seen="the task has srun's SLURM_NTASKS, and not the step's")
def preserve_env(run):
    with job(run, "-n2") as within:
        same(run.run("srun", within, "-n1", *run.words(), "sh", "-c", "echo $SLURM_NTASKS", env=run.environment() | {"SLURM_NTASKS": "7"}).stdout, "7\n")


def interrupted(run):
    """srun after one Ctrl-C: its exit code and what it said."""
    with run.process("srun", *run.words(), "-n1", "sh", "-c", "trap 'echo caught; exit 5' INT; echo runs; while :; do sleep 0.1; done") as process:
        same(process.stdout.readline(), "runs\n")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=3)
        return process.returncode, out, err


@srun_option("disable-status", variable_value="1", seen="the first Ctrl-C goes to the tasks")
def disable_status(run):
    code, out, _ = interrupted(run)
    same((code, out), (5, "caught\n"))


@srun_option("quit-on-interrupt", seen="the first Ctrl-C kills the tasks")
def quit_on_interrupt(run):
    see("forcing job termination" in interrupted(run)[2])


@srun_option("accel-bind", "g", seen="each task has the GPUs near its cores, and no others", world="shapes")
def accel_bind(run):
    done = srun(run, "-w", "n2", "-n2", "-c8", "--gres=gpu:4", *run.words(), "sh", "-c", "echo $CUDA_VISIBLE_DEVICES")
    same(sorted(done.stdout.split()), ["0,1", "2,3"])


@srun_option("label", variable_value="1", seen="each line is headed by its task")
def label(run):
    same(run.output("echo here", "-n1"), "0: here")


@srun_option("mpi", "pmi2", seen="the tasks have a PMI server")
def mpi(run):
    same(run.output("echo $PMI_RANK"), "0")


@srun_option("pty", seen="the task has a terminal")
def pty(run):
    see("tty" in run.start("test -t 1 && echo tty", ok=None).stdout)


@srun_option("unbuffered", variable_value="1", seen="a line is shown before it ends")
def unbuffered(run):
    with run.process("srun", *run.words(), "sh", "-c", "printf half; sleep 300") as process:
        run.wait("half a line", lambda: select.select([process.stdout], [], [], 0)[0], 3)


@srun_option("cpu-bind", "none", seen="tasks share the cores of their step")
@srun_option("cpu_bind", "none", seen="tasks share the cores of their step")
def cpu_bind(run):
    same(len(set(run.output("taskset -p $$ | cut -d: -f2", "-n2").split())), 1)


# ---- Variables that no option of srun's stands for.

# Together these say that SLURM_CPU_BIND tells of the task that srun is called in: it is no wish, so it may even be one that srun would refuse.
OF_A_TASK = {"SLURM_CPU_BIND_LIST": "nonsense", "SLURM_CPU_BIND_TYPE": "mask_cpu:", "SLURM_CPU_BIND_VERBOSE": "quiet"}
for of_a_task in OF_A_TASK:
    @only_variable(of_a_task, "srun", OF_A_TASK[of_a_task], seen="what a task's own binding says is no wish for its steps", world="jobs")
    def slurm_cpu_bind_of_a_task(run, name=of_a_task):
        others = {"SLURM_CPU_BIND": "quiet,mask_cpu:nonsense"} | {other: value for other, value in OF_A_TASK.items() if other != name}
        with job(run) as within:
            same(run.ask(within, "echo", "runs", env=others), "runs\n")


@only_variable("SLURM_JOB_ID", "srun", "?", seen="the step is the job's", world="jobs")
def slurm_job_id(run):
    with job(run, "-w", "n3") as within:
        run.value = within.removeprefix("--jobid=")
        same(run.ask("sh", "-c", "echo $SLURM_JOB_ID").strip(), run.value)


@only_variable("SLURM_JOB_NUM_NODES", "srun", "2", seen="a step has a task on each of so many nodes of its job", world="jobs")
def slurm_job_num_nodes(run):
    with job(run, "-N3") as within:
        same(run.words_of(within, "sh", "-c", "echo $SLURMD_NODENAME"), {"n1", "n2"})


@only_variable("SLURM_JOB_CPUS_PER_NODE", "srun", "2", seen="how many tasks of one core there are", world="jobs")
def slurm_job_cpus_per_node(run):
    with job(run, "-c4", "-w", "n3") as within:
        more = {"SLURM_JOB_ID": within.removeprefix("--jobid="), "SLURM_JOB_NODELIST": "n3"}
        same(run.ask("--exclusive", "-c1", "echo", "task", env=more).split(), ["task"] * 2)


@only_variable("SRUN_CPUS_PER_TASK", "srun", "4", seen="each task has so many cores", world="jobs")
def srun_cpus_per_task(run):
    with job(run, "-c4") as within:
        number = within.removeprefix("--jobid=")
        same(run.ask("--exact", "-n1", "sh", "-c", "echo $SLURM_CPUS_ON_NODE", env={"SLURM_JOB_ID": number, "SLURM_CPUS_PER_TASK": "1"}), "4\n")


@only_variable("SLURM_HET_SIZE", "srun", "1", seen="there is no second component", world="jobs")
def slurm_het_size(run):
    with job(run) as within:
        done = run.done("--het-group=1", "true", ok=False, env={"SLURM_JOB_ID": within.removeprefix("--jobid=")})
        see("SLURM_HET_SIZE is 1" in done.stderr, done.stderr)


@only_variable("SLURM_JOB_NODELIST", "scontrol", "n[1-2]", seen="its nodes are listed", world="jobs")
def slurm_job_nodelist(run):
    same(run.done("show", "hostnames", ok=None).stdout, "n1\nn2\n")


@only_variable("SHELL", "salloc", "?", seen="it is started in the allocation", world="jobs")
def shell(run):
    program = run.cluster.work / "shell"
    program.write_text("#!/bin/sh\necho shell of $SLURM_JOB_ID\n")
    program.chmod(0o755)
    run.value = str(program)
    see("shell of" in run.ask())


# ---- Variables that every command reads, or srun and its like.

@only_variable("SLURM_TIME_FORMAT", "squeue", "%Y years", seen="how times are written")
def slurm_time_format(run):
    see("years" in run.ask("-h", "-t", "R", "-o", "%S"))


@only_variable("SLURM_TEST_EXEC", "srun", "1", seen="a missing program is found before a job is asked for", world="jobs")
def slurm_test_exec(run):
    see("can not execute nosuch" in run.done("nosuch", ok=None).stderr)


@only_variable("SLURM_UMASK", "sbatch", "0027", seen="whom the output file is open to", world="jobs")
def slurm_umask(run):
    name = f"open-{os.getpid()}-{time.monotonic_ns()}"
    run.done("--wait", "-o", name, "--wrap", "umask")
    same((run.cluster.work / name).stat().st_mode & 0o777, 0o640)


@only_variable("SLURM_DIST_PLANESIZE", "srun", "1", seen="so many tasks at a time go to a node", world="jobs")
def slurm_dist_planesize(run):
    text = run.ask("-w", "n[1,3]", "-n4", "--ntasks-per-node=2", "sh", "-c", "echo $SLURM_PROCID:$SLURMD_NODENAME", env={"SLURM_DISTRIBUTION": "plane"}, ok=None)
    same(set(text.split()), {"0:n1", "1:n3", "2:n1", "3:n3"})


@only_variable("SLURM_STEP_GRES", "srun", "gpu:1", seen="the step has so many of the job's GPUs", world="jobs")
def slurm_step_gres(run):
    with job(run, "-w", "n1", "--gres=gpu:2") as within:
        same(run.ask("sh", "-c", "echo $CUDA_VISIBLE_DEVICES", env={"SLURM_JOB_ID": within.removeprefix("--jobid=")}), "0\n")


@only_variable("SLURM_EXIT_ERROR", "srun", "77", seen="what srun's own errors exit with", world="jobs")
def slurm_exit_error(run):
    same(run.done("-p", "nosuch", "true", ok=None).returncode, 77)


@only_variable("SLURM_EXIT_IMMEDIATE", "srun", "78", seen="what it exits with where nothing is free", world="jobs")
def slurm_exit_immediate(run):
    run.run("sbatch", "-w", "n4", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 300")
    run.wait("n4 to be busy", lambda: "n4" in run.out("squeue", "-h", "-t", "R", "-o", "%N"))
    same(run.done("-I1", "-p", "other", "true", ok=None).returncode, 78)


@only_variable("BERTH_ADVICE", "srun", "yes", seen="an error says what would be right as well", world="jobs")
def berth_advice(run):
    see("such as 500M or 4G" in run.done("--mem=lots", "true", ok=None).stderr)


def wait_for_switches(run):
    """The job starts after two seconds, though no switch has enough free nodes."""
    for node in ("n1", "n3"):
        run.run("sbatch", "-w", node, "--exclusive", "-o", "/dev/null", "--wrap", "sleep 300")
    run.wait("the nodes to be busy", lambda: len(run.out("squeue", "-h", "-t", "R", "-o", "%N").split()) == 2)
    words = ("-N2", "--switches=1", "-J", "patient")
    if run.command != "sbatch":
        run.done("-I6", *words, "true")
        return
    run.done(*words, "-o", "/dev/null", "--wrap", "sleep 300")
    run.wait("the job to start", lambda: run.out("squeue", "-h", "-n", "patient", "-t", "R"), 6)


for command, prefix in (("sbatch", "SBATCH"), ("salloc", "SALLOC"), ("srun", "SLURM")):
    only_variable(f"{prefix}_WAIT4SWITCH", command, "0:02", seen="how long it waits for few switches", world="jobs")(wait_for_switches)
