"""berth submit, run, logs, queue, why and nodes: each option on a cluster of four idle nodes."""

import json
import re
import subprocess
import uuid

import names
from commands import Asked
from effect import EFFECTS, Effect, same, see
from job_place import friend


class Berth(Asked):
    """`berth` with a subcommand; the name is "berth submit --gpus"."""

    def berth(self, *others, **more):
        return self.run("berth", *self.command.split(), *self.words(), *others, **more)

    def output(self, script, *others):
        """What a job of this script prints."""
        if self.command == "run":
            return self.berth(*others, "--", "bash", "-c", script).stdout.strip()
        name = f"out-{uuid.uuid4().hex[:8]}"
        self.submit(script, "-o", name, *others)
        return (self.file(name) or "").strip()

    def submit(self, script, *others):
        job = json.loads(self.berth("--json", *others, "--wrap", script).stdout)["job"]
        self.wait("the job to end", lambda: self.cluster.state_of(job) == "COMPLETED")
        return job

    def starts(self, *others):
        """Whether a job starts at once, or must wait."""
        if self.command == "run":
            return self.run("timeout", "1.5", "berth", "run", *self.words(), *others, "--", "true", ok=None).returncode == 0
        job = json.loads(self.berth("--json", *others, "--wrap", "sleep 300").stdout)["job"]
        shown = lambda: self.out("squeue", "-h", "-j", str(job), "-o", "%t %r").split()
        return self.wait("a start or a reason", lambda: "R" in shown() and "R" or "None" not in shown() and "waits") == "R"

    def busy(self, *nodes):
        for node in nodes:
            self.run("sbatch", "-w", node, "--exclusive", "-o", "/dev/null", "--wrap", "sleep 300")
        self.wait("the nodes to be busy", lambda: set(nodes) <= set(self.out("squeue", "-h", "-t", "R", "-o", "%N").split()))


def berth_option(option, value=None, seen="", commands=("submit", "run"), world="jobs", case=Berth):
    def register(function):
        for command in commands:
            full = f"berth {command} --{option}"
            if full not in names.berth_options():
                continue  # Another branch has it.
            one = Effect(full, seen, world, function, always=full in names.ALWAYS_SO)
            one.case = lambda cluster, withheld, n=full, c=command: case(
                cluster, n, withheld, c, option, value(cluster) if callable(value) else value)
            EFFECTS.append(one)
        return function
    return register


def hosts(run, *others):
    return run.output("echo $SLURM_JOB_NODELIST", *others)


@berth_option("name", "alice", seen="it is found by its name")
def name(run):
    see(run.output("squeue -h -n alice"))


@berth_option("partition", "other", seen="the job is on the partition's node")
def partition(run):
    same(hosts(run), "n4")


@berth_option("account", "bio", seen="a partition for this account takes the job")
def account(run):
    run.output("true", "-p", "biolab")


@berth_option("qos", "high", seen="its priority is above another's")
@berth_option("priority-class", "urgent", seen="its priority is above another's")
def priority(run):
    other = run.out("sbatch", "--parsable", "--wrap", "true").strip()
    own = run.output("squeue -h -j $SLURM_JOB_ID -o %Q")
    see(int(own) > int(run.out("squeue", "-h", "-t", "all", "-j", other, "-o", "%Q")))


@berth_option("max-wait", "0:02", seen="a job that has not started by then is given up")
def max_wait(run):
    run.busy("n4")
    if run.command == "run":
        see(run.run("timeout", "5", "berth", "run", *run.words(), "-p", "other", "--", "true", ok=None).returncode != 124)
        return
    job = json.loads(run.berth("--json", "-p", "other", "--wrap", "true").stdout)["job"]
    run.wait("the job to be given up", lambda: run.cluster.state_of(job) == "DEADLINE", 5)
    said = run.out("berth", "why", str(job))
    see("phase Timeout" in said and "condition SchedulingTimeout=True" in said and "Timeout: Failed to schedule within 2s" in said)


@berth_option("checkpoint", "model-%j.pt", seen="the script has its path, and may say that it is saved")
def checkpoint(run):
    text = run.output("echo $BERTH_CHECKPOINT; berth checkpoint done; scontrol show job $SLURM_JOB_ID | grep -oE 'LastCheckpoint=2[^ ]*'; true")
    see(re.search(r"(?s)/model-\d+\.pt\n.*LastCheckpoint=20", text), text)


