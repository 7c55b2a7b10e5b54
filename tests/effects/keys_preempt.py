"""Preemption: PreemptType and its kin, PreemptParameters, the keys of partitions and QOS, and berth.yaml's `preemption`."""

import time
import uuid

from effect import same, see
from keys_case import PARTITIONS, key, yaml_key

TOP = [*PARTITIONS, "PartitionName=top Nodes=n[1-2] PriorityTier=5"]
BY_PARTITION = ("PreemptType=preempt/partition_prio", "PreemptMode=REQUEUE")
BY_QOS = ("PreemptType=preempt/qos", "PreemptMode=REQUEUE")
QOS = [{"name": "high", "preempt": ["low"]}, {"name": "low"}]
GRACE = 3.0  # Longer than a preemption without any takes.


def one_node(run, node, *words, script="sleep 300"):
    job = run.sbatch("-w", node, "--exclusive", "-t", "10", *words, script=script)
    run.runs(job)
    return job


def preempts(run, high=("-p", "top"), low=(), **more):
    """The run that a job of one node takes the place of."""
    victim = one_node(run, "n1", *low, **more)
    job = run.sbatch("-w", "n1", "--exclusive", "-t", "10", *high, script="sleep 300")
    run.runs(job, 6)
    return victim


SAVING = """trap 'echo step 12 >"$BERTH_CHECKPOINT"' TERM
touch "$BERTH_CHECKPOINT.up"
while :; do sleep 0.1; done
"""


def saves_first(run, node, high=("-p", "top"), low=()):
    """A run is warned, saves its checkpoint, and only then waits again."""
    name = f"saved-{uuid.uuid4().hex[:8]}"
    victim = one_node(run, node, f"--berth-checkpoint={name}", *low, script=SAVING)
    run.wait("the script to be ready", lambda: run.file(f"{name}.up") is not None)
    job = run.sbatch("-w", node, "--exclusive", "-t", "10", *high, script="sleep 300")
    run.runs(job, 8)
    same([run.squeue(victim, "%t"), run.file(name)], ["PD", "step 12\n"])


def spares(run, high=("-p", "top"), low=()):
    """A job waits for the run of the other, which goes on."""
    victim = one_node(run, "n1", *low)
    job = run.sbatch("-w", "n1", "--exclusive", "-t", "10", *high, script="sleep 300")
    time.sleep(GRACE)
    same([run.squeue(victim, "%t"), run.squeue(job, "%t")], ["R", "PD"])


def ends_first(run, high=("-p", "top")):
    """Which of two runs, the older or the younger, makes room for a job that may go to the node of either."""
    both = [one_node(run, "n1"), one_node(run, "n2")]
    run.runs(run.sbatch("-N1", "--exclusive", "-t", "10", *high, script="sleep 300"), 6)
    return ["older", "younger"][[run.squeue(job, "%t") == "R" for job in both].index(False)]


@key("slurm.conf", "PreemptType", "preempt/partition_prio", seen="a job of a higher partition takes the place of a run")
def preempt_type(run):
    run.configure("PreemptMode=REQUEUE", partitions=TOP)
    preempts(run)


@key("slurm.conf", "PreemptMode", "REQUEUE", seen="a run that is preempted waits again")
def preempt_mode(run):
    run.configure("PreemptType=preempt/partition_prio", partitions=TOP)
    same(run.squeue(preempts(run), "%t"), "PD")


@key("slurm.conf", "PreemptExemptTime", "10:00", seen="a run is not preempted in its first ten minutes")
def preempt_exempt_time(run):
    run.configure(*BY_PARTITION, partitions=TOP)
    spares(run)


@key("slurm.conf", "PreemptParameters", "youngest_first", seen="the run that began last is preempted")
def preempt_parameters(run):
    run.configure(*BY_PARTITION, partitions=TOP)
    same(ends_first(run), "younger")


@key("PreemptParameters", "youngest_first", "", seen="the run that began last is preempted")
def youngest_first(run):
    preempt_parameters(run)


@key("SchedulerParameters", "preempt_youngest_first", "", seen="the run that began last is preempted")
def preempt_youngest_first(run):
    preempt_parameters(run)


@key("PreemptParameters", "min_exempt_priority", "50", seen="a run that began with more is not preempted")
def min_exempt_priority(run):
    run.configure(*BY_PARTITION, partitions=TOP)
    spares(run, low=("--priority=100",))


def takes_a_license(run, high=("-p", "top")):
    victim = one_node(run, "n1", "-L", "matlab")
    run.runs(run.sbatch("-w", "n2", "-L", "matlab", "-t", "10", *high, script="sleep 300"), 6)
    see(run.squeue(victim, "%t") != "R")


@key("PreemptParameters", "reclaim_licenses", "", seen="a run makes room for the license that a job lacks")
def reclaim_licenses(run):
    run.configure(*BY_PARTITION, "Licenses=matlab:1", partitions=TOP)
    takes_a_license(run)


