"""Keys of berth.yaml, but for accounts and QOS (keys_accounts.py) and limits (keys_limits.py)."""

import http.server
import tempfile
import threading
import uuid
from functools import cache
from pathlib import Path

from effect import ask_socket, same, see
from keys_case import NODE, NODES, PARTITIONS, USER, yaml_key

ONE = {"nodes": [f"NodeName=n1 {NODE}"], "partitions": ["PartitionName=main Nodes=n1 Default=YES"]}


# ---- The site's policy.

@yaml_key("cluster", seen="a job's environment names the cluster")
def cluster(run):
    with run.started(yaml={"cluster": "other"}, **ONE):
        same(run.output("echo $SLURM_CLUSTER_NAME"), "other")


@yaml_key("operators", seen="the user may cancel another's job", needs_root=True)
def operators(run):
    run.configure(yaml={"operators": [USER]})
    run.as_user("scancel", run.sbatch("-H"))


@yaml_key("order", seen="the shorter of two jobs is first")
def order(run):
    same(run.first(yaml={"order": "shortest_first"}, jobs=[{"limit": 100}, {"limit": 10}]), 2)


@yaml_key("priority", seen="the term has its weight, and sprio shows it")
def priority(run):
    run.configure("PriorityWeightAge=7", yaml={"priority": {"deadline": {"weight": 1000, "horizon": 2 * 24 * 3600}, "size": 500, "xfactor": 1000}})
    see("PriorityWeightJobSize   = 500" in run.out("scontrol", "show", "config"))
    see("PriorityWeightAge       = 7" in run.out("scontrol", "show", "config"))
    terms = dict(one.split("=") for one in run.priority("-t60", "--deadline=now+1day", what="%X").split(","))
    same(sorted(terms), ["deadline", "xfactor"])
    see(490 <= int(terms["deadline"]) <= 510, terms)


@yaml_key("placement", seen="the second job is where the first is not")
def placement(run):
    run.configure(yaml={"placement": "spread"})
    jobs = [run.sbatch(script="sleep 20") for _ in range(2)]
    for job in jobs:
        run.runs(job)
    same(len({run.squeue(job, "%N") for job in jobs}), 2)


@yaml_key("licenses", seen="a job may ask for the licence")
def licenses(run):
    run.configure(yaml={"licenses": {"matlab": 4}})
    run.sbatch("-H", "-L", "matlab:1")


@yaml_key("enforce_accounts", seen="a user without an account is turned away", needs_root=True)
def enforce_accounts(run):
    run.configure(yaml={"enforce_accounts": True, "accounts": [{"name": "bio", "users": ["root"]}]})
    run.refused(user=USER)


@yaml_key("enforce_limits", seen="a limit is not kept")
def enforce_limits(run):
    run.configure(yaml={"enforce_limits": False, "accounts": [{"name": "bio", "grp_jobs": 1, "users": ["root"]}]})
    for _ in range(2):
        run.runs(run.sbatch(script="sleep 20"), 2)


@yaml_key("hold_after", seen="nobody starts where the first of the queue waits without a known start")
def hold_after(run):
    run.configure(partitions=["PartitionName=main Nodes=n[1-2] Default=YES"], yaml={"hold_after": "0:01"})
    run.runs(run.sbatch("-w", "n1", "--exclusive", script="sleep 100"))
    big = run.sbatch("-N2", "--exclusive")
    run.wait("n2 to be held", lambda: "hold" in run.out("berth", "why", big), 3)
    small = run.sbatch("-w", "n2", script="sleep 20")
    run.wait("a reason", lambda: run.squeue(small, "%t %r") == "PD Priority" or run.squeue(small, "%t") == "R", 2)
    see(run.squeue(small, "%t") == "PD", run.squeue(small, "%t %r"))


@yaml_key("gpu_types", seen="a job may ask for GPUs with so much memory")
def gpu_types(run):
    run.configure(yaml={"gpu_types": {"a100": {"memory": "80G"}}})
    run.sbatch("-H", "--gpus=1", "--berth-gpu-memory=60G")


@yaml_key("gpu_types.memory", seen="a job may ask for GPUs with so much memory")
def gpu_memory(run):
    gpu_types(run)


@yaml_key("gpu_types.compute_capability", seen="a job may ask for GPUs of this capability")
def gpu_capability(run):
    run.configure(yaml={"gpu_types": {"a100": {"compute_capability": "9.5"}}})
    run.sbatch("-H", "--gpus=1", "--berth-compute-capability=9.2")


# ---- Nodes and partitions.

def yaml_node(name, words, **values):
    @yaml_key(f"nodes.{name}", seen="a job may ask for it")
    def test(run):
        run.configure(partitions=[*PARTITIONS, "PartitionName=new Nodes=x1"], yaml={"nodes": [{"name": "x1"} | values]})
        run.sbatch("-H", "-p", "new", *words)


