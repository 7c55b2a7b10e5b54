"""SchedulerType, SchedulerParameters and SlurmctldParameters."""

import http.client
import os
import socket
import time

from effect import same, see
from keys_case import PARTITIONS, USER, key

PEOPLE = {"accounts": [{"name": "bio", "users": ["root", USER]}], "qos": [{"name": "top", "priority": 100}]}


# ---- How far, and for whom, is planned: which of two jobs that wait for all nodes have a planned start.

def planned(run, *jobs):
    """Which have one: "yes" or "no" for each."""
    run.fill()
    numbers = [run.sbatch("-N2", "--exclusive", "-t", "5", *words) for words in jobs]
    run.wait("their reasons", lambda: all(run.squeue(number, "%r") != "None" for number in numbers), 2)
    return ["no" if run.squeue(number, "%S") == "N/A" else "yes" for number in numbers]


@key("SchedulerParameters", "bf_max_job_test", "1", seen="one job alone has a planned start")
def bf_max_job_test(run):
    run.configure()
    same(planned(run, (), ()), ["yes", "no"])


@key("slurm.conf", "SchedulerParameters", "bf_max_job_test=1", seen="one job alone has a planned start")
def scheduler_parameters(run):
    bf_max_job_test(run)


@key("SchedulerParameters", "bf_max_job_user", "1", seen="one job of a user has a planned start")
def bf_max_job_user(run):
    run.configure()
    same(planned(run, (), ()), ["yes", "no"])


@key("SchedulerParameters", "bf_max_job_part", "1", seen="one job of a partition has a planned start")
def bf_max_job_part(run):
    run.configure(partitions=[*PARTITIONS, "PartitionName=other Nodes=n[1-2]"])
    same(planned(run, (), ("-p", "other"), ()), ["yes", "yes", "no"])


@key("SchedulerParameters", "bf_job_part_count_reserve", "1", seen="one job of a partition has a planned start")
def bf_job_part_count_reserve(run):
    bf_max_job_part(run)


@key("SchedulerParameters", "bf_max_job_user_part", "1", seen="one job of a user in a partition has a planned start")
def bf_max_job_user_part(run):
    bf_max_job_part(run)


@key("SchedulerParameters", "bf_max_job_assoc", "1", seen="one job of a user's account has a planned start")
def bf_max_job_assoc(run):
    run.configure(yaml=PEOPLE)
    same(planned(run, (), ()), ["yes", "no"])


@key("SchedulerParameters", "bf_min_age_reserve", "3600", seen="a job has no planned start for an hour")
def bf_min_age_reserve(run):
    run.configure()
    same(planned(run, ()), ["no"])


@key("SchedulerParameters", "bf_min_prio_reserve", "500", seen="a job with a lower priority has no planned start")
def bf_min_prio_reserve(run):
    run.configure("PriorityWeightQOS=1000", yaml=PEOPLE)
    same(planned(run, ("--qos=top",), ()), ["yes", "no"])


@key("SchedulerParameters", "bf_window", "5", seen="a job that cannot start within five minutes has no planned start")
def bf_window(run):
    run.configure()
    same(planned(run, ()), ["no"])


# ---- Who may pass: a short job beside one that waits for both nodes.

def passes(run, *lines):
    """Whether it starts though it came later."""
    run.configure(*lines)
    run.runs(run.sbatch("-w", "n1", "--exclusive", "-t", "60", script="sleep 100"))
    run.sbatch("-N2", "--exclusive", "-t", "60")
    short = run.sbatch("-n1", "-t", "1", script="sleep 20")
    run.wait("it to start, or a reason", lambda: run.squeue(short, "%r") != "None" or run.squeue(short, "%t") == "R", 2)
    return run.squeue(short, "%t") == "R"


@key("slurm.conf", "SchedulerType", "sched/builtin", seen="nobody passes a job that waits")
def scheduler_type(run):
    see(not passes(run))


@key("SchedulerParameters", "bf_interval", "-1", seen="nobody passes a job that waits")
def bf_interval(run):
    see(not passes(run))


# ---- How many start, and how often.

def started(run, *lines):
    """How many of three tasks start at once."""
    run.configure(*lines)
    job = run.sbatch("-a", "1-3", script="sleep 20")
    run.wait("a start", lambda: "R" in run.squeue(job, "%t").split(), 2)
    return run.out("squeue", "-h", "-r", "-t", "R", "-o", "%i").count("\n")


@key("SchedulerParameters", "bf_max_job_start", "1", seen="one job starts in a cycle, the next one half a minute later")
def bf_max_job_start(run):
    same(started(run), 1)


@key("SchedulerParameters", "sched_max_job_start", "2", seen="two jobs start in a cycle")
def sched_max_job_start(run):
    same(started(run), 2)