def has_its_signal(run, high=("-p", "top"), low=()):
    name = f"signal-{uuid.uuid4().hex[:8]}"
    one_node(run, "n1", "--signal=B:USR1@60", *low, script=f"trap 'touch {name}' USR1; touch {name}-ready; while :; do sleep 0.1; done")
    run.wait("the trap", lambda: run.file(f"{name}-ready") is not None, 3)
    run.sbatch("-w", "n1", "--exclusive", "-t", "10", *high)
    run.wait("the signal", lambda: run.file(name) is not None, 4)


GRACEFUL = [PARTITIONS[0] + " GraceTime=20", *TOP[1:]]


@key("PreemptParameters", "send_user_signal", "", seen="a run that is preempted gets the signal of its --signal")
def send_user_signal(run):
    run.configure(*BY_PARTITION, partitions=GRACEFUL)
    has_its_signal(run)


@key("SchedulerParameters", "preempt_send_user_signal", "", seen="a run that is preempted gets the signal of its --signal")
def preempt_send_user_signal(run):
    send_user_signal(run)


# ---- Partitions.

@key("partition", "PreemptMode", "CANCEL", seen="a run there is cancelled and does not wait again")
def partition_mode(run):
    run.configure(*BY_PARTITION, partitions=[PARTITIONS[0] + " {it}", *TOP[1:]])
    same(run.squeue(preempts(run), "%t"), "PR")


@key("partition", "GraceTime", "60", seen="a run there goes on after the decision")
def partition_grace(run):
    run.configure(*BY_PARTITION, partitions=[PARTITIONS[0] + " {it}", *TOP[1:]])
    spares(run)


def yaml_partition(run, **values):
    """One whose runs are preempted."""
    run.configure(*BY_PARTITION, partitions=[PARTITIONS[0] + " PriorityTier=5"],
                  yaml={"partitions": [{"name": "low", "nodes": "n[1-2]", "max_time": "1-0"} | values]})


@yaml_key("partitions.preempt_mode", seen="a run there is cancelled and does not wait again; or saves a checkpoint first")
def yaml_partition_mode(run):
    yaml_partition(run, preempt_mode="cancel")
    same(run.squeue(preempts(run, high=("-p", "main"), low=("-p", "low")), "%t"), "PR")
    yaml_partition(run, preempt_mode="checkpoint")
    saves_first(run, "n2", high=("-p", "main"), low=("-p", "low"))


@yaml_key("partitions.grace_time", seen="a run there goes on after the decision")
def yaml_partition_grace(run):
    yaml_partition(run, grace_time=60)
    spares(run, high=("-p", "main"), low=("-p", "low"))


# ---- berth.yaml: preemption and QOS.

def yaml(run, *lines, partitions=TOP, qos=(), **preemption):
    run.configure(*lines, partitions=partitions, yaml={"preemption": {"by": "partition", "mode": "requeue"} | preemption, "qos": list(qos)})


@yaml_key("preemption", seen="a job of a higher partition takes the place of a run")
def preemption(run):
    yaml(run)
    preempts(run)


@yaml_key("preemption.by", seen="a job of a higher partition takes the place of a run")
def by(run):
    preemption(run)


@yaml_key("preemption.mode", seen="a run that is preempted is cancelled; or saves a checkpoint first")
def mode(run):
    run.configure(*BY_PARTITION, partitions=TOP, yaml={"preemption": {"mode": "cancel"}})
    same(run.squeue(preempts(run), "%t"), "PR")
    run.configure(*BY_PARTITION, partitions=TOP, yaml={"preemption": {"mode": "checkpoint"}})
    saves_first(run, "n2")


@yaml_key("preemption.within", seen="a job takes the place of a run of its own QOS with less priority")
def within(run):
    yaml(run, by="qos", within=True)
    preempts(run, high=("--priority=1000",), low=("--priority=10",))


@yaml_key("preemption.exempt", seen="a run is not preempted in its first ten minutes")
def exempt(run):
    yaml(run, exempt="10:00")
    spares(run)


@yaml_key("preemption.exempt_priority", seen="a run that began with more is not preempted")
def exempt_priority(run):
    yaml(run, exempt_priority=50)
    spares(run, low=("--priority=100",))


@yaml_key("preemption.youngest_first", seen="the run that began last is preempted")
def yaml_youngest_first(run):
    yaml(run, youngest_first=True)
    same(ends_first(run), "younger")


@yaml_key("preemption.user_signal", seen="a run that is preempted gets the signal of its --signal")
def user_signal(run):
    yaml(run, user_signal=True, partitions=GRACEFUL)
    has_its_signal(run)


@yaml_key("preemption.reclaim_licenses", seen="a run makes room for the license that a job lacks")
def yaml_reclaim_licenses(run):
    yaml(run, "Licenses=matlab:1", reclaim_licenses=True)
    takes_a_license(run)


