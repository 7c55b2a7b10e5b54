"""squeue, sprio, sshare, sstat: what each option makes of a queue that stays as it is (worlds.populate)."""

import json
import re

from commands import NOBODY, command_option, only_variable
from effect import same, see

EVERYBODY = {"alice", "bob", "charlie", "dora", "greta"}  # And frank, whom --all shows.


def jobs(run, *others):
    """The names of the jobs that squeue shows."""
    return run.words_of("-h", "-o", "%j", *others) - {"frank"}


# ---- Which jobs.

@command_option("squeue --account", "bio", seen="the account's jobs alone")
def squeue_account(run):
    same(jobs(run), {"bob", "dora"})


@command_option("squeue --all", seen="a user sees jobs in hidden partitions as well", needs_root=True)
def squeue_all(run):
    see("frank" in run.words_of("-h", "-o", "%j", before=NOBODY))


@command_option("squeue --hide", seen="a user sees no jobs in hidden partitions", needs_root=True)
def squeue_hide(run):
    see("frank" not in run.words_of("-h", "-o", "%j", before=NOBODY, env={"SQUEUE_ALL": "1"}))


@command_option("squeue --jobs", lambda c: c.ids["bob"], seen="that job alone")
def squeue_jobs(run):
    same(jobs(run), {"bob"})


@command_option("squeue --licenses", "matlab", seen="the jobs that use the licence")
def squeue_licenses(run):
    same(jobs(run), {"bob"})


@command_option("squeue --me", seen="one's own jobs")
def squeue_me(run):
    same(jobs(run), {"alice", "charlie", "greta"})


@command_option("squeue --notme", seen="all jobs but one's own")
def squeue_notme(run):
    same(jobs(run), {"bob", "dora"})


@command_option("squeue --running-over", "0:01", seen="jobs that have run for more than a second")
def squeue_running_over(run):
    same(jobs(run), {"alice", "bob"})
    same(jobs(run, "--running-over=1-0"), set())


@command_option("squeue --running-under", "1-0", seen="jobs that have not run for a day")
def squeue_running_under(run):
    same(jobs(run), {"alice", "bob"})


@command_option("squeue --name", "alice,dora", seen="the jobs of these names")
def squeue_name(run):
    same(jobs(run), {"alice", "dora"})


@command_option("squeue --nodelist", "n2", seen="the jobs on that node")
def squeue_nodelist(run):
    same(jobs(run), {"bob"})


@command_option("squeue --partition", "other", seen="the partition's jobs")
def squeue_partition(run):
    same(jobs(run), {"dora"})


@command_option("squeue --qos", "high", seen="the jobs of the QOS")
def squeue_qos(run):
    same(jobs(run), {"bob"})


@command_option("squeue --reservation", "later", seen="the reservation's jobs")
def squeue_reservation(run):
    same(jobs(run), {"greta"})


@command_option("squeue --states", "PENDING", seen="the jobs in that state")
def squeue_states(run):
    same(jobs(run), {"charlie", "dora", "greta"})


@command_option("squeue --user", "nobody", seen="the user's jobs")
def squeue_user(run):
    same(jobs(run), {"bob", "dora"})


@command_option("squeue --start", seen="pending jobs alone, with their planned start")
def squeue_start(run):
    see("START_TIME" in run.ask() and not jobs(run) & {"alice", "bob"})


@command_option("squeue --steps", lambda c: c.ids["alice"], seen="steps instead of jobs")
def squeue_steps(run):
    see("sleep" in run.words_of("-h", "-o", "%j"))


# ---- How many lines, in which order, with which columns.

@command_option("squeue --array", seen="a line for each task")
def squeue_array(run):
    same(len(run.lines("-h", "-n", "dora")), 3)


@command_option("squeue --array-unique", seen="a line for each pending task")
def squeue_array_unique(run):
    same(len(run.lines("-h", "-n", "dora")), 3)


@command_option("squeue --sort", "j", seen="lines in the order of names")
def squeue_sort(run):
    names = run.lines("-h", "-p", "main,other", "-o", "%j")
    same(names, sorted(names))


@command_option("squeue --format", "%u of %a", seen="the columns asked for")
def squeue_format(run):
    same(run.lines("-h", "-n", "bob"), ["nobody of bio"])


