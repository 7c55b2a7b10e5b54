"""slurm-usage: who uses what now, the nodes, and the finished jobs that it collects from sacct's 60 fields."""

import os
import re
from pathlib import Path

from scenario import out, ran, state_of, wait


def usage(*command):
    return out("slurm-usage", *command)


def rows(text):
    """The cells of its tables."""
    lines = [line for line in text.splitlines() if line.strip().startswith(("│", "┃"))]
    return [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in lines]


def sbatch(name, *arguments, wrap="sleep 600"):
    return out("sbatch", "--parsable", "-J", name, "-o", "/dev/null", *arguments, "--wrap", wrap).strip()


def test_what_is_in_use():
    cores, nodes = usage().split("SLURM statistics nodes")
    assert ["games", "PD=1 / R=5", "PD=1 / R=5"] in rows(cores) and ["games", "PD=1 / R=2", "PD=1 / R=2"] in rows(nodes), cores + nodes
    assert rows(usage("nodes"))[2:] == [["node1", "8", "4"], ["node2", "8", "4"]]


def test_what_it_collects(good, bad, array):
    import polars
    said = usage("collect", "--days", "1")
    assert "Error" not in said, said
    jobs = {row["job_id"]: row for file in Path("data/processed").glob("*.parquet") for row in polars.read_parquet(file).iter_rows(named=True)}
    kept = ("job_name", "user", "state", "alloc_cpus", "alloc_gpus", "req_mem_mb", "partition")
    picked = {job: tuple(jobs[job][key] for key in kept) for job in jobs}
    assert picked.pop(good) == ("good", "games", "COMPLETED", 3, 1, 300.0, "main"), picked
    assert picked.pop(bad) == ("bad", "games", "FAILED", 1, 0, 200.0, "main"), picked
    assert [picked.pop(f"{array}_{task}") for task in (1, 2)] == 2 * [("array", "games", "COMPLETED", 1, 0, 100.0, "main")], picked
    assert 2 <= jobs[good]["elapsed_seconds"] < 60 and jobs[good]["node_list"] == "node1" and jobs[good]["start_time"], jobs[good]


if __name__ == "__main__":
    os.environ["COLUMNS"] = "200"
    sbatch("runs", "-n3")
    sbatch("runs", "-n2")
    sbatch("waits", "--hold")
    good = sbatch("good", "-n3", "--gres=gpu:1", "--mem=300M", "-w", "node1", wrap="sleep 2")
    bad = sbatch("bad", "--mem=200M", wrap="exit 3")
    array = sbatch("array", "-a", "1-2", "--mem=100M", wrap="true")
    wait("those that end", lambda: len(out("squeue", "-h", "-r", "-o", "%i").split()) == 3)
    wait("their records", lambda: state_of(good) == "COMPLETED" and state_of(bad) == "FAILED")
    test_what_is_in_use()
    ran("slurm-usage", "cores and nodes in use by user, CPUs and GPUs of the nodes")
    test_what_it_collects(good, bad, array)
    ran("slurm-usage", "finished jobs collected from sacct, with their GPUs, memory and ends")
