"""The words of `scontrol create reservation`: what each changes for jobs."""

import time
from contextlib import contextmanager

from effect import same, see
from keys_case import USER
from scontrol_words import reservation


@contextmanager
def reserved(run, *words):
    """A reservation of n1 for an hour and for root, but for these words, and for the tested one."""
    given = {"StartTime": "now", "Duration": "60", "Nodes": "n1", "Users": "root"} | dict(word.split("=", 1) for word in words)
    if run.it:
        key, value = run.it.split("=", 1)
        given[key] = value
        for other, instead in {"EndTime": "Duration", "NodeCnt": "Nodes", "Accounts": "Users", "Groups": "Users"}.items():
            if key == other:
                given.pop(instead, None)
    run.run("scontrol", "create", "reservation", "ReservationName=mine", *(f"{key}={value}" for key, value in given.items() if value))
    try:
        yield
    finally:
        run.tidy()
        run.run("scontrol", "delete", "ReservationName=mine")


def stays_out(run, *words):
    """A job that is not of the reservation waits."""
    waiting = run.sbatch("-t", "10", *words)
    time.sleep(0.7)
    same(run.squeue(waiting, "%t"), "PD")


@reservation("StartTime", "now+1hour", seen="other jobs run until then")
def reservation_start(run):
    with reserved(run):
        run.runs(run.sbatch("-w", "n1", "-t", "10"), 1)


def planned_in_minutes(run):
    """When a job for the reserved node is to start."""
    waiting = run.sbatch("-w", "n1", "-t", "10")
    start = run.wait("a planned start", lambda: (text := run.squeue(waiting, "%S")) != "N/A" and text, 4)
    return round((time.mktime(time.strptime(start, "%Y-%m-%dT%H:%M:%S")) - time.time()) / 60)


@reservation("EndTime", "now+20minutes", seen="other jobs are planned behind it")
def reservation_end(run):
    with reserved(run):
        see(abs(planned_in_minutes(run) - 20) <= 1)


@reservation("Duration", "20", seen="other jobs are planned behind it")
def reservation_duration(run):
    with reserved(run):
        see(abs(planned_in_minutes(run) - 20) <= 1)


@reservation("Nodes", "n3", seen="other jobs do not run there")
def reservation_nodes(run):
    with reserved(run):
        stays_out(run, "-w", "n3")


@reservation("NodeCnt", "4", seen="so many nodes take no other jobs")
def reservation_node_count(run):
    with reserved(run):
        stays_out(run)


@reservation("CoreCnt", "6", seen="other jobs have the rest of the node's cores")
def reservation_core_count(run):
    with reserved(run):
        run.runs(run.sbatch("-w", "n1", "-t", "10", "-c2"), 2)
        run.tidy()
        stays_out(run, "-w", "n1", "-c4")


@reservation("TRES", "gres/gpu=3", seen="other jobs have the rest of the node's GPUs")
def reservation_tres(run):
    with reserved(run):
        run.runs(run.sbatch("-w", "n1", "-t", "10", "--gres=gpu:1"), 2)
        run.tidy()
        stays_out(run, "-w", "n1", "--gres=gpu:2")


def ran_inside(run):
    return run.ran_on(run.sbatch("--reservation=mine", "-t", "5"))


@reservation("PartitionName", "other", seen="its nodes are of that partition")
def reservation_partition(run):
    with reserved(run, "Nodes=", "NodeCnt=1"):
        same(ran_inside(run) if run.withheld else run.ran_on(run.sbatch("--reservation=mine", "-p", "other", "-t", "5")), "n4")


@reservation("Features", "new", seen="its nodes have them")
def reservation_features(run):
    with reserved(run, "Nodes=", "NodeCnt=1"):
        see(ran_inside(run) in ("n3", "n4"))


@reservation("Comment", "odd", seen="scontrol has it")
def reservation_comment(run):
    with reserved(run):
        see("Comment=odd" in run.out("scontrol", "show", "reservation", "mine"))


@reservation("Users", USER, seen="that user's jobs may run in it", needs_root=True)
def reservation_users(run):
    with reserved(run):
        run.sbatch("--reservation=mine", "-t", "5", user=USER)


@reservation("Accounts", "bio", seen="jobs of that account may run in it", needs_root=True)
def reservation_accounts(run):
    with reserved(run):
        run.sbatch("--reservation=mine", "-t", "5", "-A", "bio", user=USER)


@reservation("Groups", USER, seen="jobs of that group's users may run in it", needs_root=True)
def reservation_groups(run):
    with reserved(run):
        run.sbatch("--reservation=mine", "-t", "5", user=USER)


@reservation("QOS", "high", seen="a job of another QOS may not run in it")
def reservation_qos(run):
    with reserved(run):
        run.sbatch("--reservation=mine", "-t", "5", "--qos=high")
        run.refused("--reservation=mine", "-t", "5", "--qos=normal")


@reservation("Flags", "IGNORE_JOBS", seen="it is made where a job runs")
def reservation_flags(run):
    run.hold("n1")
    with reserved(run):
        pass
