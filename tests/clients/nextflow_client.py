"""Nextflow's slurm executor: processes with what they ask for, an array, a retry, -resume, an interrupt."""

import os
import re
import signal
import subprocess
from pathlib import Path

from scenario import out, wait

CONFIG = """
process.executor = 'slurm'
process.queue = 'main'
executor { pollInterval = '1 sec'; queueStatInterval = '2 sec' }
"""
MAIN = """
process MAKE {
    cpus 2
    memory 700.MB
    time 5.m
    clusterOptions '--comment=made --nice=5'
    input: val i
    output: path "${i}.txt"
    script: "echo \\$SLURM_JOB_ID \\$SLURM_CPUS_PER_TASK $i > ${i}.txt"
}
process SQUARE {
    array 4
    publishDir 'out', mode: 'copy'
    input: path made
    output: path "${made.baseName}.square"
    script: "echo \\$SLURM_ARRAY_JOB_ID \\$SLURM_ARRAY_TASK_ID \\$(cat $made) > ${made.baseName}.square"
}
process SHAKY {
    errorStrategy 'retry'
    memory { 300.MB * task.attempt }
    publishDir 'out', mode: 'copy'
    output: path 'shaky.txt'
    script: "[ ${task.attempt} = 2 ] || exit 7; echo \\$SLURM_JOB_ID > shaky.txt"
}
workflow {
    SQUARE(MAKE(Channel.of(0, 1, 2, 3)))
    SHAKY()
}
"""
SLOW = """
process SLOW {
    input: val i
    script: 'sleep 600'
}
workflow { SLOW(Channel.of(0, 1)) }
"""

OPENED = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in (  # As its own start script says; else no cache can be read.
    "java.lang", "java.io", "java.net", "java.nio", "java.nio.file.spi", "java.util", "java.util.concurrent", "java.util.concurrent.atomic",
    "java.util.concurrent.locks", "java.util.regex", "sun.nio.ch", "sun.nio.fs", "sun.net.www.protocol.file")]


def nextflow(*arguments):
    return subprocess.Popen(["java", *OPENED, "-cp", os.environ["NEXTFLOW_JARS"], "nextflow.cli.Launcher", "run", *arguments], text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def said_by(run):
    said, _ = run.communicate(timeout=200)
    assert run.returncode == 0, f"exit {run.returncode}\n{said}"
    return said


def jobs(fields):
    return sorted(tuple(line.split("|")) for line in out("sacct", "-nXP", "-o", f"JobName%60,{fields}").splitlines())


def test_a_workflow():
    said = said_by(nextflow("main.nf"))
    squares = [(Path("out") / f"{i}.square").read_text().split() for i in range(4)]
    assert len({row[0] for row in squares}) == 1 and {row[1] for row in squares} == {"0", "1", "2", "3"}, squares
    made = {row[2]: row[3:] for row in squares}
    assert len(made) == 4 and sorted(made.values()) == [["2", str(i)] for i in range(4)], squares
    asked = jobs("AllocCPUS,ReqMem,Timelimit,Partition,State,Comment")
    assert [row[1:] for row in asked if "MAKE" in row[0]] == [("2", "700M", "00:05:00", "main", "COMPLETED", "made")] * 4, asked
    assert {row[0] for row in jobs("JobID") if row[1] in made} == {f"nf-MAKE_({n})" for n in range(1, 5)}, jobs("JobID")
    shaky = [row[1:] for row in jobs("ReqMem,State,ExitCode") if "SHAKY" in row[0]]
    assert shaky == [("300M", "FAILED", "7:0"), ("600M", "COMPLETED", "0:0")], shaky
    assert "terminated with an error exit status (7) -- Execution is retried (1)" in said, said
    return re.search(r"version (\S+)", said)[1]


def test_resume():
    before = jobs("JobID")
    Path("out/2.square").unlink()
    said = said_by(nextflow("main.nf", "-resume"))
    assert jobs("JobID") == before and said.count("Cached process > ") == 9 and Path("out/2.square").exists(), said


def test_an_interrupt():
    run = nextflow("slow.nf")
    wait("its jobs to run", lambda: out("squeue", "-h", "--me", "-t", "RUNNING", "-o", "%A").count("\n") == 2, 150)
    wait("nextflow to know them", lambda: Path(".nextflow.log").read_text().count("submitted process SLOW") == 2)
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=120)
    wait("their end", lambda: [row[1].split(" ")[0] for row in jobs("State") if "SLOW" in row[0]] == ["CANCELLED"] * 2)
    wait("squeue to show none of them", lambda: not out("squeue", "-h", "--me"))  # They are completing for a moment.
    assert run.returncode != 0, said


if __name__ == "__main__":
    os.environ["NXF_HOME"] = str(Path(".nextflow").resolve())
    for name, text in (("nextflow.config", CONFIG), ("main.nf", MAIN), ("slow.nf", SLOW)):
        Path(name).write_text(text)
    release = test_a_workflow()
    test_resume()
    test_an_interrupt()
    print(f"ran: nextflow {release}: 10 jobs of three processes, one an array, one retried with more memory; -resume; interrupted")
