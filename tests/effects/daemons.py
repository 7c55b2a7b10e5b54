"""Options of berthd, berth-agent and berth-launcher, as service units start them: each on a cluster of its own."""

import http.client
import socket
from contextlib import contextmanager

from effect import EFFECTS, Case, Effect, NoEffect, same, see
from test_launcher import USER, SplitCluster

PATIENCE = 5.0


class Split(SplitCluster):
    """A controller, a launcher and an agent. The tested option is added to the others, or taken from them."""

    def __init__(self, program, option, added=(), left_out=False):
        super().__init__()
        self.program, self.option, self.added, self.left_out = program, option, added, left_out
        self.has_launcher = True

    def start_launcher(self):
        if self.has_launcher:
            super().start_launcher()

    def start_agent(self, node="n1"):
        """Without a launcher the agent is root and runs the jobs itself."""
        if self.has_launcher:
            return super().start_agent(node)
        (self.root / "own").mkdir()
        return self.start("berth-agent", "--node", node, "--config", self.config, "--state", self.root / "own", "--emulate",
                          "--controller", f"unix:{self.state}/run/agents.sock", "--client-socket", self.state / "berthd.sock")

    def start(self, name, *arguments, **who):
        if name == self.program:
            while self.left_out and self.option in arguments:
                at = arguments.index(self.option)
                flag = at + 1 == len(arguments) or str(arguments[at + 1]).startswith("--")
                arguments = arguments[:at] + arguments[at + (1 if flag else 2):]
            arguments = (*arguments, *self.added)
        super().start(name, *arguments, **who)

    def wait(self, what, condition, patience=PATIENCE):
        return super().wait(what, condition, patience)

    def log_ends(self):
        return ""


class DaemonCase(Case):
    def __init__(self, name, withheld):
        super().__init__(None, name, withheld)
        self.program, self.option = name.rsplit(" ", 1)

    @contextmanager
    def started(self, *values, prepare=lambda cluster: None):
        """The cluster, whose one daemon has the option with these values; {} in one of them is the cluster's folder."""
        with_it = Split(self.program, self.option)
        with_it.added = () if self.withheld else (self.option, *(value.replace("{}", str(with_it.root)) for value in values))
        yield from self.running(with_it, prepare)

    @contextmanager
    def without(self, prepare=lambda cluster: None):
        """The cluster, whose daemon lacks the option where it is withheld: the others have it in any case."""
        yield from self.running(Split(self.program, self.option, left_out=self.withheld), prepare)

    def running(self, cluster, prepare):
        prepare(cluster)
        try:
            with cluster as self.cluster:
                yield cluster
        except (AssertionError, OSError) as error:
            raise NoEffect(str(error).split("\n")[0]) from None

    def job(self, script="true", *words):
        """What a job of an ordinary user prints."""
        done = self.cluster.run("sbatch", "--parsable", *words, stdin=f"#!/bin/sh\n{script}\n", user=USER, group="daemon", extra_groups=[])
        job = done.stdout.strip()
        self.cluster.wait_state(job, "COMPLETED")
        return self.cluster.output(job).strip()


def daemon(*all_names, seen):
    def register(function):
        for name in all_names:
            one = Effect(name, seen, "alone", function, needs_root=True)
            one.case = lambda cluster, withheld, name=name: DaemonCase(name, withheld)
            EFFECTS.append(one)
        return function
    return register


@daemon("berthd --state", "berthd --config", "berthd --socket", "berthd --agent-socket", "berthd --agent-user",
        "berth-agent --node", "berth-agent --config", "berth-agent --state", "berth-agent --controller", "berth-agent --launcher",
        "berth-launcher --node", "berth-launcher --config", "berth-launcher --state", "berth-launcher --socket",
        "berth-launcher --agent-user", "berth-launcher --controller-key", seen="a user's job runs")
def a_job_runs(run):
    with run.without():
        same(run.job("id -un"), USER)


def runs_jobs(run):
    """The tested daemon runs the jobs: an agent that is tested has no launcher."""
    return lambda cluster: setattr(cluster, "has_launcher", run.program == "berth-launcher")


@daemon("berth-agent --client-socket", "berth-launcher --client-socket", seen="a job's commands find the controller")
def client_socket(run):
    with run.without(runs_jobs(run)) as cluster:
        same(run.job("echo $BERTH_SOCKET"), str(cluster.state / "berthd.sock"))


@daemon("berth-launcher --lowest-uid", seen="a job of a user below is refused")
def lowest_uid(run):
    with run.started("1000") as cluster:
        done = cluster.run("sbatch", "--parsable", "--wrap", "true", user=USER, group="daemon", extra_groups=[])
        ended = lambda: cluster.state_of(done.stdout.strip()) not in ("PENDING", "RUNNING", "COMPLETING", "")
        cluster.wait("the refusal", lambda: "is the lowest" in cluster.log("berth-agent") + cluster.log("berth-launcher") + cluster.log("berthd") or ended())
        see(cluster.state_of(done.stdout.strip()) != "COMPLETED")


@daemon("berth-agent --api", "berth-launcher --api", seen="a job's commands find the controller at this address")
def address_of_api(run):
    with run.started("head.example:6820", prepare=runs_jobs(run)):
        same(run.job("echo $BERTH_CONTROLLER"), "head.example:6820")


@daemon("berth-agent --cgroup-prefix", "berth-launcher --cgroup-prefix", seen="a job is in a group below")
def cgroup_prefix(run):
    with run.started("berth-effects", prepare=runs_jobs(run)):
        see("/berth-effects/" in run.job("cat /proc/self/cgroup"), "it is not")


