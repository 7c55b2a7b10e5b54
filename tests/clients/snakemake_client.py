"""Snakemake's slurm executor: a workflow of jobs, as an array, with a failing rule, cancelled."""

import os
import signal
import subprocess
import time
from pathlib import Path

from scenario import out, ran, wait

SNAKEFILE = """
rule all:
    input: expand("out/{i}.sum", i=range(4))
rule make:
    output: "out/{i}.txt"
    threads: 2
    resources: mem_mb=700
    shell: "sleep 0.2; echo $SLURM_JOB_ID $SLURM_CPUS_ON_NODE {wildcards.i} > {output}"
rule sum:
    input: "out/{i}.txt"
    output: "out/{i}.sum"
    shell: "cat {input} > {output}"
rule bad:
    output: "bad.txt"
    shell: "exit 3"
rule slow:
    output: "slow.txt"
    shell: "sleep 600"
"""
COMMAND = ["snakemake", "--executor", "slurm", "--jobs", "6", "--default-resources", "slurm_partition=main", "runtime=5", "mem_mb=600",
           "--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks", "2", "--latency-wait", "10"]


def snakemake(*arguments, code=0):
    done = subprocess.run([*COMMAND, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=200)
    assert (done.returncode == 0) == (code == 0), f"{arguments}: exit {done.returncode}\n{done.stdout}"
    return done.stdout


def test_a_workflow():
    snakemake()
    jobs = [(Path("out") / f"{i}.sum").read_text().split() for i in range(4)]
    assert len({job for job, _, _ in jobs}) == 4 and [i for _, _, i in jobs] == ["0", "1", "2", "3"], jobs
    states = out("sacct", "-nXP", "-o", "State,Comment").split("\n")[:-1]
    assert len(states) == 8 and all(line.startswith("COMPLETED|rule_") for line in states), states
    return "a workflow of 8 jobs, status by sacct"


def test_a_failing_rule_is_told():
    said = snakemake("bad", code=1)
    assert "FAILED" in said and "SLURM" in said.upper(), said
    return "a failing rule, with the job's state"


def test_an_interrupt_cancels_its_jobs():
    run = subprocess.Popen([*COMMAND, "slow"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
    wait("its job to run", lambda: out("squeue", "-h", "--me", "-t", "RUNNING", "-o", "%A"))
    time.sleep(1)
    os.kill(run.pid, signal.SIGINT)
    said, _ = run.communicate(timeout=120)
    wait("its job's end", lambda: not out("squeue", "-h", "--me", "-o", "%A"))
    assert run.returncode != 0, said
    return "interrupted, its job cancelled"


if __name__ == "__main__":
    Path("Snakefile").write_text(SNAKEFILE)
    for test in (test_a_workflow, test_a_failing_rule_is_told, test_an_interrupt_cancels_its_jobs):
        ran("snakemake-executor-plugin-slurm", test())
