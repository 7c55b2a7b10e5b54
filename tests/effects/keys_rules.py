"""Settings of the rules that berth.yaml names: of its order, of its placement, and of the terms of its priority."""

import subprocess
import time
from contextlib import ExitStack

from effect import same, see
from keys_case import key
from keys_policy import CORES, EQUAL_GPUS, GPUS_OR_CORES, first_of, placed, reads_from_files

# ---- The order. Where a word is withheld, all else stays.


@key("order", "{rule}", "", seen="the shorter of two jobs is first, where the rule stands in a map")
def order_rule(run):
    same(run.first(yaml={} if run.withheld else {"order": {"rule": "shortest_first"}}, jobs=[{"limit": 100}, {"limit": 10}]), 2)


@key("order", "{weight}", "", seen="the rule orders with any weight")
def order_weight(run):
    same(run.first(yaml={"order": {"rule": "shortest_first", "weight": 5}}, jobs=[{"limit": 100}, {"limit": 10}]), 2)


def map_of(run, rule, **settings):
    return {"rule": rule} | ({} if run.withheld else settings)


@key("order", "drf.by_account", "", seen="the account that has less of the cluster is first, whoever its user is")
def drf_by_account(run):
    run.key = map_of(run, "drf", by_account=1)
    accounts = [{"name": name, "shares": 1, "users": ["ann"]} for name in ("a", "b")]
    same(first_of(run, {"User": "ann", "Account": "a"}, {"User": "ann", "Account": "b"}, accounts=accounts, order=run.key), 2)


@key("order", "deserved_rounds.history", "", seen="what an account has used does not count: of two jobs the one that was submitted first is first")
def deserved_rounds_history(run):
    accounts = [{"name": name, "shares": 1, "users": ["ann"]} for name in ("a", "b")]
    same(run.first(yaml={"order": map_of(run, "deserved_rounds", history=0), "accounts": accounts},
                   before=[{"User": "ann", "Account": "a", "runs": 3600, "limit": 90}],
                   jobs=[{"at": 7200, "User": "ann", "Account": name} for name in ("a", "b")]), 1)


# ---- Placement: the set-ups of keys_policy.py, in which the rule alone chooses another node.

def placement_setting(name, value, node, setup, **others):
    """A job is on this node, and on another where the setting is withheld."""
    rule, setting = name.split(".")

    @key("placement", name, "", seen=f"a job is on {node}")
    def test(run):
        same(placed(run, {"rule": rule} | others | ({} if run.withheld else {setting: value}), *setup), [node])


CORES_BEFORE_GPUS = (("-c6", "--gpus=1"), ("-c1", "--gpus=2"), "--gpus=1")  # n1 has fewer cores left, n2 fewer GPUs.
placement_setting("best_fit.steps", 1, "n1", GPUS_OR_CORES)  # One step: all nodes are alike, and the first is taken.
placement_setting("dot_product.steps", 1, "n1", GPUS_OR_CORES)
placement_setting("worst_fit.steps", 1, "n1", CORES)
placement_setting("fragmentation.gpu_left", 0, "n1", CORES_BEFORE_GPUS)
placement_setting("fragmentation.cpu_left", 0, "n1", EQUAL_GPUS)


# What jobs usually ask for is counted over those that are there: here forty that are held, of each kind.

def usual_setting(name, value, node, nodes, usual, busy, words, **others):
    rule, setting = name.split(".")

    @key("placement", name, "", seen=f"a job is on {node}", world="alone")
    def test(run):
        rules = {"rule": rule} | others | ({} if run.withheld else {setting: value})
        with run.started("GresTypes=gpu,mps", nodes=[f"NodeName={host} CPUs=8 RealMemory=16000 Gres={gres}" for host, gres in nodes.items()],
                         partitions=["PartitionName=all Nodes=n[1-2] Default=YES MaxTime=1-0"], files={"gres.conf": ""}, yaml={"placement": rules}):
            for kind in usual:
                run.sbatch("-H", "-a", "0-39", kind)
            run.runs(run.sbatch("-w", "n2", "-t", "60", busy, script="sleep 60"))
            job = run.sbatch("-t", "60", words, script="sleep 60")
            run.runs(job)
            same(run.squeue(job, "%N"), node)


# n2 has one GPU left, and nothing left over is what counts: but of a type that others cannot do without.
usual_setting("fragmentation.scarce_type", 10_000_000, "n1", {"n1": "gpu:a100:4,mps:400", "n2": "gpu:h100:4,mps:400"},
              ("--gpus=h100:1",), "--gpus=3", "--gpus=1", gpu_left=1_000_000)
