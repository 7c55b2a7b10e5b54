"""srun --mpi=pmi2: tasks that speak PMI-1 and PMI-2 themselves, on one node and on two. Real MPI programs are in tests/clients."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

from cluster import Cluster, main

# One rank. It says what it heard from all the others.
RANK = r'''
import os, socket, sys
mode = sys.argv[1]
rank, size = int(os.environ["PMI_RANK"]), int(os.environ["PMI_SIZE"])
pmi = socket.socket(fileno=int(os.environ["PMI_FD"])) if "PMI_FD" in os.environ else None
stream = pmi.makefile("rb")

def line(text):
    pmi.sendall(text.encode() + b"\n")
    return dict(word.split("=", 1) for word in stream.readline().decode().split())

def message(text):
    pmi.sendall(b"%-6d" % len(text) + text.encode())
    answer = stream.read(int(stream.read(6))).decode()
    return dict(word.split("=", 1) for word in answer.split(";") if word)

def begin(version):
    assert line(f"cmd=init pmi_version={version} pmi_subversion=1")["rc"] == "0"

def meet_1():
    begin(1)
    name = line("cmd=get_my_kvsname")["kvsname"]
    assert name == f"{os.environ['SLURM_JOB_ID']}.{os.environ['SLURM_STEP_ID']}", name
    assert line(f"cmd=put kvsname={name} key=r{rank} value=v{rank}={os.environ['SLURMD_NODENAME']}")["rc"] == "0"
    assert line("cmd=barrier_in")["cmd"] == "barrier_out"
    all = [line(f"cmd=get kvsname={name} key=r{i}")["value"] for i in range(size)]
    mapping = line(f"cmd=get kvsname={name} key=PMI_process_mapping")["value"]
    assert line("cmd=barrier_in")["rc"] == "0"
    assert line("cmd=finalize")["cmd"] == "finalize_ack"
    return all, mapping

def meet_2():
    begin(2)
    me = message(f"cmd=fullinit;pmijobid={os.environ['PMI_JOBID']};pmirank={rank};threaded=FALSE;")
    assert (me["rank"], me["size"]) == (str(rank), str(size)), me
    if os.environ["SLURM_LOCALID"] == "0":
        message("cmd=info-putnodeattr;key=leader;value=%d;" % rank)
    leader = message("cmd=info-getnodeattr;key=leader;wait=TRUE;")["value"]
    big = "x" * 1000
    message(f"cmd=kvs-put;key=r{rank};value=v{rank}={os.environ['SLURMD_NODENAME']};")
    message(f"cmd=kvs-put;key=big{rank};value={big};")
    assert message("cmd=kvs-fence;")["rc"] == "0"
    all = [message(f"cmd=kvs-get;jobid=x;srcid={i};key=r{i};")["value"] for i in range(size)]
    assert message(f"cmd=kvs-get;key=big{size - 1};")["value"] == big
    mapping = message("cmd=info-getjobattr;key=PMI_process_mapping;")["value"]
    assert message("cmd=spawn;ncmds=1;")["rc"] != "0"
    assert message("cmd=finalize;")["rc"] == "0"
    return all, mapping, leader

if mode == "1":
    print(rank, *meet_1())
elif mode == "2":
    print(rank, *meet_2())
elif mode == "abort":
    begin(1)
    if rank == 1:
        pmi.sendall(b"cmd=abort exitcode=7\n")
        sys.exit(7)
    line("cmd=barrier_in")
elif mode == "rubbish":  # From one of them; the others are served all the same.
    if rank == 0:
        try:
            pmi.sendall(os.urandom(1_000_000).replace(b"\n", b" "))
            assert stream.read() == b"", "hung up on"
        except OSError:
            pass
        print("refused")
    else:
        begin(1)
        assert line("cmd=get_universe_size")["size"] == str(size)
        print("served")
elif mode == "leave":
    begin(1)
    if rank == 0:
        answer = line("cmd=barrier_in")
        print("told", answer["rc"], answer["msg"])
elif mode == "read":  # Meets before it looks at its input.
    meet_1()
    print(rank, len(sys.stdin.read()))
'''


CONF = """ClusterName=e2e
MpiDefault=pmi2
NodeName=n1 CPUs=8
PartitionName=main Nodes=n1 Default=YES MaxTime=1-0
"""


class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:2", nodes=2, cpus=8))
        cls.program = cls.cluster.work / "rank.py"
        cls.program.write_text(RANK)
        nodes = cls.cluster.run("sinfo", "-h", "-N", "-o", "%N").stdout.split()
        cls.nodes = list(dict.fromkeys(nodes))

    def srun(self, *options, mode, **more):
        return self.cluster.run("srun", "-t", "5", *options, sys.executable, str(self.program), mode, **more)

    def test_ranks_meet_by_pmi_1_on_two_nodes(self):
        text = self.srun("--mpi=pmi2", "-N2", "-n4", mode="1").stdout
        all = str([f"v{rank}={self.nodes[rank // 2]}" for rank in range(4)])
        self.assertEqual(sorted(text.splitlines()), [f"{rank} {all} (vector,(0,2,2))" for rank in range(4)])

    def test_ranks_meet_by_pmi_2_wherever_m_puts_them(self):
        text = self.srun("--mpi=pmi2", "-N2", "-n4", "-m", "cyclic", mode="2").stdout
        all = str([f"v{rank}={self.nodes[rank % 2]}" for rank in range(4)])
        self.assertEqual(sorted(text.splitlines()), [f"{rank} {all} (vector,(0,2,1),(0,2,1)) {rank % 2}" for rank in range(4)])

    def test_steps_of_a_job_are_worlds_of_their_own(self):
        script = "\n".join(f"srun --mpi=pmi2 --exact -n2 -N1 {sys.executable} {self.program} {1 + i % 2} >out{i} &" for i in range(3)) + "\nwait"
        job = self.cluster.sbatch("-N1", "-n6", script=script)
        self.cluster.wait_state(job, "COMPLETED")
        for i in range(3):
            lines = (self.cluster.work / f"out{i}").read_text().splitlines()
            self.assertEqual([line.split()[0] for line in sorted(lines)], ["0", "1"], lines)

    def test_an_abort_ends_the_tasks_of_all_nodes(self):
        done = self.srun("--mpi=pmi2", "-N2", "-n4", mode="abort", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("srun: error: task 1 aborts the step: exit code 7", done.stderr)

    def test_who_speaks_no_pmi_harms_nobody_else(self):
        text = self.srun("--mpi=pmi2", "-N1", "-n3", mode="rubbish").stdout
        self.assertEqual(sorted(text.split()), ["refused", "served", "served"])

    def test_who_is_left_behind_is_told(self):
        text = self.srun("--mpi=pmi2", "-N2", "-n2", mode="leave").stdout
        self.assertIn("told -1 a_task_of_the_step_has_ended", text)

    def test_input_that_nobody_reads_yet_holds_nothing_up(self):
        size = 3_000_000
        text = self.srun("--mpi=pmi2", "-N2", "-n2", mode="read", stdin="x" * size).stdout
        self.assertEqual(sorted(text.splitlines()), [f"{rank} {size}" for rank in range(2)])

    def test_the_server_ends_with_its_step(self):
        self.srun("--mpi=pmi2", "-N2", "-n2", mode="1")
        self.cluster.wait("no server is left", lambda: not servers_of(str(self.cluster.state)))

    def test_what_there_is_and_what_is_meant(self):
        run = self.cluster.run
        self.assertEqual(run("srun", "--mpi=list").stdout.split()[4:], ["none", "pmi2", "pmix"])
        wrong = run("srun", "--mpi=exchange", "true", check=False)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("invalid MPI type 'exchange', --mpi=list for acceptable types", wrong.stderr)
        show = ["sh", "-c", "echo ${SLURM_MPI_TYPE-none} ${PMI_RANK-none}"]
        self.assertEqual(run("srun", *show).stdout, "none none\n")
        self.assertEqual(run("srun", "--mpi=pmi2", *show).stdout, "pmi2 0\n")
        self.assertEqual(run("srun", *show, env={"SLURM_MPI_TYPE": "pmi2"}).stdout, "pmi2 0\n")
        self.assertEqual(run("srun", "--mpi=none", *show, env={"SLURM_MPI_TYPE": "pmi2"}).stdout, "pmi2 none\n")


class MpiDefault(unittest.TestCase):
    def test_says_what_steps_have_without_a_word(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="berth-e2e-conf.")))
        (folder / "slurm.conf").write_text(CONF)
        with Cluster(conf=folder / "slurm.conf") as cluster:
            self.assertRegex(cluster.run("scontrol", "show", "config").stdout, r"MpiDefault +(= |=)pmi2\n")
            show = ["sh", "-c", "echo ${SLURM_MPI_TYPE-none} ${PMI_RANK-none}"]
            self.assertEqual(cluster.run("srun", *show).stdout, "pmi2 0\n")
            self.assertEqual(cluster.run("srun", "--mpi=none", *show).stdout, "none none\n")


def servers_of(folder):
    """Ids of MPI servers under shepherds of this cluster's runs."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            parent = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]
            if name in ("berth-pmi", "berth-pmix") and folder in Path(f"/proc/{parent}/cmdline").read_text():
                found.append(pid)
        except OSError:
            continue
    return found


if __name__ == "__main__":
    main()
