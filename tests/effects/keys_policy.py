"""The rules that `order` and `placement` of berth.yaml name."""

import subprocess
from contextlib import ExitStack
from pathlib import Path

from effect import same, see
from keys_case import NODE, key

SMALL = {"nodes": ["NodeName=n[1-2] CPUs=8 RealMemory=16000 Gres=gpu:a100:4"], "partitions": ["PartitionName=main Nodes=n[1-2] Default=YES"],
         "files": {"gres.conf": ""}}
QOS = [{"name": "high"}, {"name": "low"}]


def order_key(name, seen):
    return key("order", name, "", seen=seen)


def rule(run):
    return {} if run.withheld else {"order": run.key}


def first_of(run, *pair, **yaml):
    """Ann has a node, and another one is waited for."""
    return run.first(jobs=list(pair), before=[{"User": "ann", "Account": "a", "runs": 100_000, "limit": 10_000}], yaml=rule(run) | yaml, **SMALL)


@order_key("shortest_first", seen="the shorter of two jobs is first")
def shortest_first(run):
    same(first_of(run, {"limit": 100}, {"limit": 10}), 2)


@order_key("round_robin", seen="who has no job that runs is first")
def round_robin(run):
    same(first_of(run, {"User": "ann"}, {"User": "bob"}), 2)


@order_key("drf", seen="who has less of the cluster is first")
def drf(run):
    same(first_of(run, {"User": "ann"}, {"User": "bob"}), 2)


@order_key("weighted_fair", seen="the account with more shares is first")
def weighted_fair(run):
    accounts = [{"name": "a", "shares": 1, "users": ["ann"]}, {"name": "b", "shares": 5, "users": ["bob"]}]
    same(first_of(run, {"User": "ann", "Account": "a"}, {"User": "bob", "Account": "b"}, accounts=accounts), 2)


@order_key("hierarchical_drf", seen="the account that has less of the cluster is first, whoever its user is")
def hierarchical_drf(run):
    same(first_of(run, {"User": "ann", "Account": "a"}, {"User": "ann", "Account": "b"}), 2)


@order_key("deserved_rounds", seen="the account that has less of its fair share is first, whoever its user is")
def deserved_rounds(run):
    same(first_of(run, {"User": "ann", "Account": "a"}, {"User": "ann", "Account": "b"}), 2)


@order_key("qssf", seen="the job that is expected to take less GPU time is first, though it is longer")
def qssf(run):
    same(first_of(run, {"limit": 10, "tres": ",gres/gpu=4"}, {"limit": 20, "tres": ",gres/gpu=1"}), 2)


@order_key("three_levels", seen="the job of QOS high is first")
def three_levels(run):
    same(first_of(run, {"QOS": "low"}, {"QOS": "high"}, qos=QOS), 2)


@order_key("least_attained", seen="a job that has not run is before one that has and was put back into the queue")
def least_attained(run):
    jobs = [{"runs": 10 * 3600}, {"at": 3700, "runs": 600}, {"at": 5000, "runs": 600}]
    done = run.simulated("SchedulerParameters=bf_max_job_test=1", jobs=[job | {"limit": 24 * 60, "tres": ",gres/gpu=4"} for job in jobs],
                         options=("--time-slice", "1:00:00", "--checkpoint", "0:10:00"), yaml=rule(run),
                         nodes=["NodeName=n1 CPUs=8 RealMemory=16000 Gres=gpu:a100:4"], partitions=["PartitionName=main Nodes=n1 Default=YES"])
    same(done[3]["first_start_s"], done[2]["end_s"])


# ---- Placement: n1 has a job, n2 another one, n3 and n4 have none. Which node does a third job get? Without a rule of the file it is
# placed by Weight, and where that is equal by pack: each set-up is one in which these two choose another node.

