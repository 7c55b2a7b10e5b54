"""The words of `scontrol update PartitionName=` and of `scontrol create`: each has the effect that it has on a line of slurm.conf."""

import re
from contextlib import ExitStack

import keys  # noqa: F401  It registers the effects of the lines.
import keys_preempt  # noqa: F401
import names_admin
from effect import EFFECTS, Effect, same
from keys_case import PARTITIONS, KeyCase


class PartitionCase(KeyCase):
    """The tests of PartitionName lines, whose word is given by scontrol to a partition that is there without it. Such a change is kept when
    slurm.conf is read again, so each test has a cluster of its own."""

    own = None

    def configure(self, *lines, partitions=PARTITIONS, **conf):
        self.own = ExitStack()
        self.own.enter_context(self.started(*lines, partitions=[line.replace("{it}", "") for line in partitions], **conf))
        for line in partitions:
            if "{it}" in line:
                self.update(re.match(r"PartitionName=(\w+)", line).group(1))

    def tidy(self):
        if self.own is None:
            return super().tidy()
        own, self.own = self.own, None
        return own.close()  # It calls this one again.

    def update(self, partition):
        if self.it:
            self.run("scontrol", "update", f"PartitionName={partition}", self.it)

    def first(self, jobs, partitions):
        """Which of two jobs that wait for n1 starts first. The run before them has no limit: a planned start would not be put off again."""
        self.configure(partitions=partitions)
        words = ("-w", "n1", "--exclusive")
        before = self.sbatch(*words, script="sleep 300")
        self.runs(before)
        pair = [self.sbatch(*words, "-p", job.get("Partition", "main"), script="sleep 300") for job in jobs]
        self.run("scancel", before)
        return 1 + pair.index(self.wait("one of them to run", lambda: [job for job in pair if self.squeue(job, "%t") == "R"], 10)[0])


def partition(name, value, seen, function, needs_root=False):
    one = Effect(f"scontrol partition {name.lower()}", seen, "alone", function, needs_root)
    one.case = lambda cluster, withheld: PartitionCase(cluster, one.name, withheld, "partition", name, value)
    EFFECTS.append(one)


def word(name, value, seen):
    def register(function):
        def tested(run):
            try:
                function(run)
            finally:
                if run.cluster:
                    run.tidy()
        partition(name, value, seen, tested)
        return function
    return register


@word("PartitionName", "other", seen="a job may ask for the partition that is created")
def name_of_partition(run):
    run.configure()
    if run.it:
        run.run("scontrol", "create", run.it, "Nodes=n2")
    same(run.output("echo $SLURM_JOB_NODELIST", "-p", "other"), "n2")


@word("Nodes+", "n2", seen="a job of two nodes starts")
def nodes_added(run):
    run.configure(partitions=["PartitionName=main Nodes=n1 Default=YES {it}"])
    run.runs(run.sbatch("-N2", script="sleep 60"))


@word("Nodes-", "n1", seen="no job runs on the node that is taken away")
def nodes_removed(run):
    run.configure(partitions=["PartitionName=main Nodes=n[1-2] Default=YES {it}"])
    same(run.output("echo $SLURM_JOB_NODELIST"), "n2")


for line in [one for one in EFFECTS if one.name.startswith("partition ")]:
    key = line.name.removeprefix("partition ")
    if key.lower() in names_admin.partitions() and key != "PartitionName":
        partition(key, line.case(None, False).value, line.seen, line.function, line.needs_root)
