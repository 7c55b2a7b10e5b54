"""Keys that describe nodes: NodeName lines, gres.conf, topology.conf, cgroup.conf."""

import tempfile
from pathlib import Path

from effect import same, see
from keys_case import NODE, NODES, PARTITIONS, key

X1 = [*PARTITIONS, "PartitionName=new Nodes=x1"]  # A node that has no agent: what a job may ask for is judged all the same.


def fits(run, line, *words, files=None, lines=()):
    """A job that asks for this of the new node is accepted."""
    run.configure(*lines, nodes=[*NODES, line], partitions=X1, files=files)
    run.sbatch("-H", "-p", "new", *words)


@key("node", "NodeName", "x1", seen="a job may ask for the node")
def node_name(run):
    run.configure(nodes=[*NODES, "{it} CPUs=8" if run.it else ""], partitions=["PartitionName=main Nodes=ALL Default=YES"])
    run.sbatch("-H", "-w", "x1")


@key("node", "CPUs", "8", seen="a job may ask for so many cores")
def cpus(run):
    fits(run, "NodeName=x1 {it}", "-c8")


@key("node", "Procs", "8", seen="a job may ask for so many cores")
def procs(run):
    cpus(run)


@key("node", "Sockets", "4", seen="a job may ask for the cores of so many sockets")
def sockets(run):
    fits(run, "NodeName=x1 CoresPerSocket=2 {it}", "-c8")


@key("node", "SocketsPerBoard", "4", seen="a job may ask for the cores of so many sockets")
def sockets_per_board(run):
    sockets(run)


@key("node", "Boards", "2", seen="a job may ask for the cores of both boards")
def boards(run):
    fits(run, "NodeName=x1 SocketsPerBoard=2 CoresPerSocket=2 {it}", "-c8")


@key("node", "CoresPerSocket", "4", seen="a job may ask for so many cores of each socket")
def cores_per_socket(run):
    fits(run, "NodeName=x1 Sockets=2 {it}", "-c8")


@key("node", "ThreadsPerCore", "2", seen="a job may ask for two CPUs of each core")
def threads_per_core(run):
    fits(run, "NodeName=x1 Sockets=1 CoresPerSocket=4 {it}", "-c8")


@key("node", "RealMemory", "8000", seen="a job may ask for so much memory")
def real_memory(run):
    fits(run, "NodeName=x1 CPUs=8 {it}", "--mem=8000")


@key("node", "TmpDisk", "20000", seen="a job may ask for so much local disk")
def tmp_disk(run):
    fits(run, "NodeName=x1 CPUs=8 {it}", "--tmp=10G")


@key("node", "Gres", "gpu:h100:2", seen="a job may ask for these GPUs")
def gres(run):
    fits(run, "NodeName=x1 CPUs=8 {it}", "--gres=gpu:h100:2")


@key("node", "Features", "fast", seen="a job may ask for the feature")
def features(run):
    fits(run, "NodeName=x1 CPUs=8 {it}", "-C", "fast")


@key("node", "Feature", "fast", seen="a job may ask for the feature")
def feature(run):
    features(run)


@key("node", "Weight", "5", seen="a job starts on the node that weighs less")
def weight(run):
    run.configure(nodes=[f"NodeName=n1 {NODE} {{it}}", f"NodeName=n[2-4] {NODE}"])
    same(run.output("echo $SLURM_JOB_NODELIST"), "n2")


def fenced(run, what):
    """What the fence program is told of a node that does not respond and holds a job."""
    with tempfile.TemporaryDirectory(prefix="berth-keys.") as name:
        log, program = Path(name) / "log", Path(name) / "fence"
        program.write_text(f'#!/bin/sh\necho "${what}" >>{log}\n')
        program.chmod(0o755)
        with run.started("SlurmdTimeout=1", nodes=[f"NodeName=n1 {NODE} {{it}}"], partitions=["PartitionName=main Nodes=n1 Default=YES"],
                         yaml={"fence": {"program": str(program), "timeout": "0:05"}}):
            run.runs(run.sbatch(script="sleep 60"))
            run.stop_agent("n1")
            run.wait("the fence", log.exists, 6)
            return log.read_text().strip()


@key("node", "NodeHostname", "elsewhere", seen="a fence is told this name")
def node_hostname(run):
    same(fenced(run, "BERTH_NODE_HOSTNAME"), "elsewhere")


@key("node", "NodeAddr", "elsewhere", seen="a fence is told this address")
def node_addr(run):
    same(fenced(run, "BERTH_NODE_ADDRESS"), "elsewhere")


# ---- gres.conf.

