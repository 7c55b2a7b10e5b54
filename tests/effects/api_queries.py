"""The query parameters of the API: each chooses among the jobs of the "show" world, asked over the socket as any program asks."""

import time

import names
from effect import EFFECTS, Case, Effect, ask_socket, same, see


class Query(Case):
    def __init__(self, cluster, name, withheld, value):
        super().__init__(cluster, name, withheld)
        self.path, self.key = name.removeprefix("GET ").split("?")
        self.value = value
        self.list = self.path.rsplit("/", 1)[1].replace("accounting", "jobs")

    def body(self, *others):
        wanted = [*others] + ([] if self.withheld else [f"{self.key}={self.value}"])
        return ask_socket(self.cluster, self.path + "?" + "&".join(wanted))

    def rows(self, *others):
        return [value for value in self.body(*others).values() if isinstance(value, list)][0]

    def names(self, *others):
        """The jobs of the answer, by the names that worlds.populate gave them."""
        of = {number: name for name, number in self.cluster.ids.items()}
        return {of[str(row.get("job", row.get("id")))] for row in self.rows(*others)} - {"frank"}


LISTS = {"/v1/jobs", "/v1/priorities", "/v1/accounting"}
PENDING = {"charlie", "dora", "greta"}
ALL = {"/v1/jobs": PENDING | {"alice", "bob", "henry", "ida"}, "/v1/priorities": PENDING,
       "/v1/accounting": PENDING | {"alice", "bob", "henry", "ida"}}


def query(key, value, wanted, paths=LISTS):
    """With ?key=value the jobs `wanted` are left of all."""
    for path in sorted(paths):
        if f"GET {path}?{key}" not in names.query_parameters():
            continue
        full = f"GET {path}?{key}"
        one = Effect(full, "the jobs that it chooses", "show", lambda run: same(run.names(), ALL[run.path] & wanted),
                     always=full in names.ALWAYS_SO)
        one.case = lambda cluster, withheld, n=full: Query(cluster, n, withheld, value(cluster) if callable(value) else value)
        EFFECTS.append(one)


query("job", lambda c: c.ids["charlie"], {"charlie"})
query("user", "nobody", {"bob", "dora"})
query("account", "bio", {"bob", "dora", "ida"})
query("partition", "other", {"dora"})
query("state", "RUNNING", {"alice", "bob"}, {"/v1/jobs", "/v1/accounting"})
query("state", "FAILED", set(), {"/v1/priorities"})
query("name", "greta", {"greta"})
query("node", "n2", {"bob", "henry"}, {"/v1/jobs"})
query("node", "n2", set(), {"/v1/priorities"})


def one_query(full, value):
    def register(function):
        one = Effect(full, "the rows that it chooses", "show", function)
        one.case = lambda cluster, withheld: Query(cluster, full, withheld, value(cluster) if callable(value) else value)
        EFFECTS.append(one)
        return function
    return register


@one_query("GET /v1/jobs?field", "name")
def field(run):
    see(all(len(row) <= 2 for row in run.rows()))


@one_query("GET /v1/accounting?from", lambda _: int(time.time()))
def from_time(run):
    same(run.names(), {"alice", "bob"} | PENDING)


@one_query("GET /v1/accounting?until", "1")
def until(run):
    same(run.rows(), [])


@one_query("GET /v1/accounting?duplicates", "true")
def duplicates(run):
    same(len(run.rows("name=ida")), 2)


# ---- Nodes that took no work: n4 is drained, and none was there at first.

class Events(Query):
    def told(self):
        return self.body()["events"]


def events(key, value):
    full = f"GET /v1/node-events?{key}"

    def register(function):
        one = Effect(full, "the events that it chooses", "show", function)
        one.case = lambda cluster, withheld: Events(cluster, full, withheld, value)
        EFFECTS.append(one)
        return function
    return register


@events("node", "n4")
def events_of_a_node(run):
    same({event["node"] for event in run.told()}, {"n4"})


@events("until", "1")
def events_until(run):
    same(run.told(), [])


@events("from", str(2 ** 31))
def events_from(run):
    same([(event["node"], event["state"], event["reason"]) for event in run.told()], [("n4", "DRAIN", "fan")])


# ---- What was used: the runs of the last hour.

class Used(Query):
    def report(self):
        """Both times are needed. Where one of them is withheld, the usual one stands for it: a filter that ignores it would answer the same."""
        wanted = {"from": int(time.time()) - 3600, "until": int(time.time()) + 100}
        if not self.withheld:
            wanted.pop(self.key, None)
        return self.body(*(f"{key}={value}" for key, value in wanted.items()))

    def of(self, member):
        """What the groups have there."""
        return {group[member] for group in self.report()["groups"]}

    def jobs(self):
        return sum(group["jobs"] for group in self.report()["groups"])


def used(key, value):
    """With GET /v1/usage?key=value."""
    def register(function):
        full = f"GET /v1/usage?{key}"
        one = Effect(full, "the runs that it chooses", "show", function)
        one.case = lambda cluster, withheld: Used(cluster, full, withheld, value(cluster) if callable(value) else value)
        EFFECTS.append(one)
        return function
    return register


@used("from", lambda _: int(time.time()) + 50)
@used("until", lambda _: int(time.time()) - 1800)
def used_in_time(run):
    """No job has run since then, or had before."""
    same(run.jobs(), 0)


@used("job", lambda c: c.ids["alice"])
@used("node", "n1")
@used("partition", "secret")
def used_by_one(run):
    same(run.jobs(), 1)


@used("user", "nobody")
@used("group", "nogroup")
def used_by_nobody(run):
    same(run.of("user"), {"nobody"})


@used("account", "physics")
def used_by_physics(run):
    same(run.of("account"), {"physics"})


@used("wckey", "night")
def used_by_key(run):
    see(run.of("wckey") <= {"night"})


@used("by_size", "true")
def used_by_size(run):
    see(0 not in run.of("cpus"))


@used("reservations", "true")
def used_reservations(run):
    now = int(time.time())
    rows = run.body(f"from={now}", f"until={now + 3 * 3600}")["reservations"]
    same([row["name"] for row in rows], ["later"])
