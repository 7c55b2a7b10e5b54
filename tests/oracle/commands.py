"""The commands that are compared."""

import re

import newer
import sdiag
from clock import seconds
from compare import Field, pairs_differ, table_differs, text_differs, widths_differ
from jobs import JOBS, REFUSED, WRONG
from queries import compare_queries

SQUEUE = ("%i %P %j %u %t %T %M %l %D %R %a %b %B %c %C %d %e %E %f %F %g %G %h %H %I %J %k %K %L %m %n %N %o %O %p %q %Q %r %S %U %v %V %w %W"
          " %x %X %y %Y %z %Z").split()
SINFO = "%P %a %l %D %t %T %N %C %G %f %b %m %c %z %X %Y %Z %w %d %E %g %h %s %r %R %p %F %A %e %O %o %n %B %I %M %v".split()
SACCT = ("JobIDRaw,JobID,JobName,User,UID,Group,GID,Account,Partition,QOS,State,ExitCode,DerivedExitCode,AllocCPUS,AllocNodes,AllocTRES,ReqCPUS,"
         "ReqMem,ReqNodes,ReqTRES,NCPUS,NNodes,NTasks,NodeList,Timelimit,TimelimitRaw,Elapsed,ElapsedRaw,CPUTime,CPUTimeRAW,Submit,Eligible,"
         "Start,End,Suspended,Priority,Reason,Comment,WorkDir,Cluster")


def both(slurm, berth, command, counted, user=None):
    """What both sides print, without what must differ."""
    counted.append(command)
    texts = []
    for side in (slurm, berth):
        done = side.cluster.run(*(part.format(**side.ids) for part in command.split(" ")), user=user)
        texts.append(side.plain(done.stdout + done.stderr))
    return texts


def compare_commands(slurm, berth, counted):
    for command in ("squeue", "squeue -l", "squeue -s", "squeue -t all", "squeue --start", "sinfo", "sinfo -T", "sinfo -l", "sinfo -N", "sinfo -N -l", "sinfo -R", "sinfo -s",
                    "sacct -a -X", "sacct -a"):
        texts = both(slurm, berth, command, counted)
        yield from widths_differ(command, *(text if not text[:1].isupper() or "NODELIST" in text.split("\n")[0] or command.startswith("sacct")
                                            else text.split("\n", 1)[1] for text in texts))
        # Slurm has the partitions of one node in any order.
        yield from text_differs(command, *texts, ordered="-N" not in command)
    for letter in SQUEUE:
        command = f"squeue -t all -o %j-%K|{letter}"
        texts = (f"NAME|{letter}\n" + text.split("\n", 1)[1] for text in both(slurm, berth, command, counted))
        yield from table_differs(f"squeue -o {letter}", *texts, "NAME", newer.squeue)
        heads = both(slurm, berth, f"squeue -o {letter}", counted)
        yield from widths_differ(f"squeue -o {letter}", *heads)
    for letter in SINFO:
        command = f"sinfo -N -o %N-%P|{letter}"
        yield from table_differs(f"sinfo -o {letter}", *(f"NAME|{letter}\n" + text.split("\n", 1)[1]
                                                         for text in both(slurm, berth, command, counted)), "NAME")
        yield from widths_differ(f"sinfo -o {letter}", *both(slurm, berth, f"sinfo -o {letter}", counted))
    accounted = both(slurm, berth, f"sacct -a -P -o {SACCT}", counted)
    requested = requested_tres(accounted[0])
    yield from jobs_differ(slurm, berth, requested, counted)
    for what, names, form in (("node", ("gpu1", "gpu4"), newer.node), ("partition", ("main", "debug"), newer.partition),
                              ("step", ("{steps}",), newer.step)):
        for name in names:
            texts = both(slurm, berth, f"scontrol show {what} {name}", counted)
            yield from pairs_differ(f"scontrol show {what}", name.strip("{}"), *texts, form)
    yield from sdiag.compare_texts(*both(slurm, berth, "sdiag", counted))
    yield from table_differs("sacct -P", *(per_second(text) for text in accounted), "JobID")
    yield from compare_queries(slurm, berth, counted, lambda *record: record_differs(slurm, berth, requested, counted, *record))


