"""The commands that are compared."""

import re

from compare import Field, pairs_differ, table_differs, text_differs, widths_differ
from jobs import JOBS, REFUSED, WRONG

SQUEUE = ("%i %P %j %u %t %T %M %l %D %R %a %b %B %c %C %d %e %E %f %F %g %G %h %H %I %k %K %L %m %n %N %o %O %q %Q %r %S %U %v %V %w %W"
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
        yield from table_differs(f"squeue -o {letter}", *(f"NAME|{letter}\n" + text.split("\n", 1)[1]
                                                           for text in both(slurm, berth, command, counted)), "NAME")
        heads = both(slurm, berth, f"squeue -o {letter}", counted)
        yield from widths_differ(f"squeue -o {letter}", *heads)
    for letter in SINFO:
        command = f"sinfo -N -o %N-%P|{letter}"
        yield from table_differs(f"sinfo -o {letter}", *(f"NAME|{letter}\n" + text.split("\n", 1)[1]
                                                         for text in both(slurm, berth, command, counted)), "NAME")
        yield from widths_differ(f"sinfo -o {letter}", *both(slurm, berth, f"sinfo -o {letter}", counted))
    for job in JOBS:
        for details in ("", "-d "):
            command = f"scontrol {details}show job {{{job.name}}}"
            yield from pairs_differ(f"scontrol {details}show job", job.name, *both(slurm, berth, command, counted))
    for what, names in (("node", ("gpu1", "gpu4")), ("partition", ("main", "debug")), ("step", ("{steps}",))):
        for name in names:
            texts = both(slurm, berth, f"scontrol show {what} {name}", counted)
            yield from pairs_differ(f"scontrol show {what}", name.strip("{}"), *texts)
    yield from sdiag_differs(slurm, berth, counted)
    command = f"sacct -a -P -o {SACCT}"
    yield from table_differs("sacct -P", *both(slurm, berth, command, counted), "JobID")


def sdiag_differs(slurm, berth, counted):
    """The lines it has, and how many jobs it has counted; how often and how fast is each one's own."""
    texts = both(slurm, berth, "sdiag", counted)
    plain = []
    for text in texts:
        text = re.sub(r"^\t(Cycles per minute|\w+ +\( *\d+\) count):.*\n", "", text, flags=re.M)
        text = re.sub(r"(?<!\d)\d+(?= microseconds)|(?<=:) *\d+$|(?<=\() *\d+(?=\))", "N", text, flags=re.M)
        plain.append(text)
    yield from text_differs("sdiag", *plain, ordered=True)
    counts = [dict(re.findall(r"^Jobs (\w+): +(\d+)$", text, re.M)) for text in texts]
    for key in counts[0]:
        yield Field("sdiag", "Jobs", key, counts[0][key], counts[1].get(key, "(absent)"))


def outcome_differs(slurm, berth, command, counted, user=None):
    counted.append(command)
    name = command.format(**{key: f"<{key}>" for key in slurm.ids})
    ends = []
    for side in (slurm, berth):
        done = side.cluster.run(*(part.format(**side.ids) for part in command.split(" ")), user=user)
        ends.append((str(done.returncode), side.plain(done.stdout).strip(), side.plain(done.stderr).strip()))
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