@command_option("squeue --Format", "username:.10,account:.8", seen="the columns asked for")
def squeue_long_format(run):
    same(run.lines("-h", "-n", "bob"), ["    nobody     bio"])


@command_option("squeue --long", seen="the time limit, too")
def squeue_long(run):
    see("TIME_LIMI" in run.ask())


@command_option("squeue --noheader", seen="no header")
def squeue_noheader(run):
    see("JOBID" not in run.ask())


@command_option("squeue --noconvert", seen="memory in the unit in which it was asked for")
def squeue_noconvert(run):
    same(run.ask("-h", "-n", "alice", "-o", "%m").strip(), "2048M")


@command_option("squeue --only-job-state", seen="ids and states alone")
def squeue_only_job_state(run):
    see("alice" not in run.ask())


@command_option("squeue --priority", seen="a line for each partition of a pending job", world="jobs")
def squeue_priority(run):
    job = run.out("sbatch", "--parsable", "-H", "-p", "main,other", "--wrap", "true").strip()
    same(sorted(run.lines("-h", "-j", job, "-o", "%P")), ["main", "other"])


@command_option("squeue --json", seen="JSON")
def squeue_json(run):
    see(EVERYBODY <= {job["name"] for job in as_json(run)["jobs"]})


@command_option("squeue --yaml", seen="YAML")
def squeue_yaml(run):
    see(EVERYBODY <= names_in_yaml(run))


@command_option("squeue --clusters", "effects", seen="the cluster's name above")
def squeue_clusters(run):
    see("CLUSTER: effects" in run.ask())


@command_option("squeue --iterate", "1", seen="the queue again and again")
def squeue_iterate(run):
    done = run.cluster.run("timeout", "2.5", "squeue", *run.words(), check=False)
    see(done.stdout.count("alice") >= 2, done.stdout)


def as_json(run, *others):
    text = run.ask(*others)
    see(text.startswith("{"), text[:60])
    return json.loads(text)


def names_in_yaml(run, *others, of="jobs"):
    """Of a list of objects, which is the first in the document, those that have a name."""
    text = run.ask(*others)
    see(text.startswith(f"{of}:\n  - "), text[:60])
    return set(re.findall(r'^    name: "(.*)"$', text, re.MULTILINE))


# ---- sprio.

@command_option("sprio --noheader", seen="no header")
def sprio_noheader(run):
    see("JOBID" not in run.ask())


@command_option("sprio --jobs", lambda c: c.ids["charlie"], seen="that job alone")
def sprio_jobs(run):
    same(run.words_of("-h", "-o", "%i"), {run.ids["charlie"]})


@command_option("sprio --long", seen="every term")
def sprio_long(run):
    see("NICE" in run.ask())


@command_option("sprio --norm", seen="terms between 0 and 1")
def sprio_norm(run):
    see(any(word.startswith("0.") for word in run.words_of("-h")))


@command_option("sprio --format", "%u at %r", seen="the columns asked for")
def sprio_format(run):
    see("nobody at other" in run.lines("-h"))


@command_option("sprio --sort", "-u", seen="lines in that order")
def sprio_sort(run):
    names = run.lines("-h", "-o", "%u")
    same(names, sorted(names, reverse=True))


@command_option("sprio --partition", "other", seen="the partition's jobs")
def sprio_partition(run):
    same(run.words_of("-h", "-o", "%r"), {"other"})


@command_option("sprio --user", "nobody", seen="the user's jobs")
@command_option("sprio --users", "nobody", seen="the user's jobs")
def sprio_user(run):
    same(run.words_of("-h", "-o", "%u"), {"nobody"})


@command_option("sprio --weights", seen="the weights instead of jobs")
def sprio_weights(run):
    see("Weights" in run.ask())


@command_option("sprio --clusters", "nosuch", seen="another cluster is not there")
@command_option("sprio --cluster", "nosuch", seen="another cluster is not there")
@command_option("sshare --clusters", "nosuch", seen="another cluster is not there")
@command_option("sshare --cluster", "nosuch", seen="another cluster is not there")
@command_option("sdiag --cluster", "nosuch", seen="another cluster is not there")
def one_cluster(run):
    see("nosuch" in run.done(ok=False).stderr)


@command_option("sprio --verbose", seen="what was asked for")
def sprio_verbose(run):
    see(run.done().stderr)


