"""The query parameters of slurmrestd's routes: what each chooses of the "show" world, and which signal DELETE sends to whom."""

import time

import names
from effect import EFFECTS, Case, Effect, ask_socket, same, see


class RestQuery(Case):
    """One request over the socket, with the parameter or without."""

    def __init__(self, cluster, name, withheld, value):
        super().__init__(cluster, name, withheld)
        method_and_path, self.key = name.split("?")
        self.method, self.path = method_and_path.split(" ")
        self.value = value(cluster) if callable(value) else value

    def ask(self, *others, **replaced):
        path = self.path
        for braces, given in replaced.items():
            path = path.replace("{" + braces + "}", given)
        wanted = [*others] + ([] if self.withheld else [f"{self.key}={self.value}"])
        return ask_socket(self.cluster, path + "?" + "&".join(wanted), self.method)

    def jobs(self, *others):
        """The jobs of the answer, by the names that worlds.populate gave them."""
        of = {number: name for name, number in self.cluster.ids.items()}
        return {of[str(row["job_id"])] for row in self.ask(*others)["jobs"]} - {"frank"}


def rest(full, value, seen="the rows that it chooses", world="show"):
    def register(function):
        one = Effect(full, seen, world, function, always=full in names.ALWAYS_SO)
        one.case = lambda cluster, withheld: RestQuery(cluster, full, withheld, value)
        EFFECTS.append(one)
        return function
    return register


@rest("GET /slurm/v0.0.44/jobs/state?job_id", lambda c: f"{c.ids['alice']},{c.ids['charlie']}")
def job_states(run):
    same(run.jobs(), {"alice", "charlie"})


def shares(run):
    return [row["name"] for row in run.ask()["shares"]["shares"]]


@rest("GET /slurm/v0.0.44/shares?accounts", "bio")
def shares_of_accounts(run):
    same(shares(run)[0], "bio")


@rest("GET /slurm/v0.0.44/shares?users", "nobody")
def shares_of_users(run):
    see("root" not in shares(run)[1:], "root's own share is there")


RECORDS = "GET /slurmdb/v0.0.44/jobs"
PENDING = {"charlie", "dora", "greta"}


def records(key, value, wanted):
    rest(f"{RECORDS}?{key}", value, "the jobs that it chooses")(lambda run: same(run.jobs(), wanted))


records("account", "bio", {"bob", "dora", "ida"})
records("cluster", "elsewhere", set())
records("users", "nobody", {"bob", "dora"})
records("partition", "other", {"dora"})
records("job_name", "greta,alice", {"greta", "alice"})
records("state", "FAILED", {"henry"})
records("step", lambda c: c.ids["bob"], {"bob"})
records("start_time", lambda _: int(time.time()), {"alice", "bob"} | PENDING)
records("end_time", "1", set())


@rest(f"{RECORDS}?show_duplicates", "true")
def duplicates(run):
    same(len(run.ask("job_name=ida")["jobs"]), 2)


@rest(f"{RECORDS}?skip_steps", "true")
def no_steps(run):
    same([row["steps"] for row in run.ask("job_name=henry")["jobs"]], [[]])


def associations(key, value, chosen):
    """Of both routes that give associations."""
    for route in ("associations", "association"):
        @rest(f"GET /slurmdb/v0.0.44/{route}?{key}", value)
        def check(run):
            rows = run.ask()["associations"]
            see(all(chosen(row) for row in rows), rows)


associations("account", "bio", lambda row: row["account"] == "bio")
associations("cluster", "elsewhere", lambda row: False)
associations("user", "nobody", lambda row: row["user"] == "nobody")
associations("parent_account", "root", lambda row: row["parent_account"] == "root")


@rest("GET /slurmdb/v0.0.44/accounts?description", "no such")
def accounts_by_description(run):
    same(run.ask()["accounts"], [])


def users(run):
    return [row["name"] for row in run.ask()["users"]]


@rest("GET /slurmdb/v0.0.44/users?admin_level", "Administrator")
def users_by_level(run):
    same(users(run), ["root"])


@rest("GET /slurmdb/v0.0.44/users?default_account", "bio")
def users_by_account(run):
    same(users(run), ["nobody"])


@rest("GET /slurmdb/v0.0.44/users?with_assocs", "true")
def users_with_associations(run):
    see(all(row["associations"] for row in run.ask()["users"]))


@rest("GET /slurmdb/v0.0.44/qos?name", "high")
def qos_by_name(run):
    same([row["name"] for row in run.ask()["qos"]], ["high"])


@rest("GET /slurmdb/v0.0.44/qos?description", "no such")
def qos_by_description(run):
    same(run.ask()["qos"], [])


# ---- What is so without them, too: with an hour to come, with one flag alone and with one field, the answer is whole.

CHANGE_NOTHING = {"update_time": lambda _: int(time.time()) + 3600, "flags": "LOCAL", "format": "JobID"}


def rows(run):
    """The answer's one list; of the time of the answer itself nothing is compared."""
    found = [value for key, value in run.ask(job_id=run.cluster.ids["alice"], node_name="n1", partition_name="main", reservation_name="later").items()
             if isinstance(value, list) and key not in ("errors", "warnings")]
    see(len(found) == 1 and found[0], found)
    return found[0]


def without_clocks(value):
    """Without what goes on between two answers: how long a job has run, or has waited."""
    if isinstance(value, list):
        return [without_clocks(one) for one in value]
    if isinstance(value, dict):
        return {key: without_clocks(one) for key, one in value.items() if key not in ("elapsed", "planned")}
    return value


def changes_nothing(run):
    given, run.withheld = rows(run), True
    same(without_clocks(given), without_clocks(rows(run)))


for name in sorted(one for one in names.ALWAYS_SO if one.startswith("GET /slurm")):
    rest(name, CHANGE_NOTHING[name.split("?")[1]], "the answer is whole with it, too")(changes_nothing)


# ---- DELETE: who of a batch script and its step has the signal.

SCRIPT = ("#!/bin/bash\ntrap 'touch batch.signal' USR1\n"
          "srun bash -c \"trap 'touch step.signal' USR1; touch ready; while :; do sleep 0.05; done\" &\nwhile :; do sleep 0.05; done\n")


def signalled(run, *others):
    for name in ("batch.signal", "step.signal", "ready"):
        (run.cluster.work / name).unlink(missing_ok=True)
    job = run.cluster.run("sbatch", "--parsable", stdin=SCRIPT).stdout.strip()
    run.cluster.wait("the step", lambda: (run.cluster.work / "ready").exists())
    run.ask(*others, job_id=job)
    time.sleep(1)
    had = {name for name in ("batch", "step") if (run.cluster.work / f"{name}.signal").exists()}
    state = run.cluster.state_of(job)
    run.cluster.run("scancel", job, check=False)
    return had, state


@rest("DELETE /slurm/v0.0.44/job/{job_id}?signal", "USR1", "script and step have the signal, and the job goes on", "jobs")
def delete_signal(run):
    same(signalled(run), ({"batch", "step"}, "RUNNING"))


@rest("DELETE /slurm/v0.0.44/job/{job_id}?flags", "BATCH_JOB", "the script alone has the signal", "jobs")
def delete_flags(run):
    same(signalled(run, "signal=USR1"), ({"batch"}, "RUNNING"))
