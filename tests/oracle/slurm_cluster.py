"""Debian's own Slurm on this machine for one comparison: munge, MariaDB, slurmdbd, slurmctld and a slurmd for each made-up node."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from mails import program

PATIENCE = 90.0  # Seconds for each daemon; machines are shared and slow.
# This and the next few dozen: slurmctld, slurmdbd, MariaDB, the slurmds.
PORT = int(os.environ.get("BERTH_ORACLE_PORT", 26817))

# What both clusters are configured with.
NODES = """\
NodeName=gpu[1-4] CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=256000 Gres=gpu:a100:8 Feature=a100,ib State=UNKNOWN
PartitionName=main Nodes=gpu[1-4] Default=YES MaxTime=2-0 DefaultTime=1:00:00 DefMemPerCPU=2000 PriorityJobFactor=10 State=UP
PartitionName=debug Nodes=gpu4 MaxTime=30 DefaultTime=10 DefMemPerCPU=2000 PriorityJobFactor=100 State=UP
"""
COMMON = """\
ClusterName=oracle
ProctrackType=proctrack/pgid
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/basic
AccountingStorageTRES=gres/gpu
AccountingStorageEnforce=associations,limits,qos
GresTypes=gpu
PreemptType=preempt/qos
PreemptMode=REQUEUE
PreemptExemptTime=00:00:05
"""
GRES = "NodeName=gpu[1-4] Name=gpu Type=a100 File={dir}/nvidia[0-7]\n"
NODE_LINE = re.compile(r"^NodeName=(\w+)\[(\d+)-(\d+)\] ", re.M)


@dataclass(frozen=True)
class Site:
    """What two clusters have alike. `common` and `nodes`: lines of slurm.conf, the second those of nodes and partitions. `gres`:
    gres.conf; {dir}: where the device files lie. `accounts`: lines for sacctmgr, and the same as `berth_yaml`. Each line of nodes
    names them as NAME[FIRST-LAST]."""

    accounts: list
    berth_yaml: str
    common: str = COMMON
    nodes: str = NODES
    gres: str = GRES

    def node_names(self):
        return [f"{name}{n}" for name, first, last in NODE_LINE.findall(self.nodes) for n in range(int(first), int(last) + 1)]

    def nodes_at(self, host, port):
        """`nodes` as slurmds of one host, each at a port of its own from `port` on."""
        def with_ports(found):
            nonlocal port
            first, port = port, port + int(found[3]) - int(found[2]) + 1
            return f"{found[0]}NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{port - 1}] "

        return NODE_LINE.sub(with_ports, self.nodes)


# How each Slurm of ours runs beside others on one machine. {root}: all that it writes.
CONFINED = """\
SlurmctldHost={host}(127.0.0.1)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={root}/run/munge.socket
CredType=cred/munge
SlurmctldPort={port}
SlurmctldPidFile={root}/run/slurmctld.pid
SlurmdPidFile={root}/run/slurmd.%n.pid
SlurmctldLogFile={root}/log/slurmctld.log
SlurmdLogFile={root}/log/slurmd.%n.log
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool/%n
SlurmdParameters=config_overrides
TaskPlugin=task/none
MpiDefault=none
"""
SLURM_ONLY = CONFINED + """\
SchedulerParameters=bf_interval=1,bf_resolution=1,bf_continue
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd_port}
AccountingStoragePass={root}/run/munge.socket
JobAcctGatherType=jobacct_gather/linux
"""
SLURMDBD = """\
AuthType=auth/munge
AuthInfo=socket={root}/run/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd_port}
SlurmUser=root
LogFile={root}/log/slurmdbd.log
PidFile={root}/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={sql_port}
StorageUser=slurm
StoragePass=oracle
StorageLoc=slurm_acct_db
"""


class SlurmCluster:
    """`with SlurmCluster(site) as slurm`: started on entry, stopped and removed on exit."""

    def __init__(self, site):
        self.site = site
        self.root = Path(tempfile.mkdtemp(prefix="berth-oracle."))
        self.root.chmod(0o755)
        self.host = socket.gethostname().split(".")[0]
        self.daemons = []
        for name in ("etc", "run", "log", "state", "dev", "db"):
            (self.root / name).mkdir()
        for node in site.node_names():
            (self.root / "spool" / node).mkdir(parents=True)
        self.mails = self.root / "mails"
        self.mails.mkdir()
        self.work = self.root / "work"
        self.work.mkdir()
        self.work.chmod(0o777)

    def environment(self):
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_", "BERTH_"))}
        return keep | {"SLURM_CONF": str(self.root / "etc/slurm.conf"), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}

    def run(self, *command, user=None, check=False, **more):
        return subprocess.run(as_user(user, command), cwd=self.work, env=self.environment() | more.pop("env", {}), text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=check, **more)

    def asked(self, *command, answer):
        """A command that asks; `answer`: what it reads."""
        return subprocess.run(command, cwd=self.work, env=self.environment(), text=True, input=answer or "", capture_output=True, timeout=120)

    def __enter__(self):
        try:
            self.write_files()
            self.start_munge()
            self.start_sql()
            self.start_slurm()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.end_scripts()
        shutil.rmtree(self.root, ignore_errors=True)

    def end_scripts(self):
        """Ends the batch scripts that still run, with their slurmstepd and whatever they have started."""
        parents, ours = {}, set()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                pid, words = int(folder.name), (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
                parents[pid] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                words += bytes(os.readlink(folder / "cwd"), "utf-8")
            except OSError:
                continue
            if str(self.root).encode() in words:
                ours |= {pid, parents[pid]} - {1, os.getpid()}
        ours |= {pid for pid, parent in parents.items() if parent in ours}
        for pid in ours:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def write_files(self):
        known = {"root": self.root, "host": self.host, "port": PORT, "dbd_port": PORT + 2, "sql_port": PORT + 3}
        for i in range(8):
            os.mknod(self.root / f"dev/nvidia{i}", 0o020666, os.makedev(195, i))
        etc = self.root / "etc"
        (etc / "slurm.conf").write_text(self.site.common + f"MailProg={program(self.mails)}\nMailDomain=example.org\n" + SLURM_ONLY.format(**known)
                                       + self.site.nodes_at(self.host, PORT + 4))
        (etc / "gres.conf").write_text(self.site.gres.format(dir=self.root / "dev"))
        (etc / "slurmdbd.conf").write_text(SLURMDBD.format(**known))
        (etc / "slurmdbd.conf").chmod(0o600)
        (etc / "munge.key").write_bytes(os.urandom(128))
        (etc / "munge.key").chmod(0o400)

    def start(self, *command, log):
        with open(self.root / "log" / log, "ab") as out:
            self.daemons.append(subprocess.Popen(command, cwd=self.root, env=self.environment(), stdin=subprocess.DEVNULL, stdout=out,
                                                 stderr=out))

    def wait(self, what, condition):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if condition():
                return
            time.sleep(0.2)
        logs = "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in sorted((self.root / "log").iterdir()))
        raise AssertionError(f"waited {PATIENCE:.0f} s for {what}\n{logs}")

    def start_munge(self):
        run = self.root / "run"
        self.start("munged", "--foreground", "--force", f"--key-file={self.root}/etc/munge.key", f"--socket={run}/munge.socket",
                   f"--pid-file={run}/munged.pid", f"--log-file={self.root}/log/munged.log", f"--seed-file={run}/munge.seed",
                   log="munged.out")
        self.wait("munge", (run / "munge.socket").exists)

    def start_sql(self):
        db = self.root / "db"
        shutil.chown(db, "mysql")
        subprocess.run(["mariadb-install-db", "--user=mysql", f"--datadir={db}/data", "--auth-root-authentication-method=normal"],
                       check=True, capture_output=True)
        self.start("mariadbd", "--no-defaults", "--user=mysql", f"--datadir={db}/data", f"--socket={db}/s.sock", f"--port={PORT + 3}",
                   "--bind-address=127.0.0.1", f"--pid-file={db}/pid", "--innodb-buffer-pool-size=128M", log="mariadb.log")
        sql = ["mariadb", "-S", f"{db}/s.sock", "-uroot", "-e"]
        self.wait("MariaDB", lambda: subprocess.run([*sql, "select 1"], capture_output=True).returncode == 0)
        subprocess.run([*sql, "create database slurm_acct_db; create user slurm@'127.0.0.1' identified by 'oracle';"
                              "create user slurm@localhost identified by 'oracle'; grant all on slurm_acct_db.* to slurm@'127.0.0.1';"
                              "grant all on slurm_acct_db.* to slurm@localhost;"], check=True)

    def start_slurm(self):
        self.start("slurmdbd", "-D", log="slurmdbd.out")
        self.wait("slurmdbd", lambda: self.run("sacctmgr", "-i", "show", "cluster").returncode == 0)
        self.run("sacctmgr", "-i", "add", "cluster", "oracle", check=True)
        for line in self.site.accounts:
            self.run("sacctmgr", "-i", *line.split(), check=True)
        self.start("slurmctld", "-D", "-f", str(self.root / "etc/slurm.conf"), log="slurmctld.out")
        self.wait("slurmctld", lambda: "UP" in self.run("scontrol", "ping").stdout)
        names = self.site.node_names()
        for node in names:
            self.start("slurmd", "-D", "-N", node, "-f", str(self.root / "etc/slurm.conf"), log=f"slurmd.{node}.out")
        self.wait(f"{len(names)} idle nodes",
                  lambda: {*names} == {*self.run("sinfo", "-a", "-h", "-N", "-t", "idle", "-o", "%N").stdout.split()})


def as_user(user, command):
    """The same command with the rights of another user; None: as we are."""
    if user is None:
        return list(command)
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "env", f"USER={user}", f"LOGNAME={user}", *command]