# On n2, 40 hundredths of a GPU would be left, too little for half of one. n1 has a whole GPU, which would be whole no more.
usual_setting("fragmentation.parts_count", 10, "n1", {"n1": "gpu:a100:1,mps:100", "n2": "gpu:a100:1,mps:100"},
              ("--gres=mps:50", "--gpus=1"), "--gres=mps:20", "--gres=mps:40")


@key("placement", "{rule}", "", seen="a job is on an empty node, where the rule stands in a map")
def placement_rule(run):
    same(placed(run, None if run.withheld else {"rule": "spread"}, *CORES), ["n3"])


@key("placement", "{weight}", "", seen="of two rules that want the opposite, the one with more weight decides")
def placement_weight(run):
    same(placed(run, ["pack", {"rule": "spread"} | ({} if run.withheld else {"weight": 100})], *CORES), ["n3"])


# ---- By load: under the rule's own numbers a job gets n2, with the setting n1. Of each GPU: utilisation, memory, temperature, power.

def load_setting(setting, value, n1, n2):
    @key("placement", f"least_loaded.{setting}", "", seen="a job is on n1", world="alone")
    def test(run):
        def node():
            job = run.sbatch("-p", "all", "-t", "60", "--gpus=1", script="sleep 300")
            run.runs(job)
            found = run.squeue(job, "%N")
            run.run("scancel", job)
            return found

        with ExitStack() as agents, run.started("SlurmdTimeout=6", yaml={"placement": "least_loaded"}):
            reads_from_files(run, agents)({"n1": n1, "n2": n2, "n3": "100 100 80 100", "n4": "100 100 80 100"})
            run.wait("a job on n2", lambda: node() == "n2", 15)  # Read every 5 s, told every 2.
            run.configure("SlurmdTimeout=6", yaml={"placement": map_of(run, "least_loaded", **{setting: value})})
            run.wait("a job on n1", lambda: node() == "n1", 6)


load_setting("utilisation", 1000, "20 80 40 20", "60 0 40 20")
load_setting("memory", 1000, "60 0 40 20", "20 60 40 20")
load_setting("temperature", 1000, "20 0 0 20", "0 0 40 20")
load_setting("power", 1000, "20 0 40 0", "0 0 40 60")
load_setting("hot", 50, "50 0 40 20", "0 0 60 20")
load_setting("fresh", 1, "90 90 40 90", "0 0 40 0")  # What was read longer ago says nothing, and the first node is taken.


# ---- Terms of a job's priority, by sprio's columns.

ACCOUNTS = [{"name": "bio", "priority": 10, "users": ["root"]}, {"name": "other", "users": [{"name": "games", "priority": 20}]}]
QOS = [{"name": "high", "priority": 10}, {"name": "low", "priority": 1}]
BEST = ["PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0 PriorityJobFactor=5", "PartitionName=best Nodes=n[1-2] PriorityJobFactor=10"]


def term(name, column, wanted, weight=1000, words=(), **conf):
    """With its weight alone, a job has so many points by the term; where the term is withheld, none."""
    @key("priority", name, "", seen="a job has its points")
    def test(run):
        yaml = {"accounts": ACCOUNTS, "qos": QOS, "priority": {} if run.withheld else {name: weight}}
        run.configure(yaml=yaml, **conf)
        points(run, column, wanted, *words)


def term_setting(name, setting, value, column, wanted, weight=1000, words=(), **conf):
    """The term has its weight in any case."""
    @key("priority", f"{name}.{setting}", "", seen="a job has other points")
    def test(run):
        run.configure(yaml={"accounts": ACCOUNTS, "qos": QOS, "priority": {name: {"weight": weight} | ({} if run.withheld else {setting: value})}}, **conf)
        points(run, column, wanted, *words)


def points(run, column, wanted, *words):
    """A job that waits has such points within three seconds; those of a term that Slurm does not have stand among others."""
    run.fill()
    job = run.sbatch(*words)

    def shown():
        text = run.out("sprio", "-h", "-j", job, "-o", f"{column};").strip().removesuffix(";").rpartition("=")[2]
        return text.isdigit() and wanted(int(text))
    run.wait("its points", shown, 3)


def is_(number):
    return lambda shown: shown == number


