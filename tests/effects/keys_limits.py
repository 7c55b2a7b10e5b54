"""Limits of berth.yaml: of accounts, of their users, of QOS. Each keeps a job waiting, or out, that would start without it."""

from effect import same
from keys_case import key


def tree(owner, limit):
    if owner == "qos":
        return {"qos": [{"name": "limited"} | limit], "accounts": [{"name": "bio", "users": ["root"]}]}
    if owner == "accounts":
        return {"accounts": [{"name": "bio", "users": ["root"]} | limit]}
    return {"accounts": [{"name": "bio", "users": [{"name": "root"} | limit]}]}


def limit(owners, name, value, words, reason, after=None, refused=False):
    """A job of these words waits for a reason, or is refused; where `after` is given, only beside a job of those words."""
    for owner in owners:
        qos = ("--qos=limited",) if owner == "qos" else ()
        whole = reason.format("QOS" if owner == "qos" else "Assoc")

        @key("berth.yaml", f"{owner}.{name}", "", seen=f"a job is {'refused' if refused else f'kept waiting ({whole})'}")
        def test(run, owner=owner, qos=qos, whole=whole):
            run.configure(yaml=tree(owner, {name: value}))
            if after is not None:
                run.runs(run.sbatch(*qos, *after, script="sleep 60"))
            if refused:
                same(whole in run.refused(*qos, *words), True)
            else:
                run.waits_for(run.sbatch(*qos, *words), whole)


ACCOUNTS = ("accounts", "accounts.users")
ALL = (*ACCOUNTS, "qos")
QOS = ("qos",)

limit(ALL, "grp_jobs", 1, (), "{}GrpJobsLimit", after=())
limit(ALL, "grp_tres", "cpu=2", (), "{}GrpCpuLimit", after=("-c2",))
limit(ALL, "max_tres", "cpu=1", ("-c2",), "{}MaxCpuPerJobLimit")
limit(ALL, "max_tres_per_node", "cpu=1", ("-c2",), "{}MaxCpuPerNode")
limit(ALL, "max_tres_minutes", "cpu=10", ("-t", "60"), "{}MaxCpuMinutesPerJobLimit")
limit(ACCOUNTS, "grp_tres_minutes", "cpu=0", (), "AssocGrpCPUMinutesLimit")
limit(ACCOUNTS, "grp_wall", "0", (), "AssocGrpWallLimit")
limit(ALL, "grp_submit_jobs", 1, (), "job submit limit", after=(), refused=True)
limit(ACCOUNTS, "max_jobs", 1, (), "AssocMaxJobsLimit", after=())
limit(ACCOUNTS, "max_submit_jobs", 1, (), "job submit limit", after=(), refused=True)
limit(ACCOUNTS, "max_wall", "10", ("-t", "60"), "AssocMaxWallDurationPerJobLimit")
limit(QOS, "max_tres_per_user", "cpu=2", (), "QOSMaxCpuPerUserLimit", after=("-c2",))
limit(QOS, "max_tres_per_account", "cpu=2", (), "MaxCpuPerAccount", after=("-c2",))
limit(QOS, "max_jobs_per_user", 1, (), "QOSMaxJobsPerUserLimit", after=())
limit(QOS, "max_jobs_per_account", 1, (), "MaxJobsPerAccount", after=())
limit(QOS, "max_submit_jobs_per_user", 1, (), "job submit limit", after=(), refused=True)
limit(QOS, "max_submit_jobs_per_account", 1, (), "job submit limit", after=(), refused=True)
limit(QOS, "min_tres", "cpu=4", ("-c1",), "QOSMinCpuNotSatisfied")
