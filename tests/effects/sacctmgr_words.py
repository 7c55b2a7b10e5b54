"""sacctmgr's KEY=VALUE words, of accounts, users and QOS: what each changes for jobs."""

import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path

import worlds
from cluster import Cluster
from effect import EFFECTS, Effect, ask_socket, same, see
from keys_case import GRES, USER, KeyCase

CONF = ("AccountingStorageEnforce=associations,limits,qos", "PriorityType=priority/multifactor", "PriorityWeightQOS=1000",
        "PriorityWeightAssoc=1000", "PriorityWeightFairShare=1000", "PriorityDecayHalfLife=0", "PreemptType=preempt/qos", "PreemptMode=REQUEUE")


class WordCase(KeyCase):
    """Each test makes an account, a user in it or a QOS of its own, with the word or without it."""

    def __init__(self, cluster, name, withheld, entity, word, value):
        super().__init__(cluster, name, withheld, f"sacctmgr {entity}", word, value)
        self.entity = entity
        self.own = f"x{uuid.uuid4().hex[:8]}"  # The account, and the QOS.

    def change(self, *words, ok=True):
        return self.run("sacctmgr", "-i", *words, ok=ok)

    def made(self, account=(), qos=(), user="root", word=True):
        """The options of a job in the account and the QOS. word: whether what is tested gets its word here."""
        given = {entity: (self.it,) if word and self.it and entity == self.entity else () for entity in ("account", "user", "qos")}
        self.change("add", "account", self.own, *account, *given["account"])
        self.change("add", "user", user, f"account={self.own}", *given["user"])
        if self.entity != "qos":
            return ("-A", self.own)
        self.change("add", "qos", self.own, *qos, *given["qos"])
        return ("-A", self.own, "--qos", self.own)


@contextmanager
def cluster_of_accounts():
    with tempfile.TemporaryDirectory(prefix="berth-accounts.") as name:
        folder = Path(name)
        (folder / "slurm.conf").write_text(KeyCase(None, "", True, "", "", "").slurm_conf(CONF))
        (folder / "gres.conf").write_text(GRES)
        with Cluster(conf=folder / "slurm.conf") as cluster:
            cluster.run("sacctmgr", "-i", "add", "qos", "high", "priority=100")
            cluster.run("sacctmgr", "-i", "add", "account", "all")
            cluster.run("sacctmgr", "-i", "add", "user", "root,games", "account=all")
            yield cluster


worlds.WORLDS["accounts"] = cluster_of_accounts


def word(entities, name, value, seen, needs_root=False):
    """Registers the effect of one word, for each of these entities."""
    def register(function):
        for entity in entities:
            def tested(case):
                try:
                    function(case)
                finally:
                    case.tidy()
            one = Effect(f"sacctmgr {entity} {name.lower()}", seen, "accounts", tested, needs_root)
            one.case = lambda cluster, withheld, one=one, entity=entity: WordCase(cluster, one.name, withheld, entity, name, value)
            EFFECTS.append(one)
        return function
    return register


ACCOUNT, USERS, QOS = ("account",), ("user",), ("qos",)
TREE = ("account", "user")
ALL = (*TREE, "qos")


# ---- Limits. Each keeps a job waiting, or out, that would start without it.

def limit(entities, name, value, words, reason, after=None, refused=False):
    """A job of these words waits for a reason, or is refused; where `after` is given, only beside a job of those words."""
    @word(entities, name, value, seen=f"a job is {'refused' if refused else 'kept waiting'}")
    def test(run):
        options = run.made()
        whole = reason.format("QOS" if run.entity == "qos" else "Assoc")
        if after is not None:
            run.runs(run.sbatch(*options, *after, script="sleep 60"))
        if refused:
            see(whole in run.refused(*options, *words))
        else:
            run.waits_for(run.sbatch(*options, *words), whole)


