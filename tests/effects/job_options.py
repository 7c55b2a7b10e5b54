"""Options of sbatch, srun and salloc: as options, as #SBATCH lines and as variables."""

import re
import uuid

import names
from effect import EFFECTS, Case, Effect, see

ALL = ("sbatch", "srun", "salloc")


class Job(Case):
    """A case whose option stands on a command line, in a script or in the environment."""

    def __init__(self, cluster, name, withheld, form, command, option, value):
        super().__init__(cluster, name, withheld)
        self.form, self.command, self.option, self.value = form, command, option, value

    def words(self):
        """The option as words of a command line."""
        if self.withheld or self.form != "option":
            return ()
        return (f"--{self.option}" if self.value is None else f"--{self.option}={self.value}",)

    def line(self):
        if self.withheld or self.form != "directive":
            return ""
        return f"#SBATCH --{self.option}" + ("" if self.value is None else f"={self.value}") + "\n"

    def environment(self):
        return {self.name: self.value or "1"} if self.form == "variable" and not self.withheld else {}

    def submit(self, script, *others, ok=True, wait=True):
        """sbatch, with the option: what it printed."""
        more = ("--wait",) if wait else ()
        return self.run("sbatch", "--parsable", *more, *others, *self.words(), ok=ok, env=self.environment(),
                        stdin="#!/bin/bash\n" + self.line() + script + "\n")

    def output(self, script, *others):
        """What a job of this script prints, whatever starts it."""
        if self.command == "sbatch":
            name = f"out-{uuid.uuid4().hex[:8]}"
            self.submit(script, "-o", name, *others)
            return (self.file(name) or "").strip()
        return self.out(self.command, *others, *self.words(), "bash", "-c", script, env=self.environment()).strip()

    def start(self, script, *others, ok=True):
        """A job that is waited for, as done: exit code and streams."""
        if self.command == "sbatch":
            return self.submit(script, *others, ok=ok)
        return self.run(self.command, *others, *self.words(), "bash", "-c", script, ok=ok, env=self.environment())


def job_option(name, value=None, seen="", commands=ALL, variable_value=None, world="jobs", forms=("option", "directive", "variable")):
    """Registers one test for all the forms in which these commands take the option."""
    rows = [row for row in names.job_options().get(name, []) if row["built"]]

    def register(function):
        for row in rows:
            for command in sorted(set(row["commands"]) & set(commands)):
                all_forms = [("option", f"{command} --{name}", value)]
                if command == "sbatch":
                    all_forms.append(("directive", f"#SBATCH --{name}", value))
                if row["variable"]:
                    all_forms.append(("variable", names.PREFIX[command] + row["variable"], variable_value or value))
                for form, full, given in all_forms:
                    if form not in forms:
                        continue
                    one = Effect(full, seen, world, function)
                    one.case = lambda cluster, withheld, f=form, n=full, v=given, c=command: Job(cluster, n, withheld, f, c, name, v)
                    EFFECTS.append(one)
        return function
    return register


def node_of(text):
    return text.split()[-1] if text else ""


def hosts(run, *others):
    return run.output("echo $SLURM_JOB_NODELIST", *others)


# ---- Where.

@job_option("nodelist", "n3", seen="the job is on that node")
def nodelist(run):
    see(hosts(run) == "n3")


@job_option("exclude", "n1", seen="the job is not where it would have been")
def exclude(run):
    see(hosts(run) == "n2")


@job_option("constraint", "h100", seen="the job is on a node with the feature")
def constraint(run):
    see(hosts(run) == "n3")


@job_option("partition", "other", seen="the job is on the partition's node")
def partition(run):
    see(hosts(run) == "n4")


@job_option("nodes", "2", seen="the job has two nodes")
def nodes(run):
    see(run.output("echo $SLURM_JOB_NUM_NODES") == "2")


@job_option("reservation", "held", seen="the job is on the reserved node, which takes no other")
def reservation(run):
    run.run("scontrol", "create", "reservation", "ReservationName=held", "StartTime=now", "Duration=60", "Nodes=n2", "Users=root", ok=None)
    see(hosts(run, "-t", "1") == "n2")


@job_option("contiguous", seen="the nodes are neighbours, though the one between is busy",
            forms=("option", "directive", "variable"))
def contiguous(run):
    run.run("sbatch", "-w", "n2", "--exclusive", "--wrap", "sleep 300")
    run.wait("n2 to be busy", lambda: "n2" in run.out("squeue", "-h", "-t", "R", "-o", "%N"))
    see(hosts(run, "-N2") == "n[3-4]")


@job_option("switches", "1", seen="the job's nodes are under one switch, though the first two free ones are not")
def switches(run):
    run.run("sbatch", "-w", "n1", "--exclusive", "--wrap", "sleep 300")
    run.wait("n1 to be busy", lambda: "n1" in run.out("squeue", "-h", "-t", "R", "-o", "%N"))
    see(hosts(run, "-N2") == "n[3-4]")


# ---- How much.

@job_option("ntasks", "3", seen="the job has three tasks")
def ntasks(run):
    count = "echo $SLURM_NTASKS" if run.command != "srun" else "echo task"
    see(run.output(count).split() in (["3"], ["task"] * 3))


@job_option("ntasks-per-node", "2", seen="two tasks run on each of two nodes")
def ntasks_per_node(run):
    see(run.output("srun echo task" if run.command != "srun" else "echo task", "-N2").split() == ["task"] * 4)


@job_option("cpus-per-task", "4", seen="the job holds four cores")
def cpus_per_task(run):
    see(run.output("echo $SLURM_CPUS_ON_NODE") == "4")


@job_option("exclusive", seen="the job holds all cores of its node")
def exclusive(run):
    see(run.output("echo $SLURM_CPUS_ON_NODE") == "8")


