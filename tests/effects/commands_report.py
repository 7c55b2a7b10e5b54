"""sreport, of the last hour: what each option makes of the report (worlds.populate)."""

from commands import command_option
from effect import same, see

HOUR = ("start=now-1hour", "end=now")


def top(run, *others):
    return run.lines(*others, "user", "top", *HOUR)


@command_option("sreport --all_clusters", seen="all there are")
def sreport_all_clusters(run):
    see("nobody" in run.ask("user", "top", *HOUR))


@command_option("sreport --cluster", "nosuch", seen="another cluster is not there")
def sreport_cluster(run):
    see("nosuch" in run.done("user", "top", ok=False).stderr)


@command_option("sreport --noheader", seen="neither title nor header")
def sreport_noheader(run):
    see(not any("Top 10 Users" in line or "Login" in line for line in top(run)))


@command_option("sreport --parsable", seen="fields between bars, one at the end")
def sreport_parsable(run):
    see(top(run, "-n")[0].endswith("|0|"))


@command_option("sreport --parsable2", seen="fields between bars, none at the end")
def sreport_parsable2(run):
    see(top(run, "-n")[0].endswith("|0"))


@command_option("sreport --quiet", seen="no word of what is not kept")
def sreport_quiet(run):
    same(run.done("cluster", "utilization", "start=now-1day", "end=now").stderr, "")


@command_option("sreport --tres", "mem", seen="memory instead of CPUs")
def sreport_tres(run):
    see(any(" mem " in line for line in top(run)))


@command_option("sreport --verbose", seen="what was asked for")
def sreport_verbose(run):
    see(run.done("user", "top").stderr)


# ---- What each command takes, whether or not its table has it.

for command in ("squeue", "sinfo", "sacct", "sdiag"):
    @command_option(f"{command} --verbose", seen="what was asked for")
    def verbose(run):
        see("defined options" in run.done().stderr)


@command_option("seff --verbose", seen="what was asked for")
def seff_verbose(run):
    see("defined options" in run.done(run.ids["alice"]).stderr)
