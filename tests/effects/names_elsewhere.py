"""Names that have no row of their own: each has an end-to-end test elsewhere, or none yet. `run --list` prints them apart."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

# The file, below tests/, of the test that gives the option and sees what it does.
TESTED_BY = {
    "berthd --accept-loss": "e2e/test_backup.py",  # berth up hands it on.
    "berthd --agent-node": "packages/run",
    "berth-agent --gpu-readings": "effects/keys_policy.py",
    "berth-agent -Z": "e2e/test_dynamic_nodes.py",
    "berth-agent --conf": "e2e/test_dynamic_nodes.py",
    "berth-launcher --mps-control": "e2e/test_launcher.py",
    "berth-agent join --controller": "hosts/run",
    "berth-agent join --node": "hosts/run",
}

HOUR = "the shortest time is an hour, so a run cannot wait for it"
LAS = "needs traces of several GPU-hours for each setting; berth/policy/order/least_attained_test.cc tests it alone"
# Accepted, and seen by no end-to-end test. Why not.
NOT_YET = {
    "berthd --archive-dir": f"{HOUR}; apps/berthd/archive_file_test.cc tests it alone",
    "berthd --keep-journal": "the journal is cut only after much work; berth/store/store_test.cc tests it alone",
    "berthd --purge-job-after": HOUR,
    "berthd --purge-step-after": HOUR,
    "berth-agent --emulate": "every test here has it: without it a node takes the cores and cgroups of this machine",
    "berth-launcher --emulate": "likewise",
    "berth-agent --mps-control": "only the launcher's is tested; both set the same field",
    "berth-launcher -Z": "only the agent's is tested; both read the same description",
    "berth-launcher --conf": "likewise",
    "berth-launcher --verbose": "session_test.cc alone sees its lines, one for each thing that is started",
    "berth-agent join --api": "hosts/run joins by the usual port alone",
    "berth-agent join --config": "hosts/run joins with the usual folders alone",
    "berth-agent join --state": "likewise",
    **{f"order least_attained.{setting}": LAS for setting in ("factor", "first", "gittins", "quantum", "queues", "second")},
    "placement fragmentation.parts_count": "needs a history of jobs with parts of GPUs; fragmentation_test.cc tests it alone",
    "placement fragmentation.scarce_type": "needs a history of jobs that want one type; fragmentation_test.cc tests it alone",
}


def complaints(accepted, tested):
    """What these lists say that is not so."""
    both = set(TESTED_BY) | set(NOT_YET)
    found = [f"{name}: stands in names_elsewhere.py, and there is no such name" for name in sorted(both - accepted)]
    found += [f"{name}: stands in names_elsewhere.py, and has a row" for name in sorted(both & tested)]
    found += [f"{name}: stands in both lists of names_elsewhere.py" for name in sorted(set(TESTED_BY) & set(NOT_YET))]
    for name, file in TESTED_BY.items():
        path = TESTS / file
        if not path.exists() or name.split()[-1] not in path.read_text():
            found.append(f"{name}: tests/{file} does not give it")
    return found