@job_option("gpus", "3", seen="three GPUs are visible")
def gpus(run):
    see(run.output("echo $CUDA_VISIBLE_DEVICES") == "0,1,2")


@job_option("gpus-per-node", "2", seen="two GPUs are visible")
def gpus_per_node(run):
    see(run.output("echo $CUDA_VISIBLE_DEVICES") == "0,1")


@job_option("gres", "gpu:2", seen="two GPUs are visible")
def gres(run):
    see(run.output("echo $CUDA_VISIBLE_DEVICES") == "0,1")


@job_option("gpus-per-task", "1", seen="two tasks get a GPU each")
def gpus_per_task(run):
    script = "echo $SLURM_GPUS_ON_NODE"
    see(set(run.output(script, "-n2").split()) == {"2"})


@job_option("mem", "3G", seen="the job holds three gigabytes")
def mem(run):
    see("mem=3G" in run.output("scontrol show job $SLURM_JOB_ID | grep -o 'AllocTRES=.*'"))


@job_option("mem-per-cpu", "1G", seen="with two cores the job holds two gigabytes")
def mem_per_cpu(run):
    see("mem=2G" in run.output("scontrol show job $SLURM_JOB_ID | grep -o 'AllocTRES=.*'", "-c2"))


@job_option("licenses", "matlab:2", seen="while it runs, no seat is free")
def licenses(run):
    see("Free=0" in run.output("scontrol show licenses | grep -A1 matlab | tr '\\n' ' '"))


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


@job_option("hold", seen="the job waits until it is released", commands=("sbatch",))
def hold(run):
    job = run.submit("true", wait=False).stdout.strip()
    see(run.out("squeue", "-h", "-j", job, "-o", "%t %r").strip() == "PD JobHeldUser")
    run.run("scontrol", "release", job)
    run.wait("the released job to end", lambda: run.cluster.state_of(job) == "COMPLETED")


@job_option("array", "1-2", seen="each task has its number", commands=("sbatch",))
def array(run):
    run.submit("echo $SLURM_ARRAY_TASK_ID", "-o", "array-%a")
    see((run.file("array-1"), run.file("array-2")) == ("1\n", "2\n"))
    for task in (1, 2):
        (run.cluster.work / f"array-{task}").unlink()


# ---- With what.

@job_option("chdir", "/", seen="it runs there")
def chdir(run):
    see(run.output("pwd", *(("-o", str(run.cluster.work / "chdir.out")) if run.command == "sbatch" else ())) == "/"
        or (run.file("chdir.out") or "").strip() == "/")


@job_option("job-name", "alice", seen="an output named after it has its name", commands=("sbatch", "srun"))
def job_name(run):
    run.start("echo here", "-o", "named-%x")
    see(run.file("named-alice") == "here\n")
    (run.cluster.work / "named-alice").unlink()


@job_option("output", "chosen.out", seen="the output is in that file", commands=("sbatch", "srun"))
def output(run):
    run.start("echo here")
    see(run.file("chosen.out") == "here\n")
    (run.cluster.work / "chosen.out").unlink()


@job_option("error", "chosen.err", seen="the error output is in that file", commands=("sbatch", "srun"))
def error(run):
    run.start("echo wrong >&2")
    see(run.file("chosen.err") == "wrong\n")
    (run.cluster.work / "chosen.err").unlink()


@job_option("input", "chosen.in", seen="the program reads the file", commands=("sbatch", "srun"))
def input_file(run):
    (run.cluster.work / "chosen.in").write_text("read me\n")
    see(run.output("cat") == "read me")


@job_option("open-mode", "append", seen="what the file held is kept", commands=("sbatch", "srun"))
def open_mode(run):
    (run.cluster.work / "kept").write_text("old\n")
    run.start("echo new", "-o", "kept")
    see(run.file("kept") == "old\nnew\n", run.file("kept"))


@job_option("export", "NONE", seen="the caller's variables stay away", commands=("sbatch", "srun"))
def export(run):
    case_environment = run.environment
    run.environment = lambda: {"COLOUR": "blue"} | case_environment()
    see(run.output("echo [$COLOUR]") == "[]")


@job_option("wrap", "echo wrapped", seen="the words are the script", commands=("sbatch",), forms=("option",))
def wrap(run):
    run.run("sbatch", "--wait", "-o", "wrapped", *run.words(), stdin="")
    see(run.file("wrapped") == "wrapped\n")


@job_option("parsable", seen="the answer is the number alone", commands=("sbatch",))
def parsable(run):
    done = run.run("sbatch", *run.words(), env=run.environment(), stdin="#!/bin/bash\n" + run.line() + "true\n")
    see(re.fullmatch(r"\d+\n", done.stdout), done.stdout)


@job_option("wait", seen="sbatch ends with the job, with its exit code", commands=("sbatch",))
def wait_option(run):
    run.submit("sleep 0.5; exit 3", wait=False, ok=False)


@job_option("quiet", seen="nothing is printed", commands=("sbatch",))
def quiet(run):
    done = run.run("sbatch", *run.words(), env=run.environment(), stdin="#!/bin/bash\n" + run.line() + "true\n")
    see(done.stdout == "", done.stdout)


@job_option("label", seen="each line is headed by its task", commands=("srun",))
def label(run):
    see(run.output("echo here", "-n1") == "0: here")


@job_option("no-requeue", seen="the job cannot be requeued", commands=("sbatch",))
def no_requeue(run):
    job = run.submit("sleep 60", wait=False).stdout.strip()
    run.wait("the job to run", lambda: run.cluster.state_of(job) == "RUNNING")
    run.run("scontrol", "requeue", job, ok=False)


