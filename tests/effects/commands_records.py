"""sacct: what each option makes of the records that there are (worlds.populate)."""

import getpass
import re

from commands import NOBODY, command_option
from commands_queue import as_json, names_in_yaml
from effect import same, see


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


@command_option("sacct --expand-patterns", seen="names of files with the job's number", world="jobs")
def sacct_expand_patterns(run):
    job = run.out("sbatch", "--parsable", "-J", "files", "-o", "%x-%j.out", "-e", "/tmp/%u.err", "-D", "/tmp", "--wrap", "true").strip()
    run.cluster.wait_all_done()
    same(run.lines("-n", "-X", "-P", "-j", job, "-o", "StdOut,StdErr,StdIn"), [f"/tmp/files-{job}.out|/tmp/{getpass.getuser()}.err|/dev/null"])
    same(run.out("sacct", "-n", "-X", "-P", "-j", job, "-o", "StdOut").strip(), "/tmp/%x-%j.out")


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
