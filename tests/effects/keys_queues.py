"""Queues of berth.yaml: what each key keeps a job from using, that would start without it; and what is lent coming back."""

from effect import same, see
from keys_case import NODE, key
from keys_preempt import preempts, spares

ACCOUNTS = [{"name": name, "users": ["root"]} for name in ("vision", "speech", "guests")]
LENDER = {"nominal": "cpu=8"}
GPUS_OF_N2 = "NodeName=n2 Name=gpu Type=a100 Count=4\n"
NODES_BEYOND = [f"NodeName=n[3-4] {NODE}"]


def bounds(name, vision, speech, cpus):
    """Vision runs a job of so many CPUs, and one more waits for its quota."""

    @key("berth.yaml", name, "", seen="a job that would use more waits")
    def test(run):
        queues = {"vision": vision} | ({"speech": speech} if speech else {})
        run.configure(yaml={"accounts": ACCOUNTS, "queues": queues})
        run.runs(run.sbatch("-A", "vision", f"-c{cpus}", script="sleep 60"))
        run.waits_for(run.sbatch("-A", "vision", "-c1"), "AssocGrpCpuLimit")


bounds("queues", {"nominal": "cpu=2"}, None, 2)
bounds("queues.nominal", {"nominal": "cpu=2"}, None, 2)
bounds("queues.limit", {"nominal": "cpu=2", "limit": "cpu=3"}, LENDER, 3)
bounds("queues.guarantee", {"nominal": "cpu=2"}, LENDER | {"guarantee": "cpu=8"}, 2)
bounds("queues.lend_max", {"nominal": "cpu=2"}, LENDER | {"lend_max": "cpu=0"}, 2)
bounds("queues.borrow_max", {"nominal": "cpu=2", "borrow_max": "cpu=1"}, LENDER, 3)
bounds("queues.lenders", {"nominal": "cpu=2", "lenders": ["guests"]}, LENDER, 2)
bounds("queues.max_borrow_ratio", {"nominal": "cpu=2", "max_borrow_ratio": 0.5}, LENDER, 3)


def tells_apart(name, flavor, first, second):
    """Vision has two CPUs on n1, which is of the flavor, and no bound on n2, which is not."""

    @key("berth.yaml", name, "", seen="the quota of a flavor counts what runs on its nodes, and nothing else")
    def test(run):
        gres = "NodeName=n[1,3-4] Name=gpu Type=a100 Count=4\n" + (GPUS_OF_N2 if "Gres" in second else "")
        run.configure(files={"gres.conf": gres}, yaml={"accounts": ACCOUNTS, "flavors": {"some": flavor}, "queues": {"vision": {"limit": "cpu:some=2"}}},
                      nodes=[f"NodeName=n1 {first}", f"NodeName=n2 {second}", *NODES_BEYOND])
        run.runs(run.sbatch("-A", "vision", "-wn2", "-c3", script="sleep 60"))
        run.runs(run.sbatch("-A", "vision", "-wn1", "-c2", script="sleep 60"))
        run.waits_for(run.sbatch("-A", "vision", "-wn1", "-c1"), "AssocGrpCpuLimit")
        anywhere = run.sbatch("-A", "vision", "-N1", "-c1", script="sleep 60")
        run.runs(anywhere)
        same(run.out("squeue", "-h", "-j", anywhere, "-O", "Flavor").strip(), "none")


tells_apart("flavors", {"nodes": "n1"}, NODE, NODE)
tells_apart("flavors.nodes", {"nodes": "n1", "gpu_type": "a100"}, NODE, NODE)
tells_apart("flavors.features", {"gpu_type": "a100", "features": ["fast"]}, f"{NODE} Feature=fast", NODE)
tells_apart("flavors.gpu_type", {"nodes": "n[1-2]", "gpu_type": "a100"}, NODE, "CPUs=8 RealMemory=16000")


@key("berth.yaml", "preemption.reclaim", "", seen="a run that borrows waits again once the lender needs its node")
def reclaim(run):
    queues = {"vision": {"nominal": "node=0"}, "speech": {"nominal": "node=1"}}
    run.configure(yaml={"accounts": ACCOUNTS, "queues": queues, "preemption": {"reclaim": "requeue"}})
    same(run.squeue(preempts(run, high=("-A", "speech"), low=("-A", "vision")), "%t"), "PD")


def protects(name, value, seen):
    """Speech needs its node back, but what vision says keeps the run that borrows it."""

    @key("berth.yaml", f"queues.{name}", "", seen=seen)
    def test(run):
        queues = {"vision": {"nominal": "node=0", name: value}, "speech": {"nominal": "node=1"}}
        run.configure(yaml={"accounts": ACCOUNTS, "queues": queues, "preemption": {"reclaim": "requeue"}})
        spares(run, high=("-A", "speech"), low=("-A", "vision"))


protects("allow_preemption", False, "a run of the queue is never preempted")
protects("allow_preempt_from", ["vision"], "a run of the queue is not preempted for a queue that is not named")
protects("grace_period", 60, "a run of the queue goes on after the decision")


def admits(name, value, words, too_many, seen):
    """Vision admits the first job, and not one that is beyond its bound."""

    @key("berth.yaml", f"queues.{name}", "", seen=seen)
    def test(run):
        run.configure(yaml={"accounts": ACCOUNTS, "queues": {"vision": {name: value}}})
        run.runs(run.sbatch("-A", "vision", *words, script="sleep 60"))
        see("violates" in run.refused("-A", "vision", *too_many), "it is admitted")


admits("max_jobs", 1, (), (), "a second job of the queue is refused")
admits("max_gpus_per_job", 4, ("-N1", "--gres=gpu:4"), ("-N1-2", "--gres=gpu:4"), "a job that may have more GPUs is refused")
admits("priority_range", [10, 100], ("--priority=10",), ("--priority=101",), "a job of another priority is refused")