# ---- sshare. Without an option it shows oneself.

@command_option("sshare --all", seen="all users")
def sshare_all(run):
    see("nobody" in run.ask())


@command_option("sshare --accounts", "bio", seen="the account alone")
def sshare_accounts(run):
    same({line.strip() for line in run.lines("-a", "-n", "-P", "-o", "Account")}, {"bio"})


@command_option("sshare --users", "nobody", seen="that user")
def sshare_users(run):
    same(run.words_of("-n", "-P", "-o", "User"), {"nobody"})


@command_option("sshare --Users", seen="users without their accounts' own lines")
def sshare_users_only(run):
    see("" not in run.lines("-a", "-n", "-P", "-o", "User"))


@command_option("sshare --format", "User,RawShares", seen="the columns asked for")
def sshare_format(run):
    same(run.lines("-P")[0], "User|RawShares")


@command_option("sshare --helpformat", seen="the names of the columns")
def sshare_helpformat(run):
    see("GrpTRESRaw" in run.ask())


@command_option("sshare --long", seen="more columns")
def sshare_long(run):
    see("TRESRunMins" in run.ask())


@command_option("sshare --partition", seen="the partition's column")
def sshare_partition(run):
    see("Partition" in run.ask())


@command_option("sshare --noheader", seen="no header")
def sshare_noheader(run):
    see("RawShares" not in run.ask())


@command_option("sshare --parsable", seen="fields between bars, one at the end")
def sshare_parsable(run):
    see(run.lines()[0].endswith("|"))


@command_option("sshare --parsable2", seen="fields between bars, none at the end")
def sshare_parsable2(run):
    see(run.lines()[0].startswith("Account|") and not run.lines()[0].endswith("|"))


@command_option("sshare --json", seen="JSON")
def sshare_json(run):
    see("bio" in {share["name"] for share in as_json(run, "-a")["shares"]["shares"]})


@command_option("sshare --yaml", seen="YAML")
def sshare_yaml(run):
    see(run.ask("-a").startswith("shares:\n  shares:\n"))


@command_option("sshare --verbose", seen="what was asked for")
def sshare_verbose(run):
    see(run.done().stderr)


# ---- sstat, of alice's job and its one step.

def stat(run, *others):
    """The ids that sstat shows."""
    return run.words_of("-n", "-P", "-o", "JobID", *others)


@command_option("sstat --jobs", lambda c: c.ids["alice"], seen="that job's steps")
@command_option("sstat --steps", lambda c: f"{c.ids['alice']}.0", seen="that step")
def sstat_jobs(run):
    same(stat(run), {f"{run.ids['alice']}.0"})


@command_option("sstat --allsteps", seen="the batch script as well")
def sstat_allsteps(run):
    alice = run.ids["alice"]
    same(stat(run, "-j", alice), {f"{alice}.batch", f"{alice}.0"})


@command_option("sstat --format", "NTasks,JobID", seen="the columns asked for")
@command_option("sstat --fields", "NTasks,JobID", seen="the columns asked for")
def sstat_format(run):
    same(run.lines("-n", "-P", "-j", run.ids["alice"]), [f"2|{run.ids['alice']}.0"])


@command_option("sstat --helpformat", seen="the names of the columns")
def sstat_helpformat(run):
    see("MaxRSSNode" in run.ask() and "|" not in run.ask())


@command_option("sstat --noheader", seen="no header")
def sstat_noheader(run):
    see("JobID" not in run.ask("-j", run.ids["alice"]))


@command_option("sstat --parsable", seen="fields between bars, one at the end")
def sstat_parsable(run):
    see(run.lines("-j", run.ids["alice"])[0].endswith("|"))


@command_option("sstat --parsable2", seen="fields between bars, none at the end")
def sstat_parsable2(run):
    see(run.lines("-j", run.ids["alice"])[0].endswith("TRESUsageInTot"))


@command_option("sstat --noconvert", seen="bytes without a unit")
def sstat_noconvert(run):
    memory = run.ask("-n", "-P", "-o", "MaxRSS", "-j", run.ids["alice"]).strip()
    see(memory.isdigit(), memory)


@command_option("sstat --verbose", seen="what was asked for")
def sstat_verbose(run):
    see(run.done("-j", run.ids["alice"]).stderr)