def requested_tres(accounted):
    """Job name → what sacct has as its ReqTRES, which 22.05's `scontrol show job` does not show."""
    head, *rows = (line.split("|") for line in accounted.splitlines())
    return {row[head.index("JobName")]: row[head.index("ReqTRES")] for row in rows if "." not in row[head.index("JobID")]}


def record_differs(slurm, berth, requested, counted, command, kind, name):
    """What a command shows as KEY=VALUE of one job, node, partition or step. On one line no SubmitLine is shown: docs/slurm-differences.md."""
    def of_job(pairs):
        new = newer.job(pairs, requested.get(name), slurm.lines[name])
        return {key: value for key, value in new.items() if key != "SubmitLine" or "-o" not in command.split(" ")}

    form = {"node": newer.node, "partition": newer.partition, "step": newer.step, "job": of_job}[kind]
    details = "-d " if " -d " in command else ""
    yield from pairs_differ(f"scontrol {details}show {kind}", name, *both(slurm, berth, command, counted), form)


def jobs_differ(slurm, berth, requested, counted):
    for job in JOBS:
        for details in ("", "-d "):
            command = f"scontrol {details}show job {{{job.name}}}"
            texts = (by_task(text) for text in both(slurm, berth, command, counted))
            yield from pairs_differ(f"scontrol {details}show job", job.name, *texts,
                                    lambda pairs, name=job.name: newer.job(pairs, requested.get(name), slurm.lines[name]))


def by_task(text):
    """The records of an array in the order of its tasks: Slurm has them in any."""
    records = [record for record in text.split("\n\n") if record.strip()]
    return "\n\n".join(sorted(records, key=lambda record: (re.findall(r"ArrayTaskId=(\d+)\s", record) or ["~"])[0]))


def per_second(text):
    """CPU time is elapsed time times CPUs: the clock is taken out of it, the CPUs stay."""
    head, *rows = (line.split("|") for line in text.splitlines())
    for row in rows:
        cells = dict(zip(head, row))
        elapsed = int(cells["ElapsedRaw"] or 0)
        for name, total in (("CPUTime", seconds(cells["CPUTime"]) if cells["CPUTime"] else 0), ("CPUTimeRAW", int(cells["CPUTimeRAW"] or 0))):
            if elapsed > 0 and total % elapsed == 0:
                row[head.index(name)] = f"{total // elapsed} x Elapsed"
            elif elapsed == 0 and total == 0:
                row[head.index(name)] = f"{cells['NCPUS']} x Elapsed"
    return "\n".join("|".join(row) for row in [head, *rows]) + "\n"


def outcome_differs(slurm, berth, command, counted, user=None):
    counted.append(command)
    name = command.format(**{key: f"<{key}>" for key in slurm.ids})
    ends = []
    for side in (slurm, berth):
        done = side.cluster.run(*(part.format(**side.ids) for part in command.split(" ")), user=user)
        ends.append((str(done.returncode), side.plain(done.stdout).rstrip("\n"), side.plain(done.stderr).rstrip("\n")))
    for field, a, b in zip(("exit code", "stdout", "stderr"), *ends):
        yield Field("wrong input", name, field, a, b)


def compare_refusals(slurm, berth, counted):
    for side in (slurm, berth):
        script = side.cluster.work / "refused.sh"
        script.write_text("#!/bin/bash\ntrue\n")
    for options in REFUSED:
        yield from outcome_differs(slurm, berth, f"sbatch -o /dev/null {options} refused.sh", counted, user="news")


def compare_wrong(slurm, berth, counted):
    for command in WRONG:
        yield from outcome_differs(slurm, berth, command, counted)