@berth_option("restart-cost", "10:00:00", seen="berth why counts it as lost with the run")
def restart_cost(run):
    words = ("-p", "other", "--gpus=4", "--time=60")
    if run.command == "submit":
        run.berth(*words, "--wrap", "sleep 300")
    else:  # The job ends with the others of this world, and berth run with the job.
        subprocess.Popen(["berth", "run", *run.words(), *words, "--", "sleep", "300"], cwd=run.cluster.work, env=run.cluster.environment(),
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run.wait("the job to run", lambda: run.out("squeue", "-h", "-t", "R", "-p", "other", "-o", "%i").strip())
    behind = run.out("sbatch", "--parsable", "-p", "other", "--gres=gpu:4", "--priority=4000000000", "--wrap", "true").strip()
    run.wait("the loss", lambda: "which would lose 40.0 GPU-hours" in run.out("berth", "why", behind), 5)


@berth_option("time", "3", seen="it would be ended after three minutes")
def time(run):
    same(run.output("echo $((SLURM_JOB_END_TIME - SLURM_JOB_START_TIME))"), "180")


@berth_option("gpus", "3", seen="three GPUs are visible")
def gpus(run):
    same(run.output("echo $CUDA_VISIBLE_DEVICES"), "0,1,2")


@berth_option("constraint", "h100", seen="the job is on a node with the feature")
def constraint(run):
    same(hosts(run), "n3")


@berth_option("nodes", "2", seen="the job has two nodes")
def nodes(run):
    same(run.output("echo $SLURM_JOB_NUM_NODES"), "2")


@berth_option("tasks", "3", seen="srun starts three tasks")
def tasks(run):
    same(run.output("srun echo task").split(), ["task"] * 3)


@berth_option("cpus", "4", seen="the job holds four cores")
def cpus(run):
    same(run.output("echo $SLURM_CPUS_ON_NODE"), "4")


@berth_option("mem", "3G", seen="the job holds three gigabytes")
def mem(run):
    see("mem=3G" in run.output("scontrol show job $SLURM_JOB_ID | grep AllocTRES"))


@berth_option("output", "chosen.berth", seen="the output is in that file")
def output(run):
    (run.cluster.work / "chosen.berth").unlink(missing_ok=True)
    if run.command == "run":
        run.berth("--", "echo", "here")
    else:
        run.submit("echo here")
    same(run.file("chosen.berth"), "here\n")


@berth_option("pack", seen="more GPUs than a node has are refused")
def pack(run):
    run.run("berth", run.command, "--gpus=6", *run.words(), *(("--", "true") if run.command == "run" else ("--wrap", "true")), ok=False)


@berth_option("compact", seen="the job's nodes are under one switch, though others come first")
def compact(run):
    run.busy("n1")
    same(hosts(run, "--nodes=2"), "n[3-4]")


@berth_option("switches", "1", seen="the job waits while no switch has enough free nodes")
def switches(run):
    run.busy("n1", "n3")
    see(not run.starts("--nodes=2"))


@berth_option("affinity", "feature:h100", seen="the job is on a node with the feature")
def affinity(run):
    same(hosts(run), "n3")


@berth_option("anti-affinity", "node:friend", seen="the job is on another node than its friend")
def anti_affinity(run):
    friend(run)
    same(hosts(run), "n2")


@berth_option("gpu-memory", "60G", seen="the job has the larger GPU")
@berth_option("compute-capability", "9.0", seen="the job has the newer GPU")
def gpu_kind(run):
    same(hosts(run, "--gpus=1"), "n3")


@berth_option("wrap", "echo wrapped", seen="the words are the script", commands=("submit",))
def wrap(run):
    (run.cluster.work / "wrapped.berth").unlink(missing_ok=True)
    run.berth("-o", "wrapped.berth", stdin="#!/bin/sh\necho script\n")
    run.wait("the output", lambda: run.file("wrapped.berth"))
    same(run.file("wrapped.berth"), "wrapped\n")


# ---- What is looked at.

@berth_option("json", seen="JSON", commands=("submit",))
def submit_json(run):
    see(json_of(run, "--wrap", "true")["job"])


@berth_option("json", seen="JSON", commands=("nodes", "queue", "queues show", "status"))
def json_list(run):
    json_of(run)


@berth_option("json", seen="JSON", commands=("why",))
def why_json(run):
    job = run.out("sbatch", "--parsable", "-H", "--wrap", "true").strip()
    same(json_of(run, job)["reason"], "JobHeldUser")


def json_of(run, *others):
    text = run.berth(*others).stdout
    see(text.lstrip().startswith(("{", "[")), text[:80])
    return json.loads(text)


@berth_option("all", seen="what has ended, too", commands=("queue",))
def queue_all(run):
    run.out("sbatch", "--wait", "-J", "over", "--wrap", "true")
    see("over" in run.berth().stdout)


@berth_option("follow", seen="the output up to the job's end", commands=("logs",))
def follow(run):
    job = run.out("sbatch", "--parsable", "--wrap", "echo first; sleep 1; echo last").strip()
    run.wait("the first line", lambda: "first" in (run.file(f"slurm-{job}.out") or ""))
    same(run.berth(job).stdout, "first\nlast\n")