yaml_node("name", ["-w", "x1"])
yaml_node("cpus", ["-c8"], cpus=8)
yaml_node("sockets", ["-c8"], sockets=4, cores_per_socket=2)
yaml_node("cores_per_socket", ["-c8"], sockets=2, cores_per_socket=4)
yaml_node("threads_per_core", ["-c8"], sockets=1, cores_per_socket=4, threads_per_core=2)
yaml_node("memory_mb", ["--mem=4000"], memory_mb=8000)
yaml_node("tmp_disk_mb", ["--tmp=10G"], tmp_disk_mb=20000)
yaml_node("gres", ["--gres=gpu:h100:2"], gres="gpu:h100:2")
yaml_node("features", ["-C", "fast"], features=["fast"])


@yaml_key("nodes", seen="a job may ask for it")
def nodes(run):
    run.configure(partitions=["PartitionName=main Nodes=ALL Default=YES"], yaml={"nodes": [{"name": "x1", "cpus": 64}]})
    run.sbatch("-H", "-c64")


LIVE = {"cpus": 8, "memory_mb": 16000, "gres": "gpu:a100:4"}


@yaml_key("nodes.weight", seen="a job starts on the node that weighs less")
def node_weight(run):
    run.configure(nodes=[f"NodeName=n[2-4] {NODE}"], yaml={"nodes": [{"name": "n1", "weight": 5} | LIVE]})
    same(run.output("echo $SLURM_JOB_NODELIST"), "n2")


def fence_told(run, variable, **yaml):
    with tempfile.TemporaryDirectory(prefix="berth-keys.") as name:
        log, program = Path(name) / "log", Path(name) / "fence"
        program.write_text(f'#!/bin/sh\necho "${variable}" >>{log}\n')
        program.chmod(0o755)
        silent(run, {"fence": {"program": str(program)}} | yaml, lambda: run.wait("the fence", log.exists, 4), nodes=[])
        return log.read_text().strip()


def silent(run, yaml, then, nodes=ONE["nodes"]):
    """A node does not respond and holds a job."""
    with run.started("SlurmdTimeout=1", yaml=yaml, nodes=nodes, partitions=ONE["partitions"]):
        job = run.sbatch("--requeue", script="sleep 60")
        run.runs(job)
        run.stop_agent("n1")
        then() if not then.__code__.co_argcount else then(job)


@yaml_key("nodes.hostname", seen="a fence is told this name")
def node_hostname(run):
    same(fence_told(run, "BERTH_NODE_HOSTNAME", nodes=[{"name": "n1", "hostname": "elsewhere"} | LIVE]), "elsewhere")


@yaml_key("nodes.address", seen="a fence is told this address")
def node_address(run):
    same(fence_told(run, "BERTH_NODE_ADDRESS", nodes=[{"name": "n1", "address": "elsewhere"} | LIVE]), "elsewhere")


@yaml_key("fence", seen="the program is called for a node that does not respond")
def fence(run):
    same(fence_told(run, "BERTH_NODE", nodes=[{"name": "n1"} | LIVE]), "n1")


@yaml_key("fence.program", seen="the program is called for a node that does not respond")
def fence_program(run):
    fence(run)


@yaml_key("fence.timeout", seen="a fence that takes longer has failed")
def fence_timeout(run):
    with tempfile.TemporaryDirectory(prefix="berth-keys.") as name:
        program = Path(name) / "fence"
        program.write_text("#!/bin/sh\nsleep 20\n")
        program.chmod(0o755)
        silent(run, {"fence": {"program": str(program), "timeout": "0:01"}},
               lambda: run.wait("the fence's failure", lambda: "fence" in run.out("sinfo", "-h", "-R") + run.out("scontrol", "show", "node", "n1"), 5))


@yaml_key("fence.presume_dead_after", seen="the job of a node that does not respond waits again")
def fence_presume_dead(run):
    silent(run, {"fence": {"presume_dead_after": "0:01"}}, lambda job: run.wait("the job to wait again", lambda: run.squeue(job, "%t") == "PD", 5))


def yaml_partition(name, value, seen="it holds for a job of this partition"):
    def register(function):
        @yaml_key(f"partitions.{name}", seen=seen)
        def test(run):
            run.configure("PriorityWeightPartition=1000", partitions=[PARTITIONS[0] + " PriorityJobFactor=20"],
                          yaml={"partitions": [{"name": "other", "nodes": "n[1-2]", "max_time": "1-0", name: value}]})
            function(run)
        return function
    return register


@yaml_partition("name", "other")
def partition_name(run):
    run.sbatch("-H", "-p", "other")


@yaml_key("partitions", seen="a job may ask for one")
def partitions(run):
    run.configure(yaml={"partitions": [{"name": "other", "nodes": "n2"}]})
    run.sbatch("-H", "-p", "other")


@yaml_partition("nodes", "n2")
def partition_nodes(run):
    same(run.output("echo $SLURM_JOB_NODELIST", "-p", "other"), "n2")


