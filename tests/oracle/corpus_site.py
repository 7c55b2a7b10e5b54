"""The cluster that the scripts of corpus/ meet, and the programs that they call."""

import re
from pathlib import Path

from slurm_cluster import COMMON, Site

USER = "games"
ACCOUNTS = {"ml": 50, "physics": 30, "bio": 20}  # The first is the user's default. Shares.
QOS = {"high": 100, "debug": 50}  # Priorities.
NODES = """\
NodeName=node[1-2] CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=128000 Feature=skylake,ib Weight=1 State=UNKNOWN
NodeName=node[3-4] CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=128000 Feature=icelake,ib Weight=2 State=UNKNOWN
NodeName=gpu[1-2] CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=256000 Gres=gpu:a100:8 Feature=a100,ib,nvlink Weight=1 State=UNKNOWN
NodeName=gpu[3-4] CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=256000 Gres=gpu:v100:4 Feature=v100,ib Weight=3 State=UNKNOWN
PartitionName=cpu Nodes=node[1-4] Default=YES MaxTime=2-0 DefaultTime=1:00:00 DefMemPerCPU=2000 State=UP
PartitionName=gpu Nodes=gpu[1-4] MaxTime=1-0 DefaultTime=1:00:00 DefMemPerCPU=2000 State=UP
PartitionName=debug Nodes=node4,gpu4 MaxTime=30 DefaultTime=10 DefMemPerCPU=2000 State=UP
PartitionName=long Nodes=node[1-4] MaxTime=7-0 DefaultTime=1:00:00 DefMemPerCPU=2000 State=UP
PartitionName=bigmem Nodes=gpu[1-2] MaxTime=12:00:00 DefaultTime=1:00:00 DefMemPerCPU=2000 State=UP
PartitionName=all Nodes=node[1-4],gpu[1-4] MaxTime=1-0 DefaultTime=1:00:00 DefMemPerCPU=2000 State=UP
"""
GRES = """\
NodeName=gpu[1-2] Name=gpu Type=a100 File={dir}/nvidia[0-7]
NodeName=gpu[3-4] Name=gpu Type=v100 File={dir}/nvidia[0-3]
"""


def sacctmgr_lines():
    yield from (f"add account {name} fairshare={shares}" for name, shares in ACCOUNTS.items())
    yield from (f"add qos {name} priority={priority}" for name, priority in QOS.items())
    yield from (f"add user {USER} account={name}" for name in ACCOUNTS)
    yield f"modify user {USER} set defaultaccount={next(iter(ACCOUNTS))}"
    yield f"modify user {USER} set qos+={','.join(QOS)}"


def berth_yaml():
    lines = ["accounts:"]
    for number, (name, shares) in enumerate(ACCOUNTS.items()):
        default = "" if number else ", default: yes"
        lines.append(f"  - {{name: {name}, shares: {shares}, users: [{{name: {USER}, qos: [normal, {', '.join(QOS)}]{default}}}]}}")
    lines.append("qos:")
    lines += [f"  - {{name: {name}, priority: {priority}}}" for name, priority in QOS.items()]
    return "\n".join(lines) + "\n"


SITE = Site(accounts=[*sacctmgr_lines()], berth_yaml=berth_yaml(), common=COMMON + "FirstJobId=700001\nLicenses=matlab:4,ansys:2\n", nodes=NODES, gres=GRES)

# What the scripts call. Each is the stand-in below.
PROGRAMS = """
python python3 torchrun accelerate deepspeed jupyter nvidia-smi mpirun mpiexec lmp gmx gmx_mpi namd3 vasp_std cp2k.psmp pw.x R Rscript julia
matlab octave java bwa samtools bowtie2 STAR fastqc blastn gatk nextflow snakemake apptainer singularity enroot podman ffmpeg make cmake gcc
mpicc blender stata fluent abaqus comsol orca g16 pmemd.cuda conda mamba pip uv ray horovodrun nsys ncu vllm ollama rsync curl wget git nvcc
sleep""".split()
LOCAL_PROGRAMS = "hello_mpi my_app solver sim a.out preprocess.sh run_case.sh".split()  # In the job's directory.
FUNCTIONS = {"BASH_FUNC_module%%": "() { :\n}", "BASH_FUNC_ml%%": "() { :\n}"}
BERTH_COMMANDS = "sbatch srun salloc squeue sinfo scancel scontrol sacct sacctmgr".split()

STAND_INS = Path("/usr/local/bin")  # In a name space of this comparison; in the PATH of a job that gets no environment, too.
# Leaves what it found in its environment in a file for each call, and says what it was called with: last, since the reader of a pipe may be gone by then.
STAND_IN = """\
#!/bin/sh
case ${0##*/} in python | python3) [ -f "$1" ] && exec /usr/bin/python3 "$@" ;; esac
{ echo "CALL=${0##*/} $*"; env | LC_ALL=C grep -E '^(S(LURM|RUN|BATCH)_|CUDA_VISIBLE|GPU_DEVICE|OMP_NUM)[A-Za-z0-9_]*='; } >"$(mktemp /usr/local/bin/calls/XXXXXXXX)"
echo "${0##*/} $*"
"""


def write_stand_ins(folder, commands=None):
    """`commands`: where those of Slurm lie that a job shall find before Debian's."""
    calls = folder / "calls"
    calls.mkdir(parents=True)
    calls.chmod(0o1777)
    for name in PROGRAMS:
        (folder / name).write_text(STAND_IN)
        (folder / name).chmod(0o755)
    for name in BERTH_COMMANDS if commands else ():
        (folder / name).symlink_to(commands / name)
    return calls


def write_local_programs(folder):
    for name in LOCAL_PROGRAMS:
        (folder / name).write_text(STAND_IN)
        (folder / name).chmod(0o755)


def blanked(text, job, *folders):
    """Without what each side has its own of: the job's id, and directories."""
    for folder in folders:
        text = text.replace(str(folder), "DIR")
    return re.sub(r"(?<!\d)\d{6}(?!\d)", lambda found: f"<{int(found[0]) - job}>" if job and 0 <= int(found[0]) - job < 16 else found[0], text)
