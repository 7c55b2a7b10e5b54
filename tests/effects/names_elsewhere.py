"""Names that have no row of their own, but an end-to-end test elsewhere. `run --list` prints them apart."""

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


def complaints(accepted, tested):
    """What this list says that is not so."""
    found = [f"{name}: stands in names_elsewhere.py, and there is no such name" for name in sorted(set(TESTED_BY) - accepted)]
    found += [f"{name}: stands in names_elsewhere.py, and has a row" for name in sorted(set(TESTED_BY) & tested)]
    for name, file in TESTED_BY.items():
        path = TESTS / file
        if not path.exists() or name.split()[-1] not in path.read_text():
            found.append(f"{name}: tests/{file} does not give it")
    return found
