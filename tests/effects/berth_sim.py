"""berth sim: what each option makes of a small workload in virtual time."""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from berth_jobs import berth_option
from cluster import BIN
from commands import Asked
from effect import NoEffect, same, see
from worlds import WORLDS, none

WORLDS["papers"] = none
CLUSTER = """cluster: sim
nodes:
  - {name: 'gpu[1-2]', cpus: 64, memory_mb: 512000, gres: 'gpu:a100:8'}
partitions:
  - {name: main, nodes: ALL, default: yes}
"""
TRACES = Path(os.environ.get("BERTH_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "traces"


class Sim(Asked):
    """A folder with a configuration c.yaml, and one of a single node, d.yaml."""

    def sim(self, *others, given=True, ok=True):
        """What `berth sim …` prints in a folder of its own; files it wrote are in self.files by name."""
        with tempfile.TemporaryDirectory(prefix="berth-sim.") as name:
            folder = Path(name)
            (folder / "c.yaml").write_text(CLUSTER)
            (folder / "d.yaml").write_text(CLUSTER.replace("[1-2]", "1"))
            words = [BIN / "berth", *self.command.split(), *others, *(self.words() if given else ())]
            done = subprocess.run(words, cwd=folder, text=True, capture_output=True,
                                  timeout=300,  # Sanitized programs are slow: a table of Kueue's takes 50 s there.
                                  env=os.environ | {"BERTH_STATE": f"{name}/nowhere"})
            if ok is not None and (done.returncode == 0) != ok:
                raise NoEffect(f"exit {done.returncode}: {done.stderr}")
            self.files = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
            return done.stdout + done.stderr

    def figures(self, *others, jobs="generate:philly:100", given=True):
        """Those of the run of a policy."""
        self.sim("--trace", jobs, "--cluster", "c.yaml", "--json", "figures.json", *others, given=given)
        whole = json.loads(self.files["figures.json"])
        return whole | whole["runs"][0]


def sim_option(name, value=None, seen=""):
    command, option = name.removeprefix("berth ").rsplit(" --", 1)
    return berth_option(option, value, seen, (command,), world="alone", case=Sim)


BUSY = ("--scale-load", "5")
FAULTS = ("--first", "25", "--node-mtbf", "0-12")


# ---- berth sim run.

@sim_option("berth sim run --trace", "generate:venus:7", seen="its jobs run: without one nothing does")
def trace(run):
    see("generate:venus:7: 7 jobs" in run.sim("--cluster", "c.yaml"))


@sim_option("berth sim run --cluster", "d.yaml", seen="the cluster that they run on")
def cluster(run):
    see("1 nodes, 8 GPUs" in run.sim("--trace", "generate:philly:7"))


@sim_option("berth sim run --policy", "sjf", seen="short jobs go first: the mean is less")
def policy(run):
    see(run.figures(*BUSY)["all"]["jct_s"]["mean"] < run.figures(*BUSY, given=False)["all"]["jct_s"]["mean"])


@sim_option("berth sim run --scale-load", "5", seen="the offered load")
def scale_load(run):
    same(round(run.figures()["offered_load"], 3), 5)


@sim_option("berth sim run --first", "10", seen="so many jobs")
def first(run):
    same(run.figures()["jobs"]["submitted"], 10)


@sim_option("berth sim run --limits", "exact", seen="other gaps are filled")
@sim_option("berth sim run --moves", "0", seen="other starts are moved")
@sim_option("berth sim run --agent-latency", "60000", seen="starts are later")
@sim_option("berth sim run --seed", "5", seen="another workload of the same kind")
def course(run):
    see(run.figures(*BUSY)["all"] != run.figures(*BUSY, given=False)["all"])


@sim_option("berth sim run --node-mtbf", "0-12", seen="runs are lost")
def node_mtbf(run):
    see(run.figures("--first", "25", "--checkpoint", "5")["jobs"]["lost_runs"] > 0)


@sim_option("berth sim run --node-repair", "1", seen="nodes are back sooner than after four hours")
def node_repair(run):
    see(run.figures(*FAULTS, "--checkpoint", "5")["makespan_s"] < run.figures(*FAULTS, "--checkpoint", "5", given=False)["makespan_s"])


@sim_option("berth sim run --restart-cost", "5:00:00", seen="it takes longer")
def restart_cost(run):
    see(run.figures(*FAULTS, "--checkpoint", "5")["makespan_s"] > run.figures(*FAULTS, "--checkpoint", "5", given=False)["makespan_s"])


@sim_option("berth sim run --checkpoint", "5", seen="less is lost than with one in five hours")
def checkpoint(run):
    seldom = ("--checkpoint", "5:00:00")
    see(run.figures(*FAULTS, *(seldom if run.withheld else ()))["makespan_s"] < run.figures(*FAULTS, *seldom, given=False)["makespan_s"])


@sim_option("berth sim run --time-slice", "1:00:00", seen="jobs are put back")
def time_slice(run):
    see(run.figures(*BUSY, "--checkpoint", "1")["jobs"]["preemptions"] > 0)


@sim_option("berth sim run --json", "out.json", seen="the file")
@sim_option("berth sim run --csv", "out.csv", seen="the file")
@sim_option("berth sim run --report", "out.html", seen="the file")
def out_file(run):
    run.sim("--trace", "generate:philly:7", "--cluster", "c.yaml")
    see(run.value in run.files)


@sim_option("berth sim run --no-timings", seen="the same bytes each time")
def no_timings(run):
    def text():
        run.figures()
        return run.files["figures.json"]
    same(text(), text())


def one_at_a_time(run, *words):
    """With --threads=1 there is one thread that works, beside the first."""
    with tempfile.TemporaryDirectory(prefix="berth-sim.") as name:
        (Path(name) / "c.yaml").write_text(CLUSTER)
        process = subprocess.Popen([BIN / "berth", "sim", *words, *run.words(), *(("--threads=3",) if run.withheld else ())], cwd=name,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        most = 0
        while process.poll() is None:
            try:
                most = max(most, len(list(Path(f"/proc/{process.pid}/task").iterdir())))
            except OSError:
                break
            time.sleep(0.005)
        process.wait()
    see(0 < most <= 2, f"{most} threads")


@sim_option("berth sim run --threads", "1", seen="one simulation after the other")
def threads(run):
    one_at_a_time(run, "run", "--trace", "philly", "--cluster", "c.yaml", "--policy", "fifo,sjf,drf")


# ---- berth sim compare.

def compared(run, *others, **more):
    return run.sim(*others, **more)


@sim_option("berth sim compare --a", "d.yaml", seen="what is compared with the other")
def compare_a(run):
    see("A is d.yaml" in compared(run, "--b", "c.yaml", "--trace", "generate:philly:7", *(("--a", "c.yaml") if run.withheld else ())))


@sim_option("berth sim compare --b", "d.yaml", seen="what it is compared with")
def compare_b(run):
    see("B is d.yaml" in compared(run, "--a", "c.yaml", "--trace", "generate:philly:7"))


@sim_option("berth sim compare --trace", "generate:venus:7", seen="the jobs")
def compare_trace(run):
    see("7 jobs" in compared(run, "--a", "c.yaml", "--b", "d.yaml"))


@sim_option("berth sim compare --seed", "5", seen="another workload of the same kind")
def compare_seed(run):
    words = ("--a", "c.yaml", "--b", "d.yaml", "--trace", "generate:philly:50")
    see(compared(run, *words) != compared(run, *words, given=False))


@sim_option("berth sim compare --json", "out.json", seen="the file")
def compare_json(run):
    compared(run, "--a", "c.yaml", "--b", "d.yaml", "--trace", "generate:philly:7")
    see("out.json" in run.files)


@berth_option("from-history", seen="the cluster's own jobs", commands=("sim compare",))
def from_history(run):
    own_jobs(run, *run.words())


@berth_option("state", lambda c: str(c.state), seen="that cluster's jobs and configuration", commands=("sim compare",))
def compare_state(run):
    own_jobs(run, "--from-history", *run.words(), env={"BERTH_STATE": f"{run.cluster.root}/nowhere"})


def own_jobs(run, *words, **more):
    run.run("sbatch", "--wait", "-o", "/dev/null", "--gpus=1", "--wrap", "true")
    other = run.cluster.work / "other.yaml"
    other.write_text(CLUSTER)
    see("jobs" in run.out("berth", "sim", "compare", "--b", str(other), *words, **more))


# ---- berth sim world.

@sim_option("berth sim world --seeds", "2", seen="so many worlds")
def seeds(run):
    see("2 worlds" in run.sim(*(("--seeds=1",) if run.withheld else ())))


@sim_option("berth sim world --first", "5", seen="the first of them")
def first_seed(run):
    see("seed 5:" in run.sim("--seeds=1", "--hashes"))


@sim_option("berth sim world --hashes", seen="the state in which each ends")
def hashes(run):
    see("seed 1:" in run.sim("--seeds=1", "--first=1"))


# ---- berth sim table.

@sim_option("berth sim table backfill --jobs", "30", seen="so many jobs of each mix")
@sim_option("berth sim table backfill --nodes", "16", seen="so many nodes")
def backfill(run):
    others = {"jobs": "--nodes=16", "nodes": "--jobs=30"}[run.option]
    smaller = () if not run.withheld else ("--jobs=40",) if run.option == "jobs" else ("--nodes=17",)
    see("30 jobs each, 16 nodes" in run.sim(others, *smaller))


@sim_option("berth sim table backfill --seed", "5", seen="other workloads")
def backfill_seed(run):
    words = ("--jobs=30", "--nodes=16")
    without_times = lambda text: [line.split()[:-1] for line in text.splitlines()]
    see(without_times(run.sim(*words)) != without_times(run.sim(*words, given=False)))


def kueue(run, *others, given=True):
    """One cohort of the smaller workload; few turns, since each takes long in virtual time."""
    usual = {"only": "--only=baseline", "cohorts": "--cohorts=1", "turn-cost": "--turn-cost=50000"}
    return run.sim(*(word for option, word in usual.items() if option != run.option), *others, given=given)


@sim_option("berth sim table kueue --only", "baseline", seen="no other workload")
def kueue_only(run):
    see("large-scale" not in kueue(run))


@sim_option("berth sim table kueue --cohorts", "1", seen="the jobs of so many cohorts")
def kueue_cohorts(run):
    see(["baseline", "3000", "makespan,"] in [line.split()[:3] for line in kueue(run).splitlines()])


@sim_option("berth sim table kueue --turn-cost", "20000", seen="so much time for each turn, and later starts")
def kueue_turn_cost(run):
    see("as --turn-cost says" in kueue(run))


@sim_option("berth sim table kueue --json", "out.json", seen="the file")
def kueue_json(run):
    kueue(run)
    see("out.json" in run.files)


# ---- Papers' tables, in a world of their own: they need the traces (BERTH_SHARED).

def paper_option(name, value=None, seen=""):
    command, option = name.removeprefix("berth ").rsplit(" --", 1)
    return berth_option(option, value, seen, (command,), world="papers", case=Sim)


def muri(run, *others):
    return run.sim("--traces", str(TRACES), *others)


def openb(run, *others, given=True):
    """It exits 1 where a figure is off; which it is does not matter here."""
    return run.sim("--traces", str(TRACES), "--runs=1" if run.option != "runs" else "--threads=2", *others, given=given, ok=None)


ONE = ("--only", "FGD")


@paper_option("berth sim table muri --traces", str(TRACES), seen="the table: without traces there is none")
def muri_traces(run):
    see("avg_jct" in run.sim())


@paper_option("berth sim table muri --json", "out.json", seen="the file")
def muri_json(run):
    muri(run)
    see("out.json" in run.files)


@paper_option("berth sim table openb --traces", str(TRACES), seen="the table: without traces there is none")
def openb_traces(run):
    see("TRACE" in run.sim(*ONE, "--runs=1", ok=None))


@paper_option("berth sim table openb --only", "FGD", seen="no other policy")
def openb_only(run):
    rows = [line.split() for line in openb(run).splitlines() if line.startswith("default")]
    same([row[1] for row in rows], ["FGD"])


@paper_option("berth sim table openb --json", "out.json", seen="the file")
def openb_json(run):
    openb(run, *ONE)
    see("out.json" in run.files)


@paper_option("berth sim table openb --runs", "2", seen="so many runs of each trace")
def openb_runs(run):
    see("for 12 runs" in openb(run, *ONE))


def ours(text):
    """The figures, without what they took."""
    return [line.split()[:-1] for line in text.splitlines() if line.split()[1:2] == ["FGD"]]


@paper_option("berth sim table openb --orders", "ours", seen="other figures")
def openb_orders(run):
    see(ours(openb(run, *ONE)) != ours(openb(run, *ONE, given=False)))


@paper_option("berth sim table openb --first-seed", "5", seen="other figures")
def openb_first_seed(run):
    see(ours(openb(run, *ONE, "--orders=ours")) != ours(openb(run, *ONE, "--orders=ours", given=False)))


@paper_option("berth sim table openb --threads", "1", seen="one run after the other")
def openb_threads(run):
    one_at_a_time(run, "table", "openb", "--traces", str(TRACES), "--runs=1", *ONE)
