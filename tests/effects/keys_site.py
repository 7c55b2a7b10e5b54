"""Keys of slurm.conf about the site as a whole: who sees what, who administers it, what the logs tell."""

import socket
import tempfile
from pathlib import Path

import names_keys
from effect import NoEffect, same, see
from keys_case import NODE, PARTITIONS, USER, key
from keys_nodes import near

ACCEPTED = names_keys.key_names()


def site_key(kind, name, value, seen, **more):
    """Some of these keys are accepted only once their mend is in."""
    return key(kind, name, value, seen=seen, **more) if f"{kind} {name}" in ACCEPTED else lambda function: function


@site_key("partition", "AllowGroups", USER, seen="users of other groups are turned away", needs_root=True)
def allow_groups(run):
    run.configure(partitions=["PartitionName=main Nodes=n[1-2] Default=YES {it}"])
    run.sbatch(user=USER)
    run.refused(user="backup")


@site_key("partition", "Hidden", "YES", seen="a user sees it only with -a", needs_root=True)
def hidden(run):
    run.configure(partitions=[*PARTITIONS, "PartitionName=secret Nodes=n2 {it}"])
    see("secret" in run.as_user("sinfo", "-a", "-h", "-o", "%R").stdout.split())
    see("secret" not in run.as_user("sinfo", "-h", "-o", "%R").stdout.split())


def more_memory(run, partition):
    run.configure(partitions=[f"PartitionName=main Nodes=n[1-2] Default=YES {partition}"])
    run.sbatch("-H", "--mem=900")
    done = run.run("sbatch", "--parsable", "--mem=2000", "--wrap", "true", ok=None)
    if done.returncode == 0:
        run.waits_for(done.stdout.strip(), "MaxMemPerLimit")


@site_key("partition", "MaxMemPerNode", "1000", seen="a job that wants more memory of a node does not start")
def max_mem_per_node(run):
    more_memory(run, "{it}")


@site_key("slurm.conf", "MaxMemPerNode", "1000", seen="a job that wants more memory of a node does not start")
def global_max_mem_per_node(run):
    more_memory(run, "")


@site_key("slurm.conf", "JobFileAppend", "1", seen="what the output file held is kept")
def job_file_append(run):
    run.configure()
    (run.cluster.work / "kept").write_text("old\n")
    run.run("sbatch", "--wait", "-o", "kept", "--wrap", "echo new")
    same(run.file("kept"), "old\nnew\n")


@site_key("slurm.conf", "TopologyPlugin", "topology/flat", seen="topology.conf is not heeded")
def topology_plugin(run):
    try:
        near(run, "SwitchName=a Nodes=n1,n3\nSwitchName=b Nodes=n2,n4\n", plugin="flat" if run.it else "tree")
    except NoEffect as told:
        return see("n[1-2]" in str(told), told)
    raise NoEffect("it is heeded")


def listening(run, *lines):
    """What a berthd that listens for other hosts says of where it does."""
    with tempfile.TemporaryDirectory(prefix="berth-keys.") as name:
        folder, log = Path(name), Path(name) / "log"
        (folder / "etc").mkdir()
        run.write(folder / "etc", None, None, lines=lines)
        berthd = run.popen("berthd", "--state", f"{name}/state", "--config", f"{name}/etc", "--socket", f"{name}/api.sock",
                           "--agent-socket", f"{name}/agents.sock", "--log-file", str(log), "--listen", "config")
        try:
            return run.wait("berthd", lambda: (berthd.poll() is not None or log.exists() and "for other hosts" in log.read_text()) and log.read_text(), 5)
        finally:
            berthd.kill()
            berthd.wait()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@site_key("slurm.conf", "SlurmctldPort", "?", seen="agents of other hosts are awaited there")
def slurmctld_port(run):
    run.value = str(free_port())
    see(f":{run.value}" in listening(run, "SlurmctldHost=localhost(127.0.0.1)"))


@site_key("slurm.conf", "SlurmctldHost", "localhost(127.0.0.1)", seen="agents of other hosts are awaited at its address")
def slurmctld_host(run):
    port = free_port()
    see(f"127.0.0.1:{port}" in listening(run, f"SlurmctldPort={port}"))


@site_key("slurm.conf", "PrivateData", "jobs", seen="a user does not see another's job", needs_root=True)
def private_data(run):
    run.configure()
    run.sbatch("-H")
    same(run.as_user("squeue", "-h", "-o", "%i").stdout.split(), [])


RULES = """function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.comment == nil then
        slurm.log_user("Say what it is for: --comment")
        return slurm.ERROR
    end
    return slurm.SUCCESS
end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid) return slurm.SUCCESS end
"""