term("association", "%B", is_(500))
term("fair_share", "%F", lambda shown: shown > 0)
term("size", "%J", lambda shown: 0 < shown < 500)
term("partition", "%P", is_(500), partitions=BEST)
term("qos", "%Q", is_(100), words=("--qos=low",))
term("deadline", "%X", lambda shown: 490 <= shown <= 510, words=("-t", "60", "--deadline=now+12hours"))
term_setting("association", "plain", 1, "%B", is_(10_000))
term_setting("size", "favor_small", 1, "%J", lambda shown: shown > 500)
term_setting("size", "per_minute", 1, "%J", lambda shown: shown < 20, words=("-t", "60"))
term_setting("partition", "plain", 1, "%P", is_(5000), partitions=BEST)
term_setting("qos", "plain", 1, "%Q", is_(1000), words=("--qos=low",))
term_setting("deadline", "horizon", 2 * 24 * 3600, "%X", lambda shown: 740 <= shown <= 760, words=("-t", "60", "--deadline=now+12hours"))


@key("priority", "{weight}", "", seen="a term's weight, where it stands in a map")
def priority_weight(run):
    run.configure(yaml={"qos": QOS, "priority": {} if run.withheld else {"qos": {"weight": 1000}}})
    points(run, "%Q", is_(100), "--qos=low")


def waiting_term(name, terms, without):
    """Of two jobs the older and shorter one is first, though the other has the better QOS; under `without` it is not."""
    @key("priority", name, "", seen="the older job is first")
    def test(run):
        yaml = {"qos": [{"name": "top", "priority": 100}], "priority": without if run.withheld else terms}
        same(run.first("PriorityWeightQOS=1000", yaml=yaml, jobs=[{"limit": 10}, {"at": 300, "QOS": "top"}]), 1)


waiting_term("age", {"age": 6_000_000}, {})
waiting_term("age.max_age", {"age": {"weight": 60_000, "max_age": 10}}, {"age": {"weight": 60_000}})
waiting_term("xfactor", {"xfactor": 100_000}, {})
waiting_term("xfactor.most", {"xfactor": {"weight": 6000, "most": 1}}, {"xfactor": {"weight": 6000}})


def restarted(run, term):
    """The terms that sprio shows of a job that waits for its second run."""
    run.configure(yaml={"priority": term})
    job = run.sbatch(script="sleep 60")
    run.runs(job)
    run.run("scontrol", "requeuehold", job)
    run.wait("its first run to end", lambda: run.squeue(job, "%t") == "PD", 4)
    run.fill()
    run.run("scontrol", "release", job)

    def terms():
        done = run.run("sprio", "-h", "-j", job, "-o", "%X;")
        return done.stdout.strip().removesuffix(";") if ";" in done.stdout else None
    return run.wait("its priority", terms, 3)


@key("priority", "restarts", "", seen="a job that was requeued has more priority")
def restarts(run):
    same(restarted(run, {"xfactor": 1} | ({} if run.withheld else {"restarts": 900})).split(",")[-1], "restarts=300")


@key("priority", "restarts.most", "", seen="so many restarts have the full weight")
def restarts_most(run):
    same(restarted(run, {"restarts": {"weight": 900} | ({} if run.withheld else {"most": 1})}), "restarts=900")


@key("priority", "interactive", "", seen="a job of salloc is before one with a script")
def interactive(run):
    run.configure(yaml={"priority": {"age": 1} | ({} if run.withheld else {"interactive": 700})})
    run.fill()
    salloc = subprocess.Popen(["salloc", "-J", "sits", "-N2", "--exclusive", "true"], env=run.cluster.environment(), stderr=subprocess.DEVNULL)
    try:
        job = run.wait("its job", lambda: run.run("squeue", "-h", "-n", "sits", "-o", "%i").stdout.strip(), 3)
        see(run.wait("its priority", lambda: "interactive=700" in run.run("sprio", "-h", "-j", job, "-o", "%X;").stdout, 3))
    finally:
        salloc.terminate()
        salloc.wait()


@key("priority", "age.from_submission", "", seen="a job that may start only now is as old as its submission", world="alone")
def age_from_submission(run):
    age = {"weight": 3_600_000, "max_age": 3600} | ({} if run.withheld else {"from_submission": 1})  # A thousand points each second.
    with run.started(yaml={"priority": {"age": age}}):
        run.fill()
        submitted, job = time.time(), run.sbatch("--begin=now+6")

        def points():
            text = run.out("sprio", "-h", "-j", job, "-o", "%A;", ok=None).strip().removesuffix(";")
            return text.isdigit() and int(text)
        # Priorities are of the last full minute.
        first = run.wait("its first points", points, 75)
        same(round((time.time() // 60 * 60 - submitted - first / 1000) / 4), 0)