@yaml_partition("job_defaults", "DefCpuPerGPU=3,DefMemPerGPU=500")
def partition_job_defaults(run):
    see("cpu=6,mem=1000M" in run.shown(run.sbatch("-H", "-p", "other", "--gres=gpu:2")))


@yaml_partition("max_cpus_per_node", 2)
def partition_max_cpus_per_node(run):
    run.sbatch("-p", "other", "-w", "n1", "-n2", script="sleep 60")
    run.waits_for(run.sbatch("-p", "other", "-w", "n1"), "Resources")


@yaml_key("partitions.qos", seen="a limit of that QOS keeps a job of another QOS waiting")
def partitions_qos(run):
    run.configure(partitions=[], yaml={"qos": [{"name": "small", "max_tres": "cpu=1"}],
                                       "partitions": [{"name": "main", "nodes": "n[1-2]", "default": True, "qos": "small"}]})
    run.waits_for(run.sbatch("-c2"), "QOSMaxCpuPerJobLimit")


@yaml_key("partitions.default", seen="a job that names no partition is accepted")
def partition_default(run):
    run.configure(partitions=[], yaml={"partitions": [{"name": "other", "nodes": "n2", "default": True}]})
    run.sbatch("-H")


@yaml_partition("max_time", "10")
def partition_max_time(run):
    run.waits_for(run.sbatch("-p", "other", "-t", "60"), "PartitionTimeLimit")


@yaml_partition("default_time", "7")
def partition_default_time(run):
    same(run.output("echo $((SLURM_JOB_END_TIME - SLURM_JOB_START_TIME))", "-p", "other"), "420")


@yaml_partition("min_nodes", 2)
def partition_min_nodes(run):
    run.waits_for(run.sbatch("-p", "other", "-N1"), "PartitionNodeLimit")


@yaml_partition("max_nodes", 1)
def partition_max_nodes(run):
    run.waits_for(run.sbatch("-p", "other", "-N2"), "PartitionNodeLimit")


@yaml_partition("state", "DOWN")
def partition_state(run):
    run.waits_for(run.sbatch("-p", "other"), "PartitionDown")


@yaml_partition("priority_job_factor", 10)
def partition_priority_job_factor(run):
    same(run.priority("-p", "other", what="%P"), "500")


@yaml_partition("default_memory_per_cpu_mb", 1000)
def partition_memory_per_cpu(run):
    see("mem=2000M" in run.shown(run.sbatch("-H", "-p", "other", "-c2")))


@yaml_partition("default_memory_per_node_mb", 1500)
def partition_memory_per_node(run):
    see("mem=1500M" in run.shown(run.sbatch("-H", "-p", "other", "-c2")))


@yaml_partition("billing_weights", "CPU=5")
def partition_billing_weights(run):
    see("billing=10" in run.output("scontrol show job $SLURM_JOB_ID | grep AllocTRES", "-p", "other", "-c2"))


@yaml_key("partitions.priority_tier", seen="its jobs start before those that were there earlier")
def partition_priority_tier(run):
    same(run.first(jobs=[{}, {"Partition": "better"}], yaml={"partitions": [{"name": "better", "nodes": "n1", "priority_tier": 7}]}), 2)


# ---- Notifications.

class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.heard.append((body.decode(), self.headers["X-Berth-Signature"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@cache
def receiver():
    """One for all tests: posts to one that is gone would be tried again and again."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.heard = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def heard(run, **more):
    """What the site's webhook is told of a job that is requeued: (body, signature) of each."""
    name = f"job-{uuid.uuid4().hex[:8]}"
    run.configure(yaml={"notifications": {"url": f"http://127.0.0.1:{receiver().server_port}/hook"} | more})
    job = run.sbatch("-J", name, script="sleep 60")
    run.runs(job)
    run.run("scontrol", "requeue", job)

    def news():
        all_of_it = [(body, signature) for body, signature in receiver().heard if name in body]
        return all_of_it if "REQUEUE" in str(all_of_it) or run.withheld else None
    return run.wait("news", news, 4)


@yaml_key("notifications", seen="the site's webhook is told of a job")
def notifications(run):
    see(heard(run, events=["REQUEUE"]))


@yaml_key("notifications.url", seen="the site's webhook is told of a job")
def notifications_url(run):
    see(heard(run, events=["REQUEUE"]))


@yaml_key("notifications.events", seen="the webhook is told of the one event and not of others")
def notifications_events(run):
    texts = [body for body, _ in heard(run, events=["REQUEUE"])]
    see(all("REQUEUE" in text for text in texts), texts)


@yaml_key("notifications.secret_file", seen="what the webhook is told is signed")
def notifications_secret(run):
    secret = run.cluster.root / "secret"
    secret.write_text("a secret of the site's")
    secret.chmod(0o600)
    see(all(signature for _, signature in heard(run, events=["BEGIN", "REQUEUE"], secret_file=str(secret))))