limit(ALL, "GrpJobs", 1, (), "{}GrpJobsLimit", after=())
limit(ALL, "GrpTRES", "cpu=2", (), "{}GrpCpuLimit", after=("-c2",))
limit(ALL, "MaxTRES", "cpu=1", ("-c2",), "{}MaxCpuPerJobLimit")
limit(ALL, "MaxTRESPerNode", "cpu=1", ("-c2",), "{}MaxCpuPerNode")
limit(ALL, "MaxTRESMins", "cpu=10", ("-t", "60"), "{}MaxCpuMinutesPerJobLimit")
limit(TREE, "GrpTRESMins", "cpu=0", (), "AssocGrpCPUMinutesLimit")
limit(TREE, "GrpWall", 0, (), "AssocGrpWallLimit")
limit(ALL, "GrpSubmitJobs", 1, (), "job submit limit", after=(), refused=True)
limit(TREE, "MaxJobs", 1, (), "AssocMaxJobsLimit", after=())
limit(TREE, "MaxSubmitJobs", 1, (), "job submit limit", after=(), refused=True)
limit(ALL, "MaxWall", 10, ("-t", "60"), "{}MaxWallDurationPerJobLimit")
limit(QOS, "MaxTRESPerUser", "cpu=2", (), "QOSMaxCpuPerUserLimit", after=("-c2",))
limit(QOS, "MaxTRESPerAccount", "cpu=2", (), "MaxCpuPerAccount", after=("-c2",))
limit(QOS, "MaxJobsPerUser", 1, (), "QOSMaxJobsPerUserLimit", after=())
limit(QOS, "MaxJobsPerAccount", 1, (), "MaxJobsPerAccount", after=())
limit(QOS, "MaxSubmitJobsPerUser", 1, (), "job submit limit", after=(), refused=True)
limit(QOS, "MaxSubmitJobsPerAccount", 1, (), "job submit limit", after=(), refused=True)
limit(QOS, "MinTRES", "cpu=4", ("-c1",), "QOSMinCpuNotSatisfied")


# ---- Accounts, and users in them.

@word(ACCOUNT, "Description", "cells", seen="the account is found by it")
@word(QOS, "Description", "cells", seen="the QOS is found by it")
def description(run):
    run.made()
    found = "qos" if run.entity == "qos" else "accounts"
    see(run.own in [row["name"] for row in ask_socket(run.cluster, f"/slurmdb/v0.0.44/{found}?description=cells")[found]])


@word(ACCOUNT, "Organization", "science", seen="sacctmgr has it")
def organization(run):
    run.made()
    same(run.out("sacctmgr", "-nP", "show", "account", run.own, "format=Org").strip(), "science")


@word(ACCOUNT, "Parent", "above", seen="the limit of the account above holds")
def parent(run):
    run.change("add", "account", "above", "GrpJobs=1", ok=None)  # Kept between the two runs of this test.
    options = run.made()
    run.runs(run.sbatch(*options, script="sleep 60"))
    run.waits_for(run.sbatch(*options), "AssocGrpJobsLimit")


def fair_share(run, account, user):
    rows = run.out("sshare", "-nP", "-A", account, "-u", user, "-o", "User,FairShare").splitlines()
    return next(float(row.split("|")[1]) for row in rows if row.strip().startswith(f"{user}|"))


@word(TREE, "Fairshare", 9, seen="who has more shares, and used the same, stands higher")
def fairshare(run):
    run.made()
    account, user = (f"y{run.own}", "root") if run.entity == "account" else (run.own, USER)
    if run.entity == "account":
        run.change("add", "account", account)
    run.change("add", "user", user, f"account={account}")
    (run.cluster.work / "usage").write_text(f"Account|User|RawUsage\n{run.own}|root|9000\n{account}|{user}|9000\n")
    run.run("berth", "usage", "import", "usage")
    see(fair_share(run, run.own, "root") > fair_share(run, account, user))


@word(TREE, "Priority", 10, seen="it counts for a job")
def priority(run):
    see(float(run.priority(*run.made(), what="%b")) > 0)


@word(TREE, "QOS", "high", seen="another QOS is refused")
def qos(run):
    options = run.made()
    run.sbatch("-H", "--qos=high", *options)
    see("Invalid qos" in run.refused("--qos=normal", *options))


