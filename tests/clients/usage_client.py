"""slurm-usage: who uses what now, and the nodes."""

import os
import re

from scenario import out, ran, wait


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


if __name__ == "__main__":
    os.environ["COLUMNS"] = "200"
    sbatch("runs", "-n3")
    sbatch("runs", "-n2")
    sbatch("waits", "--hold")
    wait("both to run", lambda: len(out("squeue", "-h", "-t", "R", "-o", "%i").split()) == 2)
    test_what_is_in_use()
    ran("slurm-usage", "cores and nodes in use by user, CPUs and GPUs of the nodes")
