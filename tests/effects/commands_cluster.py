"""sinfo, scontrol, sacctmgr, sdiag: what each option makes of what there is to be shown (worlds.populate)."""

import re

from commands import NOBODY, command_option
from commands_queue import as_json, names_in_yaml
from effect import same, see


# ---- sinfo: n1 and n2 run something, n3 is idle but for frank, n4 is drained.

@command_option("sinfo --Node", seen="a line for each node")
def sinfo_node(run):
    see({"n1", "n2", "n3", "n4"} <= run.words_of("-h", "-o", "%N"))


@command_option("sinfo --all", seen="a user sees hidden partitions as well", needs_root=True)
def sinfo_all(run):
    see("secret" in run.ask(before=NOBODY))


@command_option("sinfo --hide", seen="a user sees no hidden partitions", needs_root=True)
def sinfo_hide(run):
    see("secret" not in run.words_of("-h", "-o", "%R", before=NOBODY, env={"SINFO_ALL": "1"}))


@command_option("sinfo --dead", seen="no node, since all respond")
def sinfo_dead(run):
    same(run.lines("-h", "-N"), [])


@command_option("sinfo --responding", seen="no node that does not respond", world="silent")
def sinfo_responding(run):
    run.cluster.kill("agent-n2")
    try:
        run.wait("n2 to be silent", lambda: "*" in run.out("sinfo", "-h", "-n", "n2", "-o", "%t"))
        same(run.words_of("-h", "-N", "-o", "%n"), {"n1"})
    finally:
        run.cluster.up()


@command_option("sinfo --clusters", "effects", seen="the cluster's name above")
def sinfo_clusters(run):
    see("CLUSTER: effects" in run.ask())


@command_option("sinfo --exact", seen="nodes that differ stand on lines of their own")
def sinfo_exact(run):
    same(run.words_of("-h", "-p", "main", "-o", "%c"), {"8", "4"})


@command_option("sinfo --format", "%n has %c", seen="the columns asked for")
def sinfo_format(run):
    see("n3 has 4" in run.ask("-h"))


@command_option("sinfo --Format", "partition:.12,available:.8", seen="the columns asked for")
def sinfo_long_format(run):
    see("       other      up" in run.lines("-h"))


@command_option("sinfo --long", seen="the root and oversubscribe columns")
def sinfo_long(run):
    see("OVERSUBS" in run.ask())


@command_option("sinfo --list-reasons", seen="why nodes are drained")
def sinfo_reasons(run):
    see("fan" in run.ask("-h"))


@command_option("sinfo --nodes", "n4", seen="that node alone")
def sinfo_nodes(run):
    same(set(" ".join(run.lines("-h", "-N", "-o", "%N")).split()), {"n4"})


@command_option("sinfo --noheader", seen="no header")
def sinfo_noheader(run):
    see("PARTITION" not in run.ask())


@command_option("sinfo --partition", "other", seen="the partition alone")
def sinfo_partition(run):
    same(run.words_of("-h", "-o", "%R"), {"other"})


@command_option("sinfo --reservation", seen="reservations instead of partitions")
def sinfo_reservation(run):
    see("later" in run.ask())


@command_option("sinfo --states", "drained", seen="the nodes in that state")
def sinfo_states(run):
    same(run.words_of("-h", "-N", "-o", "%N"), {"n4"})


@command_option("sinfo --summarize", seen="a line for each partition, with the counts of its nodes")
def sinfo_summarize(run):
    see("NODES(A/I/O/T)" in run.ask())


@command_option("sinfo --sort", "-P", seen="partitions in the order of names, the last first")
def sinfo_sort(run):
    names = run.lines("-h", "-p", "main,other", "-o", "%R")
    same(names, sorted(names, reverse=True))


@command_option("sinfo --iterate", "1", seen="the nodes again and again")
def sinfo_iterate(run):
    done = run.cluster.run("timeout", "2.5", "sinfo", *run.words(), check=False)
    see(done.stdout.count("drain") >= 2, done.stdout)


@command_option("sinfo --noconvert", seen="memory in megabytes")
def sinfo_noconvert(run):
    same(run.words_of("-h", "-n", "n3", "-p", "main", "-N", "-o", "%m"), {"8000"})


@command_option("sinfo --json", seen="JSON")
def sinfo_json(run):
    see(as_json(run)["sinfo"])


@command_option("sinfo --yaml", seen="YAML")
def sinfo_yaml(run):
    names_in_yaml(run, of="sinfo")


# ---- scontrol.

