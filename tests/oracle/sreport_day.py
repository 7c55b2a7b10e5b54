#!/usr/bin/env python3
"""Prints SQL that puts a day into the tables of a slurmdbd 22.05 with the cluster "oracle".

tests/data/sreport-22.05.txt is what its sreport printed of that day, and usage_rollup_test.cc has the
figures. To repeat it: start MariaDB, munge and slurmdbd (TrackWCKey=yes) with a cluster of four nodes
gpu[1-4] of 32 CPUs, 256000 MiB and 8 GPUs; make the accounts physics, bio and cells (below bio) with
the users of USERS; stop slurmdbd; `sreport_day.py | mariadb slurm_acct_db`; start it: it rolls up the
day at once. The machine's clock must be at 2026-11-26 before noon, UTC, or DAY be the day before.
"""

DAY, HOUR, NEVER = 1795564800, 3600, 4294967294
# Of each user in an account: the association's number, the account and the uid.
USERS = {"games": (6, "physics", 5), "backup": (7, "physics", 34), "news": (8, "bio", 9),
         "news of cells": (9, "cells", 9), "irc": (10, "cells", 39)}
NODE = "1=32,2=256000,5=32,1001=8"
ALL_NODES = "1=128,2=1024000,4=4,5=128,1001=32"


def insert(table, **columns):
    values = ",".join(f"`{name}`={value!r}" for name, value in columns.items())
    print(f"INSERT INTO {table} SET {values};")


def down(node, begin, end):
    insert("oracle_event_table", time_start=DAY + begin, time_end=DAY + end, node_name=node,
           cluster_nodes="", reason="bad fan", reason_uid=0, state=1, tres=NODE)


jobs = 0


def job(number, user, cpus, memory, nodes, gpus, eligible, start, end, suspended=0, resv=0, key=0, task=None, het=None):
    """Times are seconds of the day; `start` None: cancelled before."""
    global jobs
    jobs += 1
    association, account, uid = USERS[user]
    tres = f"1={cpus},2={memory},4={nodes},5={cpus}" + (f",1001={gpus}" if gpus else "")
    ran = start is not None
    insert("oracle_job_table", job_db_inx=jobs, mod_time=DAY, account=account, cpus_req=cpus, job_name="j",
           id_assoc=association, id_job=number, id_qos=1, id_resv=resv, id_wckey=key, wckey="beta" if key else "",
           id_user=uid, id_group=100, het_job_id=het[0] if het else 0, het_job_offset=het[1] if het else NEVER,
           id_array_job=task[0] if task else 0, id_array_task=task[1] if task else NEVER, state_reason_prev=0,
           nodelist="gpu1" if ran else "", nodes_alloc=nodes, partition="main", priority=1, state=3 if ran else 4,
           time_submit=DAY + eligible, time_eligible=DAY + eligible, time_start=DAY + start if ran else 0,
           time_end=DAY + end, time_suspended=suspended, tres_alloc=tres if ran else "", tres_req=tres)
    if suspended:
        insert("oracle_suspend_table", job_db_inx=jobs, id_assoc=association, time_start=DAY + end - suspended, time_end=DAY + end)


def reservation(number, name, flags, node, association, begin):
    insert("oracle_resv_table", id_resv=number, assoclist=association, flags=flags, nodelist=node, node_inx="0",
           resv_name=name, time_start=DAY + begin, time_end=DAY + begin + HOUR, tres="1=32")


def main():
    for table in ("event", "job", "resv", "suspend", "wckey", "last_ran"):
        print(f"DELETE FROM oracle_{table}_table;")
    for period in ("hour", "day", "month"):
        for kind in ("", "assoc_", "wckey_"):
            print(f"DELETE FROM oracle_{kind}usage_{period}_table;")
    print(f"INSERT IGNORE INTO tres_table VALUES({DAY},0,1001,'gres','gpu');")
    print(f"UPDATE oracle_assoc_table SET creation_time={DAY - 9 * 24 * HOUR};")
    print(f"INSERT INTO oracle_last_ran_table VALUES({DAY - 24 * HOUR},{DAY - 24 * HOUR},{DAY - 24 * 24 * HOUR});")
    # Sizes are told for keys that are known: without the empty one jobs without a key have no line.
    insert("oracle_wckey_table", creation_time=DAY, mod_time=DAY, id_wckey=1, wckey_name="", user="news")
    insert("oracle_wckey_table", creation_time=DAY, mod_time=DAY, id_wckey=2, wckey_name="beta", user="irc")
    insert("oracle_event_table", time_start=DAY - 24 * HOUR, time_end=0, node_name="", cluster_nodes="gpu[1-4]",
           reason="Cluster Registered TRES", reason_uid=0, state=0, tres=ALL_NODES)
    down("gpu4", 8 * HOUR, 9 * HOUR + 1800)
    down("gpu2", 14 * HOUR + 900, 14 * HOUR + 2700)
    job(1, "games", 4, 2000, 1, 1, -2 * HOUR, -1800, 1800)
    job(2, "games", 4, 2000, 1, 1, 2 * HOUR, 2 * HOUR, 4 * HOUR, suspended=1200)
    job(3, "news of cells", 64, 64000, 2, 0, 10 * HOUR, 10 * HOUR, 10 * HOUR + 1800)
    job(4, "news", 1, 100, 1, 0, 23 * HOUR, 23 * HOUR, 25 * HOUR)
    job(5, "irc", 8, 8000, 1, 4, 16 * HOUR, 16 * HOUR, 21 * HOUR, key=2)
    job(6, "backup", 128, 1000, 4, 0, 3 * HOUR, 5 * HOUR, 5 * HOUR + 1800)
    job(7, "backup", 2, 1000, 1, 0, 6 * HOUR, 6 * HOUR + 60, 6 * HOUR + 300)  # Requeued.
    job(7, "backup", 2, 1000, 1, 0, 6 * HOUR + 300, 6 * HOUR + 420, 6 * HOUR + 720)
    job(8, "games", 1, 1000, 1, 0, 7 * HOUR, 7 * HOUR, 7 * HOUR + 59, task=(8, 0))
    job(9, "games", 1, 1000, 1, 0, 7 * HOUR, 7 * HOUR, 7 * HOUR + 91, task=(8, 1))
    job(10, "games", 3, 1000, 1, 0, 7 * HOUR, 7 * HOUR, 7 * HOUR + 600, het=(10, 0))
    job(11, "games", 50, 1000, 2, 0, 7 * HOUR, 7 * HOUR, 7 * HOUR + 600, het=(10, 1))
    job(12, "backup", 16, 1000, 1, 0, 18 * HOUR, None, 18 * HOUR + 1800)
    job(13, "news", 8, 1000, 1, 0, 12 * HOUR, 12 * HOUR + 900, 12 * HOUR + 2700, resv=1)
    job(14, "games", 300, 1000, 1, 0, 20 * HOUR, None, 21 * HOUR)
    reservation(1, "course", 0, "gpu1", "8", 12 * HOUR)
    reservation(2, "fix", 1, "gpu2", "2", 14 * HOUR)


main()
