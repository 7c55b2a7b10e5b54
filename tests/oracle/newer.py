"""From what Slurm 22.05 prints to what 25.11 prints of the same, value by value. Berth prints as 25.11; the oracle is 22.05."""

import re

SIGNALS = {"1": "Hangup", "2": "Interrupt", "9": "Killed", "15": "Terminated"}
ORDER = ["cpu", "mem", "node", "billing"]
NO_LONGER = {"CapWatts": "n/a", "ExtSensorsJoules": "n/s", "ExtSensorsWatts": "0", "ExtSensorsTemp": "n/s"}
SINCE = {"ExclusiveTopo": "NO", "MaxCPUsPerSocket": "UNLIMITED"}


def in_order(tres):
    """sacct sorts by name; scontrol has cpu, mem, node, billing, and then the rest."""
    def place(one):
        name = one.partition("=")[0]
        return (ORDER.index(name) if name in ORDER else len(ORDER), name)
    return ",".join(sorted(filter(None, tres.split(",")), key=place)) or "(null)"


def gres(text):
    return re.sub(r"(?<![\w/])gres:", "gres/", text)


def reason(text, exit_code):
    """A script that a signal ended was a launch failure to 22.05."""
    signal = exit_code.partition(":")[2]
    return f"RaisedSignal:{signal}({SIGNALS[signal]})" if text == "JobLaunchFailure" and signal in SIGNALS else text


def job(pairs, requested, submit_line):
    """`requested`: what sacct has as the job's ReqTRES."""
    new = dict(pairs)
    for suffix in [key.removeprefix("TRES") for key in pairs if re.fullmatch("TRES'*", key)]:
        held = new.pop("TRES" + suffix)
        has_run = pairs.get("NodeList" + suffix, "(null)") not in ("(null)", "")
        new["ReqTRES" + suffix] = in_order(requested) if requested is not None else held
        new["AllocTRES" + suffix] = held if has_run else "(null)"
    for key in list(new):
        bare = key.rstrip("'")
        if bare == "Power" and new[key] == "":
            del new[key]
        elif bare.startswith("TresPer"):
            new[key] = gres(new[key])
        elif bare == "Reason":
            new[key] = reason(new[key], pairs.get("ExitCode" + key.removeprefix("Reason"), ""))
        elif bare == "JobId":
            new["SubmitLine" + key.removeprefix("JobId")] = submit_line
    return new


def node(pairs):
    return {key: value for key, value in pairs.items() if NO_LONGER.get(key) != value}


def partition(pairs):
    return SINCE | pairs


def step(pairs):
    return {key: gres(value) if key.startswith("Tres") else value for key, value in pairs.items()}


def squeue(column, cell):
    if column in ("%r", "%R", "REASON", "NODELIST(REASON)"):
        return cell.replace("JobLaunchFailure", "RaisedSignal:9(Killed)")  # The one job that does not end by itself.
    return gres(cell) if column == "%b" or column.startswith("TRES_PER_") else cell


def sdiag(text):
    """With the reasons for the ends of cycles, which come behind each scheduler's own numbers."""
    ends = {"Main schedule statistics": "Main scheduler exit:\n\tEnd of job queue:0\n\tHit default_queue_depth: 0\n"
            "\tHit sched_max_job_start: 0\n\tBlocked on licenses: 0\n\tHit max_rpc_cnt: 0\n\tTimeout (max_sched_time): 0\n",
            "Backfilling stats": "Backfill exit\n\tEnd of job queue:0\n\tHit bf_max_job_start: 0\n\tHit bf_max_job_test: 0\n"
            "\tSystem state changed: 0\n\tHit table size limit (bf_node_space_size): 0\n\tTimeout (bf_max_time): 0\n"}
    sections = text.split("\n\n")
    for head, block in ends.items():
        at = next((n for n, section in enumerate(sections) if section.startswith(head)), None)
        if at is not None:
            sections.insert(at + 1, block.rstrip("\n"))
    return "\n\n".join(sections)
