"""The foreign clients, and what each needs."""

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # One that every user may run.


class Missing(Exception):
    """What a client needs cannot be had here."""


@dataclass(frozen=True)
class Client:
    name: str
    script: str  # Of this folder; run with the commands on its path.
    requirements: str = "requirements.txt"  # Where it is; none if it is no package of Python.
    user: str = "games"
    cluster: dict = field(default_factory=lambda: {"gpus": "a100:4", "nodes": 2, "cpus": 8})
    slurm_conf: str = ""  # Instead of `cluster`.
    arguments: list = field(default_factory=list)
    prepare: Optional[Callable] = None  # With build/clients: more environment; PATH is a list. May raise Missing.


def mpi_program(kind):
    """hello.c by its compiler."""
    def prepare(folder):
        if not shutil.which(f"mpicc.{kind}") or not shutil.which(f"mpirun.{kind}"):
            raise Missing(f"mpicc.{kind} and mpirun.{kind} are not installed")
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / f"hello.{kind}"
        subprocess.run([f"mpicc.{kind}", "-O1", "-o", str(program), str(HERE / "hello.c")], check=True)
        return {"HELLO": str(program)}
    return prepare


def programs(*names):
    """Debian's, which must be here."""
    def prepare(_):
        for name in names:
            if not shutil.which(name):
                raise Missing(f"{name} is not installed")
        return {}
    return prepare


def of_r(package):
    """Debian's package of R."""
    def prepare(folder):
        programs("Rscript")(folder)
        code = f"quit(status = !requireNamespace('{package}'))"
        if subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True).returncode != 0:
            raise Missing(f"R's package {package} is not installed")
        return {}
    return prepare


def proxy(folder):
    """Debian's proxy finds its modules only with Debian's own node; with another one it is told where they are."""
    programs("configurable-http-proxy", "sudo")(folder)
    return {"NODE_PATH": "/usr/share/nodejs:/usr/share/nodejs/node_modules"}