@command_option("scontrol --all", seen="a user sees hidden partitions as well", needs_root=True)
def scontrol_all(run):
    see("PartitionName=secret" in run.ask("show", "partition", before=NOBODY))


@command_option("scontrol --hide", seen="a user sees no hidden partitions", needs_root=True)
def scontrol_hide(run):
    shown = run.run(*NOBODY, "scontrol", "-a", *run.words(), "show", "partition").stdout
    see("PartitionName=secret" not in shown)


@command_option("scontrol --clusters", "nosuch", seen="another cluster is not there")
def scontrol_clusters(run):
    see("nosuch" in run.done("show", "partition", ok=False).stderr)


@command_option("scontrol --details", seen="which cores and GPUs a job has")
def scontrol_details(run):
    see("CPU_IDs=" in run.ask("show", "job", run.ids["alice"]))


@command_option("scontrol --json", seen="JSON")
def scontrol_json(run):
    see("alice" in {job["name"] for job in as_json(run, "show", "jobs")["jobs"]})


@command_option("scontrol --yaml", seen="YAML")
def scontrol_yaml(run):
    see("alice" in names_in_yaml(run, "show", "jobs"))


@command_option("scontrol --oneliner", seen="a line for each record")
def scontrol_oneliner(run):
    same(len(run.ask("show", "node", "n1").strip().splitlines()), 1)


@command_option("scontrol --quiet", seen="no word of what went wrong")
def scontrol_quiet(run):
    same(run.done("release", "123456", ok=False).stderr, "")


@command_option("scontrol --verbose", seen="what was asked for")
def scontrol_verbose(run):
    see(run.done("show", "job", run.ids["alice"]).stderr)


# ---- sacctmgr.

@command_option("sacctmgr --associations", seen="each user's associations")
def sacctmgr_associations(run):
    see("Share" in run.ask("show", "user", "nobody"))


@command_option("sacctmgr --noheader", seen="no header")
def sacctmgr_noheader(run):
    see("Account" not in run.ask("show", "account"))


@command_option("sacctmgr --parsable", seen="fields between bars, one at the end")
def sacctmgr_parsable(run):
    see(run.lines("show", "account")[0].endswith("|"))


@command_option("sacctmgr --parsable2", seen="fields between bars, none at the end")
def sacctmgr_parsable2(run):
    see(re.search(r"\|\w+$", run.lines("show", "account")[0]))


@command_option("sacctmgr --json", seen="JSON")
def sacctmgr_json(run):
    see("bio" in {account["name"] for account in as_json(run, "show", "account")["accounts"]})


@command_option("sacctmgr --yaml", seen="YAML")
def sacctmgr_yaml(run):
    see("bio" in names_in_yaml(run, "show", "account", of="accounts"))


@command_option("sacctmgr --verbose", seen="what was asked for")
def sacctmgr_verbose(run):
    see(run.done("show", "account").stderr)


# ---- sdiag.

def calls(run):
    """[(id, mean time, total time)] of the first list of calls, in its order."""
    text = run.ask().split("by message type")[1].split("by user")[0]
    return [tuple(map(int, row)) for row in re.findall(r"\(\s*(\d+)\) count:\d+\s+ave_time:(\d+)\s+total_time:(\d+)", text)]


@command_option("sdiag --json", seen="JSON")
def sdiag_json(run):
    see(as_json(run)["statistics"]["rpcs_by_message_type"])


@command_option("sdiag --yaml", seen="YAML")
def sdiag_yaml(run):
    see(run.ask().startswith("statistics:\n"))


@command_option("sdiag --sort-by-id", seen="calls by their number")
def sdiag_by_id(run):
    ids = [row[0] for row in calls(run)]
    see(ids == sorted(ids), ids)


@command_option("sdiag --sort-by-time", seen="calls by their time in all")
def sdiag_by_time(run):
    times = [row[2] for row in calls(run)]
    see(times == sorted(times, reverse=True), times)


@command_option("sdiag --sort-by-time2", seen="calls by their mean time")
def sdiag_by_mean_time(run):
    times = [row[1] for row in calls(run)]
    see(times == sorted(times, reverse=True), times)


@command_option("sdiag --all", seen="all statistics: nothing is left out without it")
def sdiag_all(run):
    see("Main schedule statistics" in run.ask() and "Backfilling stats" in run.ask())


@command_option("sdiag --reset", seen="the figures begin anew", world="jobs")
def sdiag_reset(run):
    run.run("sbatch", "--wrap", "true")
    run.done()
    see("Jobs submitted: 0" in run.out("sdiag"))
