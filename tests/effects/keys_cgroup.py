"""cgroup.conf, UsePAM and device files: what is seen inside of a job on a node that isolates jobs. All of it needs root."""

import os
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path

from effect import NoEffect, same, see
from keys_case import key

MEMORY = """
group=/sys/fs/cgroup/memory$(awk -F: '$2 == "memory" {print $3}' /proc/self/cgroup)
while [ "$group" != /sys/fs/cgroup/memory ]; do cat $group/%s; group=$(dirname $group); done | sort -n | head -1
"""
MIB = 1024 * 1024


@contextmanager
def confining(run, *lines, gres_conf="", node="CPUs=2 RealMemory=4000"):
    """A cluster of one node, which is this machine."""
    if not Path("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes").exists():
        raise NoEffect("needs cgroups of version 1 that count swap")
    with run.started(nodes=[f"NodeName=n1 {node}"], partitions=["PartitionName=main Nodes=n1 Default=YES"],
                     files={"gres.conf": gres_conf, "cgroup.conf": "\n".join([*lines, run.of("cgroup.conf")]) + "\n"}):
        yield


def cgroup_key(name, value, seen):
    return key("cgroup.conf", name, value, seen=seen, needs_root=True)


@cgroup_key("ConstrainCores", "yes", seen="a job of one core sees one")
def constrain_cores(run):
    with confining(run):
        same(run.output("nproc", "-c1"), "1")


@cgroup_key("ConstrainRAMSpace", "yes", seen="a job that takes more memory than it asked for is killed")
def constrain_ram(run):
    with confining(run):
        job = run.sbatch("--mem=50", script="head -c 200M /dev/zero | tail | wc -c")
        run.wait("the job's end", lambda: run.cluster.state_of(job) not in ("", "PENDING", "RUNNING", "COMPLETING"), 10)
        same(run.cluster.state_of(job), "OUT_OF_MEMORY")


@cgroup_key("AllowedRAMSpace", "200", seen="a job may take twice the memory it asked for")
def allowed_ram(run):
    with confining(run, "ConstrainRAMSpace=yes"):
        same(int(run.output(MEMORY % "memory.limit_in_bytes", "--mem=50")), 100 * MIB)


@cgroup_key("ConstrainSwapSpace", "yes", seen="memory and swap of a job are limited together")
def constrain_swap(run):
    with confining(run, "ConstrainRAMSpace=yes", "AllowedSwapSpace=50"):
        same(int(run.output(MEMORY % "memory.memsw.limit_in_bytes", "--mem=50")), 75 * MIB)


@cgroup_key("AllowedSwapSpace", "50", seen="a job may take half as much swap as it asked for memory")
def allowed_swap(run):
    with confining(run, "ConstrainRAMSpace=yes", "ConstrainSwapSpace=yes"):
        same(int(run.output(MEMORY % "memory.memsw.limit_in_bytes", "--mem=50")), 75 * MIB)


@contextmanager
def devices(count):
    """Files of devices that are not there: who may open one gets ENXIO, and who may not EPERM."""
    with tempfile.TemporaryDirectory(prefix="berth-keys.", dir="/dev") as name:
        Path(name).chmod(0o755)
        for i in range(count):
            os.mknod(f"{name}/gpu{i}", 0o666 | stat.S_IFCHR, os.makedev(195, 90 + i))
            os.chmod(f"{name}/gpu{i}", 0o666)
        yield name


def opened(run, folder, count, *words):
    """Of each device, what comes of opening it in a job."""
    script = f"""for i in $(seq 0 {count - 1}); do (: <{folder}/gpu$i) 2>&1 | grep -o 'not permitted\\|No such device' ; done"""
    return run.output(script, *words).splitlines()


@cgroup_key("ConstrainDevices", "yes", seen="a job cannot open a GPU that it does not have")
def constrain_devices(run):
    with devices(2) as folder, confining(run, gres_conf=f"Name=gpu Type=a100 File={folder}/gpu[0-1]\n", node="CPUs=2 RealMemory=4000 Gres=gpu:a100:2"):
        same(opened(run, folder, 2, "--gpus=1"), ["No such device", "not permitted"])


@key("gres.conf", "MultipleFiles", "?", seen="a job may open all files of its part of a GPU, and no other's", needs_root=True)
def multiple_files(run):
    with devices(3) as folder:
        run.value = f"{folder}/gpu[0-1]"
        with confining(run, "ConstrainDevices=yes", gres_conf=f"Name=gpu Type=1g.5gb {run.it}\nName=gpu Type=1g.5gb MultipleFiles={folder}/gpu2\n",
                       node="CPUs=2 RealMemory=4000 Gres=gpu:1g.5gb:2"):
            same(opened(run, folder, 3, "--gpus=1"), ["No such device", "No such device", "not permitted"])


@key("slurm.conf", "UsePam", "yes", seen="a job of a user whom PAM does not let in does not run", needs_root=True)
def use_pam(run):
    service = Path("/etc/pam.d/slurm")
    if service.exists():
        raise NoEffect(f"{service} is the machine's own")
    service.write_text("account required pam_deny.so\n")
    try:
        with confining(run):
            job = run.sbatch()
            run.wait("its end, or why it waits", lambda: run.squeue(job, "%t") not in ("R", "CG", "PD") or run.squeue(job, "%r") != "None", 5)
            see(run.cluster.state_of(job) != "COMPLETED")
    finally:
        service.unlink()