def second_waits(run, *lines):
    """The second of two jobs has not started half a second after its submission."""
    run.configure(*lines)
    run.runs(run.sbatch(script="sleep 20"))
    job = run.sbatch(script="sleep 20")
    time.sleep(0.5)
    see(run.squeue(job, "%t") == "PD")
    run.runs(job, 4)


@key("SchedulerParameters", "sched_min_interval", "1500000", seen="the next cycle comes a second and a half after the first")
def sched_min_interval(run):
    second_waits(run)


@key("SchedulerParameters", "batch_sched_delay", "1", seen="a job starts a second after its submission")
def batch_sched_delay(run):
    second_waits(run)


@key("SchedulerParameters", "defer", "", seen="a job starts a millisecond after its submission")
def defer(run):
    job = run.simulated(jobs=[{}, {"at": 60}])[2]
    see(float(job["first_start_s"]) > float(job["submit_s"]), job)


@key("SchedulerParameters", "defer_batch", "", seen="a job starts after the answer to its submission, and not with it")
def defer_batch(run):
    defer(run)


@key("SchedulerParameters", "max_switch_wait", "1", seen="a job waits for one switch for no longer than a second")
def max_switch_wait(run):
    tree = "SwitchName=a Nodes=n1,n2\nSwitchName=b Nodes=n3,n4\nSwitchName=top Switches=a,b\n"
    run.configure("TopologyPlugin=topology/tree", files={"topology.conf": tree})
    for node in ("n1", "n3"):
        run.runs(run.sbatch("-p", "all", "-w", node, "--exclusive", "-t", "10", script="sleep 100"))
    job = run.sbatch("-p", "all", "-N2", "--exclusive", "-t", "10", "--switches=1@5:00", script="sleep 20")
    see(run.squeue(job, "%t") == "PD")
    run.runs(job, 3)


@key("SchedulerParameters", "nohold_on_prolog_fail", "", seen="a job whose prolog fails is not held")
def nohold_on_prolog_fail(run):
    failed = run.cluster.root / "failed"
    program = run.program("prolog", f"[ -e {failed} ] || {{ touch {failed}; exit 1; }}")
    run.configure(f"Prolog={program}")
    job = run.sbatch()
    run.wait("its end", lambda: run.squeue(job, "%t") == "CD", 4)


@key("SchedulerParameters", "enable_user_top", "", seen="a user moves a job of his own to the top", needs_root=True)
def enable_user_top(run):
    run.configure()
    run.fill()
    job = run.sbatch(user=USER)
    run.as_user("scontrol", "top", job)


# ---- How many requests a user may make: SlurmctldParameters.

class OverSocket(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


def statuses(run, count, uid=5, pause=0.0):
    """What so many requests of a user, one after the other, are answered with."""
    program = f"""
import sys, time; sys.path.insert(0, {os.path.dirname(__file__)!r}); sys.path.insert(0, {os.path.dirname(__file__) + '/../e2e'!r})
from keys_scheduler import OverSocket
connection = OverSocket({str(run.cluster.state / 'berthd.sock')!r})
for _ in range({count}):
    connection.request("GET", "/v1/ping", headers={{"Host": "berth"}})
    answer = connection.getresponse()
    answer.read()
    print(answer.status)
    time.sleep({pause})
"""
    return [int(word) for word in run.as_user("python3", "-c", program, user=uid).stdout.split()]


@key("SlurmctldParameters", "rl_enable", "", seen="a user who asks too often is turned away", needs_root=True)
def rl_enable(run):
    run.configure()
    see(429 in statuses(run, 60))


@key("slurm.conf", "SlurmctldParameters", "rl_enable", seen="a user who asks too often is turned away", needs_root=True)
def slurmctld_parameters(run):
    rl_enable(run)


@key("SlurmctldParameters", "rl_bucket_size", "3", seen="the fourth request at once is turned away", needs_root=True)
def rl_bucket_size(run):
    run.configure("SlurmctldParameters=rl_enable")
    same(statuses(run, 4), [200, 200, 200, 429])


@key("SlurmctldParameters", "rl_refill_rate", "1000", seen="a second later a thousand requests are answered again", needs_root=True)
def rl_refill_rate(run):
    run.configure("SlurmctldParameters=rl_enable,rl_bucket_size=5")
    same(statuses(run, 9, pause=0.25).count(429), 0)


@key("SlurmctldParameters", "rl_refill_period", "60", seen="a second later none is answered yet", needs_root=True)
def rl_refill_period(run):
    run.configure("SlurmctldParameters=rl_enable,rl_bucket_size=2")
    same(statuses(run, 6, pause=0.4), [200, 200, 429, 429, 429, 429])


@key("SlurmctldParameters", "rl_table_size", "1", seen="a second user is not counted", needs_root=True)
def rl_table_size(run):
    run.configure("SlurmctldParameters=rl_enable,rl_bucket_size=2,rl_refill_period=60")
    see(429 in statuses(run, 4))
    same(statuses(run, 4, uid=6), [200] * 4)
