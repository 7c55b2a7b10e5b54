"""Options of berthd that say what it keeps for ever: accounting, which takes an hour at least to become old, and the journal."""

import json
import sqlite3
import time
from contextlib import closing, contextmanager

from daemons import daemon
from effect import NoEffect, same

HOUR = 3_600_000  # The database counts in milliseconds.


@contextmanager
def changed(cluster):
    """The database of a controller that stands still meanwhile."""
    cluster.stop("berthd")
    with closing(sqlite3.connect(cluster.state / "db/berth.db")) as database, database:
        yield database
    cluster.start_controller()
    cluster.wait_for_controller()


@contextmanager
def two_hours_later(run, *values, **more):
    """A job with a step ended two hours ago, as the database has it; its number."""
    with run.started(*values, **more) as cluster:
        run.job("srun true")
        job = cluster.run("sacct", "-n", "-X", "-P", "-o", "JobID").stdout.strip()
        cluster.wait("its step to be written", lambda: len(shown(cluster, job)) > 1)
        with changed(cluster) as database:
            database.execute("UPDATE jobs SET ended = ended - ?, crc = NULL", (2 * HOUR,))
        yield cluster, job


def shown(cluster, job):
    return cluster.run("sacct", "-n", "-P", "-j", job, "-o", "JobID").stdout.split()


@daemon("berthd --purge-job-after", seen="a job that ended two hours ago is gone")
def purge_job_after(run):
    with two_hours_later(run, "1hour") as (cluster, job):
        cluster.wait("it to be gone", lambda: not shown(cluster, job))


@daemon("berthd --purge-step-after", seen="of a job that ended two hours ago the steps are gone")
def purge_step_after(run):
    with two_hours_later(run, "1hour") as (cluster, job):
        cluster.wait("them to be gone", lambda: shown(cluster, job) == [job])


@daemon("berthd --archive-dir", seen="a job that is deleted stands in a file there")
def archive_dir(run):
    def purge(cluster):
        (cluster.root / "archive").mkdir()
        cluster.added = (*cluster.added, "--purge-job-after", "1hour")

    with two_hours_later(run, "{}/archive", prepare=purge) as (cluster, job):
        kept = lambda: [json.loads(line) for path in (cluster.root / "archive").iterdir() for line in path.read_text().splitlines()]
        cluster.wait("it", lambda: job in [str(one["job"]) for one in kept()])


# ---- The journal.

BIG = ("x" * 120_000,) * 8  # Nearly the most that a script's arguments may be; a record of a submission has them.


def asked(cluster, question):
    with closing(sqlite3.connect(f"file:{cluster.state}/db/berth.db?mode=ro", uri=True)) as database:
        return database.execute(question).fetchone()[0]


@daemon("berthd --keep-journal", seen="its first record is there though two snapshots have come since")
def keep_journal(run):
    with run.started() as cluster:
        first = "SELECT min(sequence) FROM journal"
        begin = asked(cluster, first)
        (cluster.work / "script").write_text("#!/bin/sh\n")
        for _ in range(200):  # A snapshot is due after 64 MiB of records.
            cluster.run("sbatch", "-H", "script", *BIG)
            if asked(cluster, "SELECT count(*) FROM snapshots WHERE complete") == 2:
                break
        else:
            raise NoEffect("there are no two snapshots")
        until = time.monotonic() + 5
        while time.monotonic() < until:
            same(asked(cluster, first), begin)
            time.sleep(0.2)
