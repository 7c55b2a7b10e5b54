"""reportseff: the table of how well finished jobs used what they had."""

from pathlib import Path

from scenario import out, ran, state_of, wait


def rows(*arguments):
    table = out("reportseff", "--no-color", *arguments).splitlines()
    return {line.split()[0]: line.split() for line in table if line.strip()}


def test_finished_jobs():
    good = out("sbatch", "--parsable", "-n1", "-c2", "--mem=1G", "-t", "10", "--wrap", "sleep 2").strip()
    bad = out("sbatch", "--parsable", "-t", "10", "--wrap", "exit 3").strip()
    gone = out("sbatch", "--parsable", "-t", "10", "--wrap", "sleep 600").strip()
    wait("it to run", lambda: state_of(gone) == "RUNNING")
    out("scancel", gone)
    wait("their ends", lambda: all(state_of(job) in ("COMPLETED", "FAILED", "CANCELLED") for job in (good, bad, gone)))
    table = rows(good, bad, gone)
    assert table[good][1] == "COMPLETED" and table[bad][1] == "FAILED" and table[gone][1] == "CANCELLED", table
    hours, minutes, seconds = (int(part) for part in table[good][2].split(":"))
    assert 2 <= hours * 3600 + minutes * 60 + seconds < 30, table
    assert table[good][3].endswith("%") and float(table[good][3][:-1]) < 10, table  # Of its time limit.
    return "state, elapsed and time used of three jobs"


def test_arrays_by_their_logs():
    array = out("sbatch", "--parsable", "--wait", "-a", "0-2", "-o", "log_%A_%a.out", "--wrap", "echo $SLURM_ARRAY_TASK_ID").strip()
    assert {path.name for path in Path.cwd().glob("log_*")} == {f"log_{array}_{task}.out" for task in range(3)}
    table = rows("--format=+NodeList,ReqMem%20", array)
    assert {f"{array}_{task}" for task in range(3)} <= table.keys(), table
    assert table[f"{array}_1"][1] == "COMPLETED" and "node1" in table[f"{array}_1"], table
    return "an array, with more columns"


def test_of_a_user_since():
    mine = rows("--user", "games", "--since", "d=1")
    assert len(mine) > 4, mine
    assert set(rows("--user", "games", "--since", "d=1", "--state", "F")) - {"JobID"} < set(mine)
    return "all of a user, by state, since a day"


if __name__ == "__main__":
    for test in (test_finished_jobs, test_arrays_by_their_logs, test_of_a_user_since):
        ran("reportseff", test())
