"""Accounts, their users and QOS in berth.yaml, but for limits (keys_limits.py)."""

from effect import ask_socket, same, see
from keys_case import USER, yaml_key

HIGH_LOW = [{"name": "high", "priority": 10}, {"name": "low", "priority": 1}]


# ---- Accounts and their users.

@yaml_key("accounts", seen="a user of one is accepted")
def accounts(run):
    run.configure(yaml={"enforce_accounts": True, "accounts": [{"name": "bio", "users": [{"name": "root"}]}]})
    run.sbatch("-H")


@yaml_key("accounts.name", seen="a job may be charged to the account")
def account_name(run):
    run.configure(yaml={"enforce_accounts": True, "accounts": [{"name": "bio", "users": [{"name": "root"}]}]})
    run.sbatch("-H", "-A", "bio")


@yaml_key("accounts.users", seen="the user is accepted")
def account_users(run):
    accounts(run)


@yaml_key("accounts.users.name", seen="the user is accepted")
def user_name(run):
    accounts(run)


@yaml_key("accounts.parent", seen="the limit of the account above holds")
def account_parent(run):
    run.configure(yaml={"accounts": [{"name": "top", "grp_jobs": 1}, {"name": "bio", "parent": "top", "users": ["root"]}]})
    run.runs(run.sbatch(script="sleep 60"))
    run.waits_for(run.sbatch(), "AssocGrpJobsLimit")


def equal_usage(run, ann, bob):
    """Two users have used the same; whose next job is first, ann's (2) or bob's (1)?"""
    return run.first("PriorityWeightFairShare=100000", jobs=[{"User": "bob", "Account": "b", "at": 40000}, {"User": "ann", "Account": "a", "at": 40000}],
                     before=[{"User": "bob", "Account": "b", "runs": 3600, "limit": 90}, {"User": "ann", "Account": "a", "runs": 3600, "limit": 90}],
                     yaml={"accounts": [{"name": "a", "users": [{"name": "ann"}], **ann}, {"name": "b", "users": [{"name": "bob"}], **bob},
                                        {"name": "c", "users": ["nobody"]}]})


@yaml_key("accounts.shares", seen="who has more shares and used the same comes first")
def account_shares(run):
    same(equal_usage(run, {"shares": 9}, {"shares": 1}), 2)


@yaml_key("accounts.users.shares", seen="who has more shares and used the same comes first")
def user_shares(run):
    same(run.first("PriorityWeightFairShare=100000", jobs=[{"User": "bob", "at": 40000}, {"User": "ann", "at": 40000}],
                   before=[{"User": "bob", "runs": 3600, "limit": 90}, {"User": "ann", "runs": 3600, "limit": 90}],
                   yaml={"accounts": [{"name": "a", "users": [{"name": "ann", "shares": 9}, {"name": "bob", "shares": 1}, {"name": "nobody"}]}]}), 2)


@yaml_key("accounts.priority", seen="its part of the highest counts for a job")
def account_priority(run):
    run.configure("PriorityWeightAssoc=1000", yaml={"accounts": [{"name": "bio", "priority": 10, "users": ["root"]},
                                                                 {"name": "other", "users": [{"name": USER, "priority": 20}]}]})
    same(run.priority(what="%B"), "500")


@yaml_key("accounts.users.priority", seen="its part of the highest counts for a job")
def user_priority(run):
    run.configure("PriorityWeightAssoc=1000", yaml={"accounts": [{"name": "bio", "users": [{"name": "root", "priority": 10}]}]})
    same(run.priority(what="%B"), "1000")


def described(run, what):
    """Those that slurmrestd's route finds by the description "cells"."""
    return [row["name"] for row in ask_socket(run.cluster, f"/slurmdb/v0.0.44/{what}?description=cells")[what]]


@yaml_key("accounts.description", seen="the account is found by it")
def account_description(run):
    run.configure(yaml={"accounts": [{"name": "bio", "description": "cells"}]})
    same(described(run, "accounts"), ["bio"])