def placed(run, rules, small, large, *words, weights=("", "", "", ""), jobs=1):
    """The nodes of so many jobs, one after the other, under these rules."""
    run.configure(nodes=[f"NodeName=n{i} {NODE} {weight}" for i, weight in enumerate(weights, 1)], yaml={"placement": rules} if rules else None)
    for node, size in (("n1", small), ("n2", large)):
        if size:
            run.runs(run.sbatch("-p", "all", "-w", node, "-t", "60", *size, script="sleep 60"))
    found = []
    for _ in range(jobs):
        job = run.sbatch("-p", "all", "-t", "60", *words, script="sleep 60")
        run.runs(job)
        found.append(run.squeue(job, "%N"))
    return found


def named(run):
    return None if run.withheld else run.key


def placement_key(name, node, *arguments, **more):
    @key("placement", name, "", seen=f"a job is on {node}")
    def test(run):
        same(placed(run, named(run), *arguments, **more), [node])


CORES = (("-c2",), ("-c6",), "-c1")
GPUS = (("--gpus=1",), ("--gpus=3",), "--gpus=1")
GPUS_OR_CORES = (("-c1", "--gpus=2"), ("-c6", "--gpus=1"), "-c1")  # n1 has fewer GPUs left, n2 fewer cores.
EQUAL_GPUS = (("-c1", "--gpus=1"), ("-c6", "--gpus=1"), "--gpus=1")
LIGHT_N4 = ("Weight=5", "Weight=5", "Weight=5", "Weight=1")
placement_key("pack", "n2", *CORES, weights=LIGHT_N4)
placement_key("best_fit", "n2", *GPUS_OR_CORES)
placement_key("dot_product", "n2", *GPUS_OR_CORES)
placement_key("spread", "n3", *CORES)
placement_key("worst_fit", "n3", *CORES)
placement_key("idle_cpus", "n3", *CORES)
placement_key("first_fit", "n1", *CORES)
placement_key("weight", "n1", *CORES, weights=("Weight=1", "Weight=1", "Weight=5", "Weight=5"))
placement_key("fgd", "n1", *GPUS)
placement_key("fragmentation", "n2", *GPUS, weights=LIGHT_N4)
placement_key("gpu_packing", "n1", *EQUAL_GPUS)
placement_key("gpu_clustering", "n1", *GPUS)


@key("placement", "random", "", seen="equal jobs are on several nodes")
def placement_random(run):
    see(len(set(placed(run, named(run), None, None, "-c1", jobs=6))) > 1)


# ---- By load: what the agents read of their GPUs decides, whatever the jobs hold.

def reads_from_files(run, agents):
    """Each agent starts again with --gpu-readings; a function that writes how busy the GPUs of each node are."""
    for node in LOADS[0]:
        pid = run.cluster.pid(f"agent-{node}")
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode().rstrip("\0").split("\0")
        run.cluster.kill(f"agent-{node}")
        agent = subprocess.Popen([*command, "--gpu-readings", run.cluster.root / f"{node}.gpus"], cwd=run.cluster.work,
                                 env=run.cluster.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        agents.callback(agent.wait)
        agents.callback(agent.kill)

    def write(loads):
        for node, load in loads.items():
            fresh = run.cluster.root / f"{node}.new"
            fields = load if isinstance(load, str) else f"{load} {load} 40 {load}"
            fresh.write_text("".join(f"{gpu} {fields}\n" for gpu in range(4)))
            fresh.rename(run.cluster.root / f"{node}.gpus")
    return write


LOADS = ({"n1": 90, "n2": 50, "n3": 5, "n4": 70}, {"n1": 80, "n2": 5, "n3": 95, "n4": 60})


@key("placement", "least_loaded", "", seen="a job gets the node whose GPUs do the least, as their agents read them")
def least_loaded(run):
    def node():
        job = run.sbatch("-p", "all", "-t", "60", "--gpus=1", script="sleep 300")
        run.runs(job)
        found = run.squeue(job, "%N")
        run.run("scancel", job)
        return found

    with ExitStack() as agents, run.started("SlurmdTimeout=6", yaml=None if run.withheld else {"placement": run.key}):
        write = reads_from_files(run, agents)
        for loads, calmest in zip(LOADS, ("n3", "n2")):
            write(loads)
            run.wait(f"a job on {calmest}", lambda: node() == calmest, 15)  # Read every 5 s, told every 2.
