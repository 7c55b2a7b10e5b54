"""Debian's Slurm with as many nodes as wanted: real slurmds with made-up hardware, without accounting, which costs Slurm nothing here."""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/oracle"))
from slurm_cluster import CONFINED, PORT, Site, SlurmCluster  # noqa: E402

GPUS, CPUS_PER_GPU = 8, 7
CONFIGURATION = CONFINED + """\
ClusterName=berthbench
SlurmdTimeout=0
ReturnToService=2
MessageTimeout=60
TreeWidth=65000
ProctrackType=proctrack/pgid
JobAcctGatherType=jobacct_gather/none
MaxJobCount=200000
SchedulerType=sched/backfill
SchedulerParameters={scheduling}
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/basic
DefMemPerCPU=4000
GresTypes=gpu
NodeName=gpu[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=64 Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=512000 Gres=gpu:a100:8 State=UNKNOWN
PartitionName=main Nodes=gpu[1-{nodes}] Default=YES MaxTime=INFINITE State=UP
"""


class WideSlurm(SlurmCluster):
    """As many nodes as wanted, without accounting: that costs Slurm nothing here."""

    def __init__(self, nodes, scheduling):
        super().__init__(Site([], ""))
        self.nodes = nodes
        self.scheduling = scheduling  # SchedulerParameters
        self.controller = None

    def __enter__(self):
        try:
            self.write_files()
            self.start_munge()
            self.start_slurm()
        except BaseException:
            self.__exit__()
            raise
        return self

    def write_files(self):
        for i in range(GPUS):
            os.mknod(self.root / f"dev/nvidia{i}", 0o020666, os.makedev(195, i))
        etc, first = self.root / "etc", PORT + 100
        (etc / "slurm.conf").write_text(CONFIGURATION.format(root=self.root, host=self.host, port=PORT, nodes=self.nodes, first=first,
                                                             last=first + self.nodes - 1, scheduling=self.scheduling))
        (etc / "gres.conf").write_text(f"NodeName=gpu[1-{self.nodes}] Name=gpu Type=a100 File={self.root}/dev/nvidia[0-7]\n")
        (etc / "munge.key").write_bytes(os.urandom(128))
        (etc / "munge.key").chmod(0o400)

    def start_slurm(self):
        conf = str(self.root / "etc/slurm.conf")
        self.start("slurmctld", "-D", "-f", conf, log="slurmctld.out")
        self.controller = self.daemons[-1].pid
        self.wait("slurmctld", lambda: "UP" in self.run("scontrol", "ping").stdout)
        for node in range(1, self.nodes + 1):
            (self.root / "spool" / f"gpu{node}").mkdir(parents=True, exist_ok=True)
            self.start("slurmd", "-D", "-N", f"gpu{node}", "-f", conf, log="slurmd.out")
            if node % 10 == 0:
                time.sleep(0.2)  # Not all of them at once.
        self.wait_long(f"{self.nodes} idle nodes", lambda: self.count_nodes("idle") == self.nodes)

    def wait_long(self, what, condition, seconds=900):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise AssertionError(f"waited {seconds} s for {what}")
            time.sleep(2)

    def count_nodes(self, state):
        return int(self.run("sinfo", "-h", "-p", "main", "-t", state, "-o", "%D").stdout.strip() or 0)

    def __exit__(self, *_):
        """By process id: the daemons, then whatever else still runs with this cluster's configuration in its environment or command line."""
        for daemon in reversed(self.daemons):
            daemon.kill()
        for daemon in self.daemons:
            daemon.wait()
        mark = str(self.root).encode()
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes() or mark in (entry / "cmdline").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
            except (OSError, ValueError):
                continue
        shutil.rmtree(self.root, ignore_errors=True)

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.controller}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