def lightning(folder):
    """Debian's torch, which is small for it has no CUDA, and Lightning beside it."""
    if not list(Path("/usr/lib/python3/dist-packages").glob("torch-*")):
        raise Missing("python3-torch is not installed")
    wanted, packages = HERE / "lightning_requirements.txt", folder / "lightning"
    stamp = packages / wanted.name
    if not stamp.exists() or stamp.read_text() != wanted.read_text():
        commands = ([PYTHON, "-m", "venv", "--clear", str(folder / "pip")],
                    [str(folder / "pip/bin/pip"), "install", "-q", "--no-deps", "--upgrade", "--target", str(packages), "-r", str(wanted)])
        for command in commands:
            done = subprocess.run(command, text=True, capture_output=True)
            if done.returncode != 0:
                raise Missing(f"{' '.join(command[:4])}: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
        stamp.write_text(wanted.read_text())
    return {"PYTHONPATH": str(packages)}


NEXTFLOW = "24.10.0"  # The last that is whole at Maven Central.
POM = f"""\
<project><modelVersion>4.0.0</modelVersion><groupId>berth</groupId><artifactId>clients</artifactId><version>1</version>
<dependencies><dependency><groupId>io.nextflow</groupId><artifactId>nextflow</artifactId><version>{NEXTFLOW}</version></dependency>
</dependencies></project>
"""


def nextflow(folder):
    """Its jars and all that they depend on; its plugins are elsewhere, and it runs without them."""
    programs("java", "mvn")(folder)
    jars = folder / f"nextflow-{NEXTFLOW}"
    if not (jars / "lib" / f"nextflow-{NEXTFLOW}.jar").exists():
        jars.mkdir(parents=True, exist_ok=True)
        (jars / "pom.xml").write_text(POM)
        done = subprocess.run(["mvn", "-B", "-q", "dependency:copy-dependencies", "-DoutputDirectory=lib"], cwd=jars, text=True,
                              capture_output=True)
        if done.returncode != 0:
            raise Missing(f"mvn dependency:copy-dependencies: {(done.stdout + done.stderr).strip().splitlines()[0]}")
    return {"NEXTFLOW_JARS": str(jars / "lib" / "*"), "NXF_OFFLINE": "true", "NXF_PLUGINS_DEFAULT": "false",
            "NXF_DISABLE_CHECK_LATEST": "true", "NXF_ANSI_LOG": "false"}


# The host that squeue, or SLURM_STEP_NODELIST, names must be one that can be reached.
LOCAL_CONF = """\
ClusterName=hub
SlurmctldHost={host}
NodeName=localhost CPUs=8 RealMemory=8000 State=UNKNOWN
PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""

GPU_CONF = """\
ClusterName=gpus
SlurmctldHost={host}
GresTypes=gpu
AccountingStorageTRES=gres/gpu
NodeName=a[1-2] CPUs=4 RealMemory=4000 Gres=gpu:a100:4 State=UNKNOWN
NodeName=h1 CPUs=4 RealMemory=4000 Gres=gpu:h100:2 State=UNKNOWN
PartitionName=main Nodes=a[1-2] Default=YES MaxTime=INFINITE State=UP
PartitionName=hopper Nodes=h1 MaxTime=INFINITE State=UP
"""

# The first of its nodes is where the others meet.
TWO_CONF = """\
ClusterName=two
SlurmctldHost={host}
NodeName=localhost CPUs=4 RealMemory=4000 State=UNKNOWN
NodeName=other CPUs=4 RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

R_CONF = """\
ClusterName=r
SlurmctldHost={host}
NodeName=r[1-2] CPUs=8 RealMemory=8000 State=UNKNOWN
PartitionName=main Nodes=r[1-2] Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=r[1-2] MaxTime=2:00:00 State=UP
PartitionName=all Nodes=r2 State=UP
PartitionName=one Nodes=r1 State=UP
"""

CLIENTS = [
    Client("submitit", "submitit_client.py"),
    Client("dask-jobqueue", "dask_client.py"),
    Client("torchx", "torchx_client.py"),
    Client("snakemake", "snakemake_client.py"),
    Client("reportseff", "reportseff_client.py"),
    Client("batchspawner", "batchspawner_client.py", user="root", slurm_conf=LOCAL_CONF, prepare=proxy),
    Client("parsl", "parsl_client.py"),
    Client("psij", "psij_client.py"),
    Client("simple-slurm", "small_client.py", arguments=["simple_slurm"]),
    Client("qtoolkit", "small_client.py", arguments=["qtoolkit"]),
    Client("pysqa", "small_client.py", arguments=["pysqa"]),
    Client("executorlib", "small_client.py", arguments=["executorlib"]),
    Client("jax", "jax_client.py", slurm_conf=LOCAL_CONF),
    Client("slurm-gpustat", "gpustat_client.py", user="root", slurm_conf=GPU_CONF),
    Client("slurm-usage", "usage_client.py"),
    Client("slurmrestapi", "slurmrest_client.py", requirements="requirements_rest.txt", user="root"),
    Client("lightning", "lightning_client.py", requirements="", slurm_conf=TWO_CONF, prepare=lightning),
    Client("cylc", "cylc_client.py", requirements="requirements_engines.txt"),
    Client("toil", "toil_client.py", requirements="requirements_engines.txt"),
    Client("aiida", "aiida_client.py", requirements="requirements_engines.txt"),
    Client("ray", "ray_client.py", requirements="requirements_engines.txt"),
    Client("nextflow", "nextflow_client.py", requirements="", prepare=nextflow),
    Client("replayed", "replay_client.py", requirements=""),
    Client("openmpi", "mpi_client.py", requirements="", arguments=["openmpi"], prepare=mpi_program("openmpi")),
    Client("mpich", "mpi_client.py", requirements="", arguments=["mpich"], prepare=mpi_program("mpich")),
    Client("batchtools", "r_client.py", requirements="", slurm_conf=R_CONF, arguments=["batchtools"], prepare=of_r("batchtools")),
    Client("future.batchtools", "r_client.py", requirements="", slurm_conf=R_CONF, arguments=["future.batchtools"],
           prepare=of_r("future.batchtools")),
    Client("clustershell", "clustershell_client.py", requirements="", user="root", cluster={"gpus": "a100:4", "nodes": 4, "cpus": 4},
           prepare=programs("nodeset", "clush")),
]
