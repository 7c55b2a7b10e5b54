"""slurm_gpustat: the GPUs of each type, in all, of nodes that can be used, and free; by user; its logging daemon."""

import ast
from pathlib import Path

from scenario import out, ran, state_of, wait

AS_GAMES = ["setpriv", "--reuid=games", "--regid=games", "--init-groups"]
LOG = Path("data/daemons/logs/slurm_gpustat.log")


def sbatch(*arguments, user="root"):
    command = ["sbatch", "--parsable", "-o", "/dev/null", *arguments, "--wrap", "sleep 600"]
    return out(*(AS_GAMES if user == "games" else []), *command).strip()


def gpustat(*arguments):
    """{GPU: (all, online, available)}, {user: {GPU: count}}."""
    rows = out("slurm_gpustat", "--color", "0", *arguments).splitlines()
    heads = [number for number, row in enumerate(rows) if row.startswith("---")]
    kinds, users = {}, {}
    for kind, *counts in (row.split() for row in rows[heads[0] + 1:heads[1] - 2]):
        kinds[kind] = tuple(0 if count == "nan" else int(count) for count in counts)
    for user, total, counts in (row.split(maxsplit=2) for row in rows[heads[1] + 1:]):
        users[user] = {kind: int(count) for kind, count in (part.split(": ") for part in counts.split(", "))}
        assert int(total) == sum(users[user].values()), rows
    return kinds, users


def test_what_is_in_use():
    kinds, users = gpustat()
    assert kinds == {"total": (10, 10, 4), "a100": (8, 8, 3), "h100": (2, 2, 1)}, kinds
    assert users == {"games": {"a100": 4}, "root": {"a100": 1, "h100": 1}}, users
    kinds, users = gpustat("-p", "hopper")
    assert (kinds, users) == ({"total": (2, 2, 1), "h100": (2, 2, 1)}, {"root": {"h100": 1}}), (kinds, users)


def test_verbose():
    said = out("slurm_gpustat", "--color", "0", "--verbose")
    assert " -> a1: 1 a100 [cpu: 2/4, gres/gpu: 3/4] [games]" in said and " -> h1: 1 h100 [cpu: 1/4, gres/gpu: 1/2] [root]" in said, said


def test_the_daemon():
    out("slurm_gpustat", "--action", "daemon-start", "--daemon_log_interval", "1")
    wait("two lines of its log", lambda: LOG.exists() and LOG.read_text().count("\n") >= 2)
    out("slurm_gpustat", "--action", "daemon-stop")
    logged = [ast.literal_eval(line.split(maxsplit=1)[1]) for line in LOG.read_text().splitlines()]
    now = {"games": {"a100": {"a1": {"n_gpu": 3}, "a2": {"n_gpu": 1}}},
           "root": {"h100": {"h1": {"n_gpu": 1}}, "a100": {"a2": {"n_gpu": 1}}}}
    assert all(line == now for line in logged), logged


def test_a_drained_node(job):
    out("scontrol", "update", "nodename=h1", "state=drain", "reason=fan")
    left = {"total": (10, 8, 3), "a100": (8, 8, 3), "h100": (2, 0, 0)}, {"games": {"a100": 4}, "root": {"a100": 1, "h100": 1}}
    assert gpustat() == left, gpustat()
    out("scancel", job)
    wait("its job's end", lambda: gpustat() == (left[0], {"games": {"a100": 4}, "root": {"a100": 1}}))


if __name__ == "__main__":
    jobs = [sbatch("-w", "a1", "--gres=gpu:2", user="games"), sbatch("--gpus-per-node=a100:1", "-N2", "-w", "a[1-2]", user="games"),
            sbatch("-w", "a2", "--gres=gpu:a100"), sbatch("-p", "hopper", "--gres=gpu:h100:1")]
    waiting = sbatch("-p", "hopper", "--gres=gpu:2")
    wait("them to run", lambda: all(state_of(job) == "RUNNING" for job in jobs))
    assert state_of(waiting) == "PENDING"
    test_what_is_in_use()
    test_verbose()
    test_the_daemon()
    test_a_drained_node(jobs[3])
    ran("slurm-gpustat", "GPUs by type and user of two partitions, with its details of nodes; its daemon's log; a drained node")
