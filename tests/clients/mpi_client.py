"""Open MPI's and MPICH's own mpirun within an allocation: they start their helpers on its nodes through srun."""

import os
import re
import subprocess
import sys
from pathlib import Path

from scenario import out, state_of

KIND, PROGRAM = sys.argv[1], os.environ["HELLO"]
MPIRUN = f"mpirun.{KIND}"
# Oversubscription is ours to judge, all nodes are this machine, and there is no network to look for.
OPTIONS = {"openmpi": "--mca btl self,tcp --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo", "mpich": "-iface lo"}[KIND]


def version():
    return re.search(r"\d+\.\d+\.\d+", out(MPIRUN, "--version"))[0]


def ran(what):
    print(f"ran: {MPIRUN} {version()}: {what}", flush=True)


def lines(text):
    return sorted(line for line in text.splitlines() if line.startswith("rank"))


def check(text, ranks, nodes):
    said = [re.fullmatch(r"rank (\d+) of (\d+) on (\S+), sum (\d+)", line) for line in lines(text)]
    assert len(said) == ranks and all(said), text
    assert [int(line[1]) for line in said] == list(range(ranks)), text
    assert {int(line[2]) for line in said} == {ranks} and {int(line[4]) for line in said} == {ranks * (ranks - 1) // 2}, text
    if KIND == "mpich":  # It gives all ranks mpirun's own variables, so what counts is where its proxies ran.
        last = out("sacct", "-n", "-X", "-P", "-o", "JobID").split()[-1]
        assert out("sacct", "-n", "-P", "-j", f"{last}.0", "-o", "NNodes,NTasks").strip() == f"{nodes}|{nodes}"
    else:
        assert len({line[3] for line in said}) == nodes, text


def within(options, command, check_code=True):
    done = subprocess.run(["salloc", *options.split(), "bash", "-c", command], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=150)
    assert not check_code or done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def test_hello_on_two_nodes():
    check(within("-N2 -n4", f"{MPIRUN} {OPTIONS} {PROGRAM}").stdout, 4, 2)
    ran("4 ranks on 2 nodes within salloc")


def test_hello_in_a_batch_job():
    Path("mpi.sh").write_text(f"#!/bin/bash\n#SBATCH -N2 --ntasks-per-node=2 -o mpi.out\n{MPIRUN} {OPTIONS} {PROGRAM}\n")
    out("sbatch", "--wait", "mpi.sh")
    check(Path("mpi.out").read_text(), 4, 2)
    ran("4 ranks on 2 nodes within sbatch")


def test_hello_on_one_node():
    check(within("-N1 -n3", f"{MPIRUN} {OPTIONS} {PROGRAM}").stdout, 3, 1)
    ran("3 ranks on 1 node")


def test_an_abort_ends_the_job():
    done = within("-N2 -n4", f"{MPIRUN} {OPTIONS} {PROGRAM} abort", check_code=False)
    assert done.returncode != 0, done.stdout + done.stderr
    job = re.search(r"Granted job allocation (\d+)", done.stderr)[1]
    assert state_of(job) == "FAILED", state_of(job)
    ran("MPI_Abort of one rank ends all")


def srun(options, *arguments):
    environment = os.environ | {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo"}  # As OPTIONS: all nodes are this machine.
    return subprocess.run(["srun", "-t", "5", *options.split(), PROGRAM, *arguments], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=150,
                          env=environment)


def test_srun_alone():
    """Without mpirun, by the launcher's own server."""
    kind = {"mpich": "pmi2", "openmpi": "pmix"}[KIND]
    for options, ranks, nodes in (("-N2 -n4", 4, 2), ("-N1 -n3", 3, 1), ("-N2 -n4 -m cyclic", 4, 2)):
        done = srun(f"--mpi={kind} {options}")
        assert done.returncode == 0, done.stdout + done.stderr
        said = [re.fullmatch(r"rank (\d+) of (\d+) on (\S+), sum (\d+)", line) for line in lines(done.stdout)]
        assert len(said) == ranks and {int(line[4]) for line in said} == {ranks * (ranks - 1) // 2}, done.stdout
        assert len({line[3] for line in said}) == nodes, done.stdout
    done = srun(f"--mpi={kind} -N2 -n4", "abort")
    assert done.returncode != 0 and "aborts the step" in done.stderr, done.stderr
    ran(f"srun --mpi={kind} alone: 4 ranks on 2 nodes, 3 on one, and MPI_Abort")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
