"""sinfo, sacct, scontrol, sacctmgr, sdiag: what each option makes of what there is to be shown (worlds.populate)."""

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


# ---- sacct: the same jobs, and henry, who failed, and ida, who ran twice.

def jobs(run, *others, **more):
    """The names of the jobs that sacct shows."""
    return run.words_of("-n", "-X", "-P", "-o", "JobName", *others, **more) - {"frank"}


@command_option("sacct --accounts", "bio", seen="the account's jobs")
def sacct_accounts(run):
    same(jobs(run), {"bob", "dora", "ida"})


@command_option("sacct --allclusters", seen="the records of every cluster: there is one")
def sacct_allclusters(run):
    same(run.words_of("-n", "-X", "-P", "-o", "Cluster"), {"effects"})


@command_option("sacct --allocations", seen="jobs without their steps")
def sacct_allocations(run):
    see("batch" not in run.ask("-n", "-P", "-o", "JobID"))


@command_option("sacct --allusers", seen="the jobs of others as well")
def sacct_allusers(run):
    see("henry" in jobs(run, before=NOBODY))


@command_option("sacct --array", seen="a record for each pending task")
def sacct_array(run):
    same(len(run.lines("-n", "-X", "--name=dora")), 3)


def association(cluster):
    """The number of nobody's association with bio."""
    shown = cluster.run("scontrol", "show", "assoc_mgr", "flags=assoc").stdout
    return re.search(r"Account=bio UserName=nobody\S* Partition= Priority=\d+ ID=(\d+)", shown)[1]


@command_option("sacct --associations", association, seen="the association's jobs")
def sacct_associations(run):
    same(jobs(run), {"bob", "dora"})


@command_option("sacct --completion", seen="there are no completion records")
@command_option("sacct --file", "/etc/passwd", seen="there are no completion records")
def sacct_completion(run):
    same(run.done("-n", ok=False).stderr, "Slurm job completion is disabled\n")


@command_option("sacct --env-vars", seen="where the environment would stand")
def sacct_env_vars(run):
    alice = run.ids["alice"]
    same(run.ask("-j", alice), f"Environment used for {alice} (must be batch to display)\n{'-' * 80}\nNONE\n\n")


@command_option("sacct --flags", "SchedMain", seen="the jobs that have started")
def sacct_flags(run):
    same(jobs(run), {"alice", "bob", "henry", "ida"})


@command_option("sacct --reason", "NonZeroExitCode", seen="the jobs with that reason")
def sacct_reason(run):
    same(jobs(run), {"henry"})


@command_option("sacct --whole-hetjob", seen="all components of the job, of which one is named", world="jobs")
def sacct_whole_hetjob(run):
    first = int(run.run("sbatch", "--parsable", "-w", "n1", "-o", "/dev/null", ":", "-w", "n3", stdin="#!/bin/bash\ntrue\n").stdout)
    shown = lambda *options: set(run.out("sacct", "-n", "-X", "-P", "-o", "JobID", *options).split())
    both = {f"{first}+0", f"{first}+1"}
    same(shown(*run.words(), "-j", str(first + 1)), both)
    same(shown(*run.words(), "-j", f"{first}+1"), both)
    same(shown("--whole-hetjob=no", "-j", str(first)), {f"{first}+0"})
    same(shown("--whole-hetjob=no", "-j", f"{first}+1"), {f"{first}+1"})


@command_option("sacct --batch-script", seen="the script")
def sacct_batch_script(run):
    see("srun -n2 sleep 1000" in run.ask("-j", run.ids["alice"]))


@command_option("sacct --brief", seen="id, state and exit code")
def sacct_brief(run):
    same(run.lines("-P")[0], "JobID|State|ExitCode")


@command_option("sacct --clusters", "nosuch", seen="no records of another cluster")
def sacct_clusters(run):
    same(run.words_of("-n"), set())


@command_option("sacct --constraints", "fast", seen="jobs that asked for that feature")
def sacct_constraints(run):
    same(jobs(run), {"ida"})


@command_option("sacct --wckeys", "day,night", seen="jobs with one of these keys")
def sacct_wckeys(run):
    same(jobs(run), {"henry"})


@command_option("sacct --delimiter", "::", seen="what stands between fields")
def sacct_delimiter(run):
    see("JobID::JobName" in run.ask("-P"))