@word(TREE, "DefaultQOS", "high", seen="a job that names no QOS has this one")
def default_qos(run):
    same(run.squeue(run.sbatch("-H", *run.made()), "%q"), "high")


@word(USERS, "Account", "all", seen="the user may charge jobs to it", needs_root=True)
def user_account(run):
    run.change("delete", "user", "daemon", ok=None)
    run.change("add", "user", "daemon", *([run.it] if run.it else []), ok=None)
    run.sbatch("-H", "-A", "all", user="daemon")


@word(USERS, "DefaultAccount", "all", seen="a job that names no account is charged to it", needs_root=True)
def default_account(run):
    run.change("delete", "user", "daemon", ok=None)
    run.change("add", "account", run.own)
    run.change("add", "user", "daemon", f"account={run.own},all", *([run.it] if run.it else []))
    same(run.squeue(run.sbatch("-H", user="daemon"), "%a"), "all")


@word(USERS, "AdminLevel", "Operator", seen="the user may cancel another's job", needs_root=True)
def admin_level(run):
    run.change("delete", "user", "daemon", ok=None)
    run.change("add", "user", "daemon", "account=all", "AdminLevel=None", ok=None)
    if run.it:
        run.change("modify", "user", "daemon", "set", run.it)
    run.as_user("scancel", run.sbatch("-H", "-A", "all"), user="daemon")
    if run.it:
        run.change("modify", "user", "daemon", "set", "AdminLevel=None")


# ---- QOS.

@word(QOS, "Priority", 50, seen="its part of the highest counts for a job")
def qos_priority(run):
    same(run.priority(*run.made(), what="%Q"), "500")


@word(QOS, "Flags", "DenyOnLimit", seen="a job that is over a limit is refused and does not wait")
def flags(run):
    run.refused("-c2", *run.made(qos=("MaxTRES=cpu=1",)))


def usage(run):
    text = run.out("sshare", "-nP", "-A", run.own, "-u", "root", "-o", "User,RawUsage")
    return sum(int(line.split("|")[1]) for line in text.splitlines() if line.strip().startswith("root|"))


@word(QOS, "UsageFactor", "0", seen="its jobs count nothing as usage")
def usage_factor(run):
    options = run.made()
    run.ends(run.sbatch("-c8", *options, script="sleep 2"))
    time.sleep(0.5)
    same(usage(run), 0)


def run_and_urgent(run, low, high):
    victim = run.sbatch("-w", "n1", "--exclusive", "-t", "10", *low, script="sleep 300")
    run.runs(victim)
    run.sbatch("-w", "n1", "--exclusive", "-t", "10", *high, script="sleep 300")
    return victim


def is_preempted(run, victim, patience=5):
    run.wait("the preemption", lambda: run.squeue(victim, "%t") not in ("R", "CG"), patience)
    return run.squeue(victim, "%t")


@word(QOS, "Preempt", "high", seen="its jobs take the place of runs of that QOS")
def preempt(run):
    own = run.made()
    is_preempted(run, run_and_urgent(run, ("-A", run.own, "--qos=high"), own))


def preempted_by_other(run):
    """A run of the tested QOS, and a job of another that preempts it."""
    own = run.made()
    other = f"y{run.own}"
    run.change("add", "qos", other, f"Preempt={run.own}")
    return run_and_urgent(run, own, ("-A", run.own, "--qos", other))


@word(QOS, "PreemptMode", "cancel", seen="a run of it is cancelled and does not wait again")
def preempt_mode(run):
    same(is_preempted(run, preempted_by_other(run)), "PR")


def goes_on(run):
    victim = preempted_by_other(run)
    time.sleep(2.5)
    same(run.squeue(victim, "%t"), "R")


@word(QOS, "GraceTime", 60, seen="a run of it goes on after the decision")
def grace_time(run):
    goes_on(run)


@word(QOS, "PreemptExemptTime", "10:00", seen="a run of it is not preempted in its first ten minutes")
def preempt_exempt_time(run):
    goes_on(run)
