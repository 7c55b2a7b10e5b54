"""QOS that preempt each other, as sacctmgr sets and shows them, and what `scontrol show config` says of preemption."""

from compare import Field

COLUMNS = "format=name,priority,preempt,preemptmode,gracetime,preemptexempttime"
# With the answer to "Would you like to commit changes?"; in this order.
TRANSCRIPT = [
    ("sacctmgr -i add qos scav PreemptMode=cancel GraceTime=15 PreemptExemptTime=0", None),
    ("sacctmgr add qos top Preempt=normal,scav priority=10", "y\n"),
    ("sacctmgr add qos spare Preempt=scav", "n\n"),
    ("sacctmgr modify qos top set Preempt-=scav", "y\n"),
    (f"sacctmgr show qos {COLUMNS}", None),
    ("sacctmgr modify qos top set Preempt+=scav", "y\n"),
    (f"sacctmgr show qos {COLUMNS}", None),
    (f"sacctmgr -p show qos {COLUMNS}", None),
    ("sacctmgr modify qos normal set Preempt=top", "y\n"),
    ("sacctmgr modify qos normal set Preempt=normal", "y\n"),
    ("sacctmgr modify qos normal set Preempt=nosuch", "y\n"),
    ("sacctmgr -i modify qos top set Preempt=", None),
    ("sacctmgr -i modify qos top set PreemptMode=requeue,within GraceTime=20 PreemptExemptTime=10:00", None),
    (f"sacctmgr show qos {COLUMNS}", None),
    ("sacctmgr -i modify qos top set PreemptMode=off GraceTime=-1 PreemptExemptTime=-1", None),
    ("sacctmgr modify qos top set GraceTime=abc", "y\n"),
    ("sacctmgr modify qos top set PreemptExemptTime=abc", "y\n"),
    (f"sacctmgr -nP show qos {COLUMNS}", None),
    ("sacctmgr show qos", None),
]


def compare_preemption(slurm, berth, counted):
    counted.append("scontrol show config")
    for key, (theirs, ours) in settings(slurm, berth).items():
        yield Field("scontrol show config", "preemption", key, theirs, ours)
    for number, (command, answer) in enumerate(TRANSCRIPT):
        counted.append(command)
        ends = []
        for side in (slurm, berth):
            done = side.cluster.asked(*command.split(" "), answer=answer)
            ends.append((str(done.returncode), side.plain(done.stdout).rstrip("\n"), side.plain(done.stderr).rstrip("\n")))
        for field, a, b in zip(("exit code", "stdout", "stderr"), *ends):
            yield Field("sacctmgr", f"{number}: {command}", field, a, b)


def settings(*sides):
    found = {}
    for at, side in enumerate(sides):
        for line in side.cluster.run("scontrol", "show", "config").stdout.splitlines():
            key, _, value = line.partition("=")
            if key.strip() in ("PreemptMode", "PreemptType", "PreemptExemptTime"):
                found.setdefault(key.strip(), ["", ""])[at] = value.strip()
    return found