def one_gpu(run, gres_conf, *words, nodes=("NodeName=n1 Sockets=2 CoresPerSocket=4 RealMemory=16000 Gres=gpu:a100:4",)):
    """Which GPU and which cores a job has. The agents read this file as well, when they start."""
    with run.started(nodes=nodes, partitions=["PartitionName=main Nodes=ALL Default=YES"], files={"gres.conf": gres_conf}):
        job = run.sbatch("-w", "n1", *words, script="sleep 5")
        run.runs(job)
        return run.shown(job, "-d")


@key("gres.conf", "File", "/dev/none[0-3]", seen="the line holds for these GPUs")
def file(run):
    see("CPU_IDs=4" in one_gpu(run, f"NodeName=n1 Name=gpu Type=a100 {run.it} Cores=4-7\n", "--gpus=2"))


@key("gres.conf", "Name", "gpu", seen="the line holds for the GPUs")
def name(run):
    see("CPU_IDs=4" in one_gpu(run, f"{run.it} Type=a100 Count=4 Cores=4-7\n", "--gpus=1"))


@key("gres.conf", "Cores", "4-7", seen="a job has cores near its GPU")
def cores(run):
    see("CPU_IDs=4" in one_gpu(run, f"Name=gpu Type=a100 Count=4 {run.it}\n", "--gpus=1"))


@key("gres.conf", "CPUs", "4-7", seen="a job has cores near its GPU")
def gres_cpus(run):
    cores(run)


@key("gres.conf", "Count", "4", seen="the line holds for so many GPUs")
def count(run):
    see("CPU_IDs=4" in one_gpu(run, f"Name=gpu Type=a100 Cores=4-7 {run.it}\n", "--gpus=2"))


@key("gres.conf", "NodeName", "n2", seen="the line holds for no other node")
def gres_node_name(run):
    see("CPU_IDs=0" in one_gpu(run, f"Name=gpu Type=a100 Count=4 Cores=4-7 {run.it}\n", "--gpus=1",
                               nodes=["NodeName=n[1-2] Sockets=2 CoresPerSocket=4 RealMemory=16000 Gres=gpu:a100:4"]))


@key("gres.conf", "Type", "h100", seen="the line holds for GPUs of this type")
def gres_type(run):
    see("CPU_IDs=0" in one_gpu(run, f"Name=gpu {run.it} Count=2 Cores=4-7\nName=gpu Type=a100 Count=2 Cores=0-3\n", "--gres=gpu:a100:1",
                               nodes=["NodeName=n1 CPUs=8 RealMemory=16000 Gres=gpu:a100:2,gpu:h100:2"]))


@key("gres.conf", "Links", "0,0,0,-1", seen="two GPUs are two that are linked")
def links(run):
    rows = ["-1,0,0,4", "0,-1,0,0", "0,0,-1,0", "4,0,0,-1"]
    text = "".join(f"NodeName=n1 Name=gpu Type=a100 File=/dev/none{i} {'' if run.withheld else 'Links=' + row}\n" for i, row in enumerate(rows))
    see("IDX:0,3)" in one_gpu(run, text, "--gpus=2"))


# ---- topology.conf: two nodes are two that are near each other.

def near(run, text, *words, plugin="tree"):
    run.configure(f"TopologyPlugin=topology/{plugin}", files={"topology.conf": text} if text else {})
    same(run.output("echo $SLURM_JOB_NODELIST", "-p", "all", "-N2", *words), "n[1,3]")


@key("topology.conf", "SwitchName", "a", seen="a job's nodes are under one switch")
def switch_name(run):
    near(run, f"{run.it} Nodes=n1,n3\nSwitchName=b Nodes=n2,n4\n" if run.it else "")


@key("topology.conf", "Nodes", "n1,n3", seen="a job's nodes are under one switch")
def switch_nodes(run):
    near(run, f"SwitchName=a {run.it}\nSwitchName=b Nodes=n2,n4\n")


@key("topology.conf", "Switches", "a,c", seen="a job's nodes are under neighbouring switches")
def switch_switches(run):
    leaves = "".join(f"SwitchName={leaf} Nodes={node}\n" for leaf, node in zip("abcd", ("n1", "n2", "n3", "n4")))
    near(run, leaves + f"SwitchName=e {run.it}\nSwitchName=f Switches=b,d\nSwitchName=top Switches=e,f\n")


@key("topology.conf", "BlockName", "a", seen="a job's nodes are in one block")
def block_name(run):
    near(run, f"{run.it} Nodes=n1,n3\nBlockName=b Nodes=n2,n4\n" if run.it else "", plugin="block")