@yaml_key("accounts.coordinators", seen="the user may cancel another's job of the account", needs_root=True)
def account_coordinators(run):
    run.configure(yaml={"accounts": [{"name": "bio", "coordinators": [USER], "users": ["root"]}]})
    run.as_user("scancel", run.sbatch("-H", "-A", "bio"))


@yaml_key("accounts.organization", seen="sacctmgr has it")
def account_organization(run):
    run.configure(yaml={"accounts": [{"name": "bio", "organization": "science"}]})
    see("bio|science" in run.out("sacctmgr", "-n", "-P", "show", "account", "format=Account,Org"))


@yaml_key("accounts.users.default", seen="a job that names no account has this one")
def user_default(run):
    run.configure(yaml={"accounts": [{"name": "bio", "users": ["root"]}, {"name": "physics", "users": [{"name": "root", "default": True}]}]})
    same(run.squeue(run.sbatch("-H"), "%a"), "physics")


@yaml_key("accounts.users.qos", seen="the user may not have another QOS")
def user_qos(run):
    run.configure(yaml={"enforce_accounts": True, "qos": HIGH_LOW,
                        "accounts": [{"name": "bio", "users": [{"name": "root", "qos": ["high"], "default_qos": "high"}]}]})
    run.sbatch("-H", "--qos=high")
    run.refused("--qos=low")


@yaml_key("accounts.users.default_qos", seen="a job that names no QOS has this one")
def user_default_qos(run):
    run.configure(yaml={"qos": HIGH_LOW, "accounts": [{"name": "bio", "users": [{"name": "root", "qos": ["high", "normal"], "default_qos": "high"}]}]})
    same(run.squeue(run.sbatch("-H"), "%q"), "high")


# ---- QOS.

@yaml_key("qos", seen="a job may have it")
def qos(run):
    run.configure(yaml={"qos": HIGH_LOW})
    run.sbatch("-H", "--qos=high")


@yaml_key("qos.name", seen="a job may have it")
def qos_name(run):
    qos(run)


@yaml_key("qos.priority", seen="its part of the highest counts for a job")
def qos_priority(run):
    run.configure("PriorityWeightQOS=1000", yaml={"qos": HIGH_LOW})
    same(run.priority("--qos=low", what="%Q"), "100")


@yaml_key("qos.max_wall", seen="a longer job does not start")
def qos_max_wall(run):
    run.configure(yaml={"qos": [{"name": "short", "max_wall": "10"}]})
    run.waits_for(run.sbatch("-t", "60", "--qos=short"), "QOSMaxWallDurationPerJobLimit")


@yaml_key("qos.deny_on_limit", seen="a job that is over a limit is refused and does not wait")
def qos_deny_on_limit(run):
    run.configure(yaml={"qos": [{"name": "short", "max_tres": "cpu=1", "deny_on_limit": True}]})
    run.refused("-c2", "--qos=short")


@yaml_key("qos.over_partition_qos", seen="its limit counts and not that of the partition's QOS")
def qos_over_partition_qos(run):
    run.configure(partitions=["PartitionName=main Nodes=n[1-2] Default=YES QOS=small"],
                  yaml={"qos": [{"name": "small", "max_tres": "cpu=1"}, {"name": "wide", "max_tres": "cpu=2", "over_partition_qos": True}]})
    run.ends(run.sbatch("-c2", "--qos=wide"))


@yaml_key("qos.description", seen="the QOS is found by it")
def qos_description(run):
    run.configure(yaml={"qos": [{"name": "high", "description": "cells"}]})
    same(described(run, "qos"), ["high"])


@yaml_key("qos.usage_factor_ppm", seen="who had a cheap QOS has used less and comes first")
def qos_usage_factor(run):
    same(run.first("PriorityWeightFairShare=100000", jobs=[{"User": "bob", "at": 40000}, {"User": "ann", "at": 40000}],
                   before=[{"User": "bob", "runs": 3600, "limit": 90}, {"User": "ann", "runs": 3600, "limit": 90, "QOS": "cheap"}],
                   yaml={"qos": [{"name": "cheap", "usage_factor_ppm": 100000}], "accounts": [{"name": "a", "users": ["ann", "bob", "nobody"]}]}), 2)
