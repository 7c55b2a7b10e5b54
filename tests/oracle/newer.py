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
    return gres(cell) if column == "%b" else cell