@command_option("sacct --duplicates", seen="each run of a requeued job")
def sacct_duplicates(run):
    same(len(run.lines("-n", "-X", "--name=ida")), 2)


@command_option("sacct --endtime", "now-1hour", seen="what ran before that time")
def sacct_endtime(run):
    same(jobs(run, "-S", "now-2hours"), set())


@command_option("sacct --starttime", "now", seen="what was not over by then")
def sacct_starttime(run):
    see("henry" not in jobs(run) and "alice" in jobs(run))


@command_option("sacct --format", "User,JobName", seen="the columns asked for")
def sacct_format(run):
    see("nobody|bob" in run.lines("-P", "-X"))


@command_option("sacct --helpformat", seen="the names of the columns")
def sacct_helpformat(run):
    see("TRESUsageInTot" in run.ask())


@command_option("sacct --jobs", lambda c: c.ids["henry"], seen="that job alone")
def sacct_jobs(run):
    same(jobs(run), {"henry"})


@command_option("sacct --json", seen="JSON")
def sacct_json(run):
    see("henry" in {job["name"] for job in as_json(run)["jobs"]})


@command_option("sacct --yaml", seen="YAML")
def sacct_yaml(run):
    see("henry" in names_in_yaml(run))


@command_option("sacct --long", seen="more columns")
def sacct_long(run):
    see("JobIDRaw" in run.ask())


@command_option("sacct --name", "bob", seen="the jobs of that name")
def sacct_name(run):
    same(jobs(run), {"bob"})


@command_option("sacct --noconvert", seen="memory in the unit in which it was asked for")
def sacct_noconvert(run):
    same(run.ask("-n", "-X", "-P", "--name=henry", "-o", "ReqMem").strip(), "2048M")


@command_option("sacct --nodelist", "n2", seen="the jobs on that node")
def sacct_nodelist(run):
    same(jobs(run), {"bob", "henry"})


@command_option("sacct --noheader", seen="no header")
def sacct_noheader(run):
    see("JobID" not in run.ask())


@command_option("sacct --parsable", seen="fields between bars, one at the end")
def sacct_parsable(run):
    see(run.lines()[0].endswith("|"))


@command_option("sacct --parsable2", seen="fields between bars, none at the end")
def sacct_parsable2(run):
    see(run.lines()[0].endswith("|ExitCode"))


@command_option("sacct --partition", "other", seen="the partition's jobs")
def sacct_partition(run):
    same(jobs(run), {"dora"})


@command_option("sacct --qos", "high", seen="the QOS's jobs")
def sacct_qos(run):
    same(jobs(run), {"bob"})


@command_option("sacct --state", "FAILED", seen="the jobs in that state")
def sacct_state(run):
    same(jobs(run), {"henry"})


@command_option("sacct --truncate", seen="times are cut to the window")
def sacct_truncate(run):
    same(run.ask("-n", "-X", "-P", "-S", "now", "--name=alice", "-o", "Elapsed").strip(), "00:00:00")


@command_option("sacct --units", "K", seen="memory in that unit")
def sacct_units(run):
    same(run.ask("-n", "-X", "-P", "--name=henry", "-o", "ReqMem").strip(), "2097152K")


@command_option("sacct --ncpus", "3-4", seen="the jobs that were given so many CPUs")
def sacct_ncpus(run):
    same(jobs(run), {"alice"})


@command_option("sacct --nnodes", "1", seen="the jobs that were given one node: none that waits")
def sacct_nnodes(run):
    same(jobs(run) & {"alice", "bob", "charlie", "dora"}, {"alice", "bob"})


@command_option("sacct --gid", "65534", seen="the group's jobs")
@command_option("sacct --group", "nogroup", seen="the group's jobs")
def sacct_group(run):
    same(jobs(run), {"bob", "dora"})


@command_option("sacct --timelimit-min", "5", seen="the jobs of that time limit")
def sacct_timelimit_min(run):
    same(jobs(run), {"henry"})


@command_option("sacct --timelimit-max", "7", seen="the jobs of a time limit up to that, from the least on")
def sacct_timelimit_max(run):
    same(jobs(run, "-k", "5"), {"henry", "ida"})


@command_option("sacct --user", "nobody", seen="the user's jobs")
@command_option("sacct --uid", "65534", seen="the user's jobs")
def sacct_user(run):
    same(jobs(run), {"bob", "dora"})


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
