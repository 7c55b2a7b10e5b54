"""Words of PrivateData, JobSubmitPlugins and DebugFlags: each has an effect of its own."""

from effect import same, see
from keys_case import NODE, USER, key
from keys_site import RULES

PEOPLE = {"accounts": [{"name": "bio", "users": [USER, "root"]}]}


# ---- What an ordinary user is not shown.

def private(*words, seen):
    """The function is given the run and `shown`: what a command shows this user."""
    def register(function):
        for word in words:
            @key("PrivateData", word, "", seen=seen, needs_root=True)
            def test(run):
                run.configure(yaml=PEOPLE)
                function(run, lambda *command: run.as_user(*command).stdout)
        return function
    return register


@private("jobs", "all", seen="a user does not see another's job")
def jobs(run, shown):
    run.sbatch("-H")
    same(shown("squeue", "-h", "-o", "%i").split(), [])


@private("accounts", seen="a user sees no accounts")
def accounts(run, shown):
    see("bio" not in shown("sacctmgr", "-n", "-P", "show", "account", "format=Account").split())


@private("users", seen="a user sees no other user")
def users(run, shown):
    same(shown("sacctmgr", "-n", "-P", "show", "user", "format=User").split(), [USER])


@private("usage", seen="a user does not see another's usage")
def usage(run, shown):
    users_shown = shown("sshare", "-h", "-a", "-P", "-o", "User").split()
    same(set(users_shown), {USER})  # Once for each account that another effect left them in.


@private("reservations", seen="a user does not see a reservation that is not for them")
def reservations(run, shown):
    run.run("scontrol", "create", "reservation", "ReservationName=hidden", "StartTime=now+1hour", "Duration=60", "Nodes=n1", "Users=root")
    try:
        see("hidden" not in shown("scontrol", "show", "reservation"))
    finally:
        run.run("scontrol", "delete", "ReservationName=hidden")


@key("PrivateData", "nodes", "", seen="a user sees no nodes", needs_root=True)
def nodes(run):
    run.configure()
    run.as_user("scontrol", "show", "node", ok=False)


@key("PrivateData", "events", "", seen="a user sees no events of nodes", needs_root=True)
def events(run):
    run.configure()
    run.as_user("sacctmgr", "show", "event", ok=False)


@key("PrivateData", "partitions", "", seen="a user sees no partitions", needs_root=True)
def partitions(run):
    run.configure()
    run.as_user("scontrol", "show", "partition", ok=False)


# ---- What becomes of a submission.

@key("JobSubmitPlugins", "lua", "", seen="job_submit.lua refuses a job")
def lua(run):
    run.configure(files={"job_submit.lua": RULES})
    run.sbatch("-H", "--comment=tests")
    run.refused("-H")


@key("JobSubmitPlugins", "all_partitions", "", seen="a job that names no partition may run in any of them")
def all_partitions(run):
    run.configure()
    same(set(run.squeue(run.sbatch("-H"), "%P").split(",")), {"main", "all"})


@key("JobSubmitPlugins", "require_timelimit", "", seen="a job without a time limit is refused")
def require_timelimit(run):
    run.configure()
    run.sbatch("-H", "-t", "5")
    run.refused("-H")


# ---- What the controller's log tells of a job with a GPU and of its step.

def logged(run):
    with run.started(nodes=[f"NodeName=n1 {NODE}"], partitions=["PartitionName=main Nodes=n1 Default=YES"]):
        run.run("sbatch", "--wait", "-o", "/dev/null", "--gpus=1", "--wrap", "srun true")
        return (run.cluster.state / "log/berthd.log").read_text()


@key("DebugFlags", "gres", "", seen="the log tells which GPUs a job has")
def debug_gres(run):
    see("gres: job" in logged(run))


@key("DebugFlags", "steps", "", seen="the log tells of steps")
def debug_steps(run):
    see("steps: step" in logged(run))
