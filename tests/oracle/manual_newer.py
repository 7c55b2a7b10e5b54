"""What the manual pages of Slurm 25.11 name, as words-25.11.txt lists it: manual.py's functions, of a version that Debian has not got."""

import functools
from pathlib import Path

LIST = Path(__file__).resolve().with_name("words-25.11.txt")


@functools.cache
def lists():
    """{"sbatch options": {"account", …}, …}"""
    found, kind = {}, None
    for line in LIST.read_text().splitlines():
        if line.startswith(" "):
            found[kind] |= set(line.split())
        elif line and not line.startswith("#"):
            kind = line.rstrip(":")
            found[kind] = set()
    return found


def words(kind):
    return lists().get(kind, set())


def options(command):
    return words(f"{command} options")


def variables(command):
    """Input and output variables."""
    return words(f"{command} variables")


def letters(command):
    return {word for word in words(f"{command} -o") if len(word) == 1}


def long_fields(command):
    return words(f"{command} -O")


def accounting_fields():
    return words("sacct --format") - {"ALL"}


def job_states():
    return {(state,) for state in words("squeue --states") - {"all"}}


def node_states():
    return {state.lower() for state in words("sinfo --states")}


def update_keys(kind):
    return words(f"scontrol update {kind}")


def shown_of_job():
    return words("scontrol show job")


def subcommands():
    return words("scontrol subcommands") - {"help"}


def shown():
    return words("scontrol show")


def help_format(_command):
    return set()  # Commands that are not listed.


def report_fields():
    return {}