@site_key("slurm.conf", "JobSubmitPlugins", "lua", seen="job_submit.lua refuses a job, and its text is printed")
def job_submit_plugins(run):
    run.configure(files={"job_submit.lua": RULES})
    run.sbatch("-H", "--comment=tests")
    see("sbatch: error: Say what it is for: --comment" in run.refused("-H"))


@site_key("slurm.conf", "SlurmUser", USER, seen="the user may cancel another's job", needs_root=True)
def slurm_user(run):
    run.configure()
    run.as_user("scancel", run.sbatch("-H"))


@site_key("slurm.conf", "AccountingStorageTRES", "gres/gpu", seen="a job's GPUs are accounted for")
def accounting_storage_tres(run):
    run.configure()
    see("gres/gpu=2" in run.output("scontrol show job $SLURM_JOB_ID | grep AllocTRES", "--gpus=2"))


@site_key("slurm.conf", "ReturnToService", "0", seen="a node that did not respond and comes back takes no work")
def return_to_service(run):
    with run.started("SlurmdTimeout=1", nodes=[f"NodeName=n1 {NODE}"], partitions=["PartitionName=main Nodes=n1 Default=YES"]):
        run.stop_agent("n1")
        run.wait("the node not to respond", lambda: "*" in run.out("sinfo", "-h", "-o", "%T"), 5)
        run.continue_agents()
        run.wait("the node to be back", lambda: "*" not in run.out("sinfo", "-h", "-o", "%T"), 5)
        see("down" in run.out("sinfo", "-h", "-o", "%T"))


def logged(run, daemon):
    """What the daemon's log tells of a job with a GPU."""
    with run.started(nodes=[f"NodeName=n1 {NODE}"], partitions=["PartitionName=main Nodes=n1 Default=YES"]):
        run.run("sbatch", "--wait", "-o", "/dev/null", "--gpus=1", "--wrap", "true")
        return (run.cluster.state / "log" / f"{daemon}.log").read_text().lower()


def see_file(run):
    """The file that the key names is the site's."""
    with tempfile.TemporaryDirectory(prefix="berth-keys.") as folder:
        run.value = f"{folder}/its.log"
        logged(run, "berthd")
        see(Path(run.value).exists())


@site_key("slurm.conf", "SlurmctldLogFile", "?", seen="the controller's log is there")
def slurmctld_log_file(run):
    see_file(run)


@site_key("slurm.conf", "SlurmdLogFile", "?", seen="the agent's log is there")
def slurmd_log_file(run):
    see_file(run)


@site_key("slurm.conf", "SlurmctldDebug", "error", seen="the controller's log tells of errors alone")
def slurmctld_debug(run):
    see("info" not in logged(run, "berthd"))


@site_key("slurm.conf", "SlurmdDebug", "error", seen="the agent's log tells of errors alone")
def slurmd_debug(run):
    see("info" not in logged(run, "agent-n1"))


@site_key("slurm.conf", "DebugFlags", "gres", seen="the controller's log tells which GPUs a job has")
def debug_flags(run):
    see("gres: job" in logged(run, "berthd"))


def soft_limit(run):
    """The soft limit of open files in a job whose submitter's is 700."""
    name = f"limit-{run.key}-{run.withheld}"
    run.run("bash", "-c", f"ulimit -S -n 700; sbatch --wait -o {name} --wrap 'ulimit -S -n'")
    return run.file(name).strip()


@site_key("slurm.conf", "PropagateResourceLimits", "CORE", seen="a limit that it does not name stays behind")
def propagate_resource_limits(run):
    run.configure()
    see(soft_limit(run) != "700")


@site_key("slurm.conf", "PropagateResourceLimitsExcept", "NOFILE", seen="the limit that it names stays behind")
def propagate_resource_limits_except(run):
    run.configure()
    see(soft_limit(run) != "700")


@key("berth.yaml", "remove_shared_memory", "", seen="a file that a user's job left in /dev/shm is gone", needs_root=True)
def remove_shared_memory(run):
    left = Path(tempfile.mktemp(prefix="berth-effects.", dir="/dev/shm"))
    try:
        with run.started(yaml={"remove_shared_memory": True}):
            # Without --wait: other processes of the user keep the file.
            run.as_user("sbatch", "-o", "/dev/null", "--wrap", f"echo much > {left}; sleep 0.5")
            run.wait("the file", left.exists, 5)
            run.wait("the file to be gone", lambda: not left.exists(), 5)
    finally:
        left.unlink(missing_ok=True)
