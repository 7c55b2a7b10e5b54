"""What Berth accepts, by name, read from the very tables that accept it: options, variables, keys, query parameters."""

import re
from functools import cache
from pathlib import Path

import names_keys

SOURCE = Path(__file__).resolve().parents[2] / "berth"
JOB_COMMANDS = {"kSbatch": ("sbatch",), "kSrun": ("srun",), "kSalloc": ("salloc",), "kBoth": ("sbatch", "srun"),
                "kJobs": ("sbatch", "srun", "salloc"), "kOfJob": ("sbatch", "srun", "salloc")}
PREFIX = {"sbatch": "SBATCH_", "srun": "SLURM_", "salloc": "SALLOC_"}
COMMANDS = ("squeue", "sinfo", "sacct", "scancel", "sprio", "sshare", "sstat", "scontrol", "sacctmgr", "sdiag", "sbcast", "sattach")
PLAIN = {"help", "usage", "version"}  # Each prints and ends; tests/oracle compares what.


def text_of(*files):
    return "\n".join((SOURCE / file).read_text() for file in files)


def table(text, name):
    """What stands between the braces of `constexpr auto NAME = …({ … });`."""
    found = re.search(rf"\b{name}\b[^;]*?\(\{{(.*?)\n\}}\);", text, re.S)
    assert found, f"no table {name}: tests/effects/names.py must follow the sources"
    return found.group(1)


@cache
def job_options():
    """{option: {"commands": (…), "variable": "GPUS" or None, "built": bool}}; options of two meanings have a row each."""
    rows = {}
    pattern = re.compile(r'\{"([\w-]+)",\s*(?:\'.\'|0),\s*\w+_argument(?:,\s*("\w+"|nullptr))?(?:,\s*([\w| ]+?))?(?:,\s*([^\s}].*?))?\}(?=,|\s)')
    for line in table(text_of("slurm/job_options.cc"), "kOptions").splitlines():
        for name, variable, commands, setter in pattern.findall(line):
            whole = sorted({c for word in (commands or "kJobs").split("|") for c in JOB_COMMANDS[word.strip()]})
            rows.setdefault(name, []).append({
                "commands": tuple(whole), "variable": variable.strip('"') if variable.startswith('"') else None,
                "built": bool(setter) and setter != "nullptr"})
    assert len(rows) > 100, "job_options.cc is read wrongly"
    return rows


@cache
def command_options():
    """{(command, option)} of the commands that only show or change."""
    found = set()
    for command in COMMANDS:
        files = [f"slurm/{command}.cc"] + ([f"slurm/{command}_options.cc"] if (SOURCE / f"slurm/{command}_options.cc").exists() else [])
        names = re.findall(r'\{"([\w-]+)",\s*(?:required|no|optional)_argument', text_of(*files))
        found |= {(command, name) for name in names if name not in PLAIN}
    assert len(found) > 120, f"the tables of options are read wrongly: {len(found)}"
    return found


@cache
def query_parameters():
    """{"GET /v1/jobs user", …}"""
    text = text_of("api/query.cc")
    return sorted(set(re.findall(r'"(\w+)"', text)))


def all_names():
    """Every name that must have an effect: {"sbatch --gpus", "#SBATCH --gpus", "SBATCH_GPUS", "slurm.conf KillWait" …}"""
    names = set()
    for option, rows in job_options().items():
        for row in rows:
            if not row["built"]:
                continue
            for command in row["commands"]:
                names.add(f"{command} --{option}")
                if command == "sbatch":
                    names.add(f"#SBATCH --{option}")
                if row["variable"]:
                    names.add(PREFIX[command] + row["variable"])
    names |= {f"{command} --{option}" for command, option in command_options()}
    names |= names_keys.key_names()
    return names


if __name__ == "__main__":
    print("\n".join(sorted(all_names())))