@daemon("berth-agent --emulate", "berth-launcher --emulate", seen="a job is in a group of the node's own, not where that of the whole machine would be")
def emulate(run):
    with run.without(runs_jobs(run)):
        see("/berth-" in run.job("cat /proc/self/cgroup"), "it is not")


@daemon("berth-agent --mps-control", seen="a job with a part of a GPU has that daemon")
def mps_control(run):
    with run.started("{}/mps", prepare=runs_jobs(run)):
        see("CUDA_MPS_PIPE_DIRECTORY=" in run.job("env", "--gres=mps:25"), "it has none")


class Joining(Split):
    """A node that no file describes joins: its agent and its launcher are told what it has."""

    def __init__(self, *options, **more):
        super().__init__(*options, **more)
        (self.config / "gres.conf").unlink()
        (self.config / "slurm.conf").write_text("ClusterName=open\nGresTypes=gpu\nMaxNodeCount=2\nNodeName=n1 CPUs=2\nPartitionName=main Nodes=ALL Default=YES\n")

    def start(self, name, *arguments, **who):
        arguments = tuple("dyn1" if word == "n1" else word for word in arguments)
        own = ("--agent-node", "dyn1") if name == "berthd" else ("-Z", "--conf", "CPUs=2 Gres=gpu:a100:2")
        super().start(name, *arguments, *own, **who)

    def wait_for_node(self):
        self.wait("the node to join", lambda: "idle" in self.run("sinfo", "-h", "-n", "dyn1", "-o", "%T").stdout)


def joined(run):
    return contextmanager(run.running)(Joining(run.program, run.option, left_out=run.withheld), lambda cluster: None)


@daemon("berth-launcher -Z", seen="a job has the GPU of a node that no file describes")
def joins(run):
    with joined(run):
        same(run.job("echo $CUDA_VISIBLE_DEVICES", "--gres=gpu:1", "-w", "dyn1"), "0")


@daemon("berth-launcher --conf", seen="what the controller says of the node is nothing new to the launcher")
def described(run):
    with joined(run) as cluster:
        run.job("true", "-w", "dyn1")
        see("as the controller describes it" not in cluster.log("berth-launcher"), "it is new")


# ---- Of each daemon.

@daemon("berthd --log-file", "berth-agent --log-file", "berth-launcher --log-file", seen="the log is in that file")
def log_file(run):
    with run.started("{}/work/its.log") as cluster:
        see(cluster.work.joinpath("its.log").exists() and cluster.work.joinpath("its.log").read_text(), "there is no such log")


@daemon("berthd --pid-file", "berth-agent --pid-file", "berth-launcher --pid-file", seen="the file has the process")
def pid_file(run):
    with run.started("{}/work/its.pid") as cluster:
        see(cluster.work.joinpath("its.pid").exists(), "there is no such file")
        same(int(cluster.work.joinpath("its.pid").read_text().split()[0]), cluster.processes[run.program].pid)


@daemon("berthd --verbose", "berth-agent --verbose", seen="the log tells more than slurm.conf asks for")
def verbose(run):
    def only_errors(cluster):
        with (cluster.config / "slurm.conf").open("a") as conf:
            conf.write("SlurmctldDebug=error\nSlurmdDebug=error\n")

    with run.started(prepare=only_errors) as cluster:
        see(run.job() == "" and "info" in cluster.log(run.program).lower(), "nothing of the kind info")


@daemon("berth-launcher --verbose", seen="the log tells what is started, and for whom")
def verbose_launcher(run):
    with run.started() as cluster:
        run.job()
        see("as uid" in cluster.log("berth-launcher"), "it does not")


@daemon("berthd --lenient", "berth-agent --lenient", "berth-launcher --lenient", seen="the daemon starts in spite of an error")
def lenient(run):
    def spoil(cluster):
        """Of the one daemon alone: the others have a copy without the error."""
        text = (cluster.config / "slurm.conf").read_text()
        own = cluster.root / "etc.wrong"
        own.mkdir()
        for path in cluster.config.iterdir():
            (own / path.name).write_text(path.read_text())
        (own / "slurm.conf").write_text("NoSuchKey=1\n" + text)
        start = cluster.start
        cluster.start = lambda name, *words, **who: start(
            name, *(own if word == cluster.config and name == run.program else word for word in words), **who)

    with run.started(prepare=spoil):
        same(run.job("id -un"), USER)


# ---- berthd's own.

def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


@daemon("berthd --listen", seen="it is reached at that port")
def listen(run):
    port = free_port()
    with run.started(f"127.0.0.1:{port}"):
        see(answers(port), "nobody answers")


@daemon("berthd --api-listen", seen="the API is reached at that port, and not three ports behind the other")
def api_listen(run):
    port, api = free_port(), free_port()
    with run.started(f"127.0.0.1:{api}", prepare=lambda cluster: setattr(cluster, "added", (*cluster.added, "--listen", f"127.0.0.1:{port}"))):
        see(answers(port) and answers(api) and not answers(port + 3))


@daemon("berthd --cluster-name", seen="a job is told this name")
def cluster_name(run):
    with run.started("renamed"):
        same(run.job("echo $SLURM_CLUSTER_NAME"), "renamed")


@daemon("berthd --audit-log", seen="that file has who changed what")
def audit_log(run):
    with run.started("{}/work/audit") as cluster:
        run.job()
        see(cluster.work.joinpath("audit").exists() and USER in cluster.work.joinpath("audit").read_text(), "it is not there")


@daemon("berthd --metrics", seen="Prometheus is answered there")
def metrics(run):
    port = free_port()
    with run.started(f"127.0.0.1:{port}"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/metrics")
        see(b"# TYPE" in connection.getresponse().read())