@yaml_key("preemption.hold_timeout", seen="a job whose victim does not end soon takes the place of another")
def hold_timeout(run):
    yaml(run, hold_timeout="0:01")
    first, second = one_node(run, "n1"), one_node(run, "n2")
    run.stop_agent("n1")
    job = run.sbatch("-N1", "--exclusive", "-t", "10", "-p", "top", script="sleep 300")
    run.wait("the other one's place", lambda: run.squeue(job, "%N") == "n2", 8)
    same([run.squeue(first, "%t"), run.squeue(second, "%t")], ["CG", "PD"])


@yaml_key("preemption.min_difference", seen="a run with a little less priority is not preempted")
def min_difference(run):
    yaml(run, by="priority", min_difference=100)
    spares(run, high=("--priority=50",), low=("--priority=10",))


def older_and_newer(run):
    """A job that was held while a run of the same priority began, which was submitted after it."""
    older = run.sbatch("-w", "n1", "--exclusive", "-t", "10", "-H", "--priority=10", script="sleep 300")
    newer = one_node(run, "n1", "--priority=10")
    run.run("scontrol", "release", older)
    return older, newer


@yaml_key("preemption.preemption_policy", seen="a job takes the place of a run of its own priority that is newer")
def preemption_policy(run):
    yaml(run, by="priority", preemption_policy="PreemptAlways")
    older, newer = older_and_newer(run)
    run.runs(older, 6)
    same(run.squeue(newer, "%t") != "R", True)


@yaml_key("preemption.victims", seen="the run that loses the least work is preempted")
def victims(run):
    yaml(run, victims="cheapest_of_all")
    older = one_node(run, "n1")
    time.sleep(2.1)  # Whole seconds of work count.
    younger = one_node(run, "n2")
    run.runs(run.sbatch("-N1", "--exclusive", "-t", "10", "-p", "top", script="sleep 300"), 6)
    same([run.squeue(older, "%t"), run.squeue(younger, "%t") != "R"], ["R", True])


@yaml_key("preemption.victims_max", seen="two runs are not preempted for one job")
def victims_max(run):
    yaml(run, victims_max=1)
    both = [one_node(run, "n1"), one_node(run, "n2")]
    run.sbatch("-N2", "--exclusive", "-t", "10", "-p", "top", script="sleep 300")
    time.sleep(GRACE)
    same([run.squeue(job, "%t") for job in both], ["R", "R"])


@yaml_key("preemption.unless_within", seen="a job that will start within twenty minutes preempts nobody")
def unless_within(run):
    yaml(run, unless_within="20:00")
    spares(run)


def by_qos(run, **low):
    run.configure(*BY_QOS, yaml={"qos": [QOS[0], QOS[1] | low]})


HIGH_LOW = {"high": ("--qos=high",), "low": ("--qos=low",)}


@yaml_key("qos.preempt", seen="its jobs take the place of runs of the other")
def qos_preempt(run):
    by_qos(run)
    preempts(run, **HIGH_LOW)


@yaml_key("qos.preempt_mode", seen="a run of it is cancelled and does not wait again; or saves a checkpoint first")
def qos_preempt_mode(run):
    by_qos(run, preempt_mode="cancel")
    same(run.squeue(preempts(run, **HIGH_LOW), "%t"), "PR")
    by_qos(run, preempt_mode="checkpoint")
    saves_first(run, "n2", **HIGH_LOW)


@yaml_key("qos.grace_time", seen="a run of it goes on after the decision")
def qos_grace_time(run):
    by_qos(run, grace_time=60)
    spares(run, **HIGH_LOW)


@yaml_key("qos.preempt_exempt", seen="a run of it is not preempted in its first ten minutes")
def qos_preempt_exempt(run):
    by_qos(run, preempt_exempt="10:00")
    spares(run, **HIGH_LOW)


# ---- Priority classes.

CLASSES = {"high": {"value": 1000}, "low": {"value": 10, "global_default": True}}


def classes(run, **of_high):
    """Jobs of the class high preempt those without one."""
    yaml_of = {"preemption": {"by": "priority", "mode": "requeue"}, "priority_classes": CLASSES | {"high": CLASSES["high"] | of_high}}
    run.configure(yaml=yaml_of)


HIGH = ("--berth-priority-class=high",)


@yaml_key("priority_classes", seen="a job may name a class and has its priority")
def priority_classes(run):
    classes(run)
    preempts(run, high=HIGH)


@yaml_key("priority_classes.value", seen="a job whose class has less than others preempts nothing")
def priority_class_value(run):
    classes(run, value=5)
    spares(run, high=HIGH)


@yaml_key("priority_classes.global_default", seen="a job without a class has the priority of the default")
def priority_class_default(run):
    run.configure(yaml={"preemption": {"by": "priority", "mode": "requeue"}, "priority_classes": {"usual": {"value": 900, "global_default": True}}})
    spares(run, high=("--priority=500",))


@yaml_key("priority_classes.preemption_policy", seen="jobs of the class preempt nothing")
def priority_class_policy(run):
    classes(run, preemption_policy="Never")
    spares(run, high=HIGH)
