"""Two tests that walk all options of their kind, of all commands: what is refused names what to use instead, and what has no meaning is taken."""

import re
from pathlib import Path

import names
from api_queries import Query
from effect import EFFECTS, Case, Effect, NoEffect, see

ARGUMENTS = {"sattach": ("1.0",), "sbcast": ("source", "copy"), "scontrol": ("show", "config"), "sacctmgr": ("show", "account"), "sstat": ("-j", "1"), "sreport": ("user", "top"),
             "scancel": ("1",), "sbatch": ("--wrap", "true"), "srun": ("true",), "salloc": ("true",)}

# What docs/user.md promises of the options that docs/slurm-options.md lists as accepted.
DOCS = Path(__file__).resolve().parents[2] / "docs"
PROMISE = ("An option that asks for what is so in any case, or for something that is not here, is accepted and changes nothing: "
           "[slurm-options.md](slurm-options.md) lists these options and says why.")
# Of these commands an output that is the same from one moment to the next.
STILL = {"squeue": ("-n", "idle"), "sacct": ("--name", "idle"), "sinfo": ("-h", "-o", "%n %P"), "scancel": ("-n", "nosuch"), "sbatch": ("-H", "--wrap", "true")}
VALUES = {"acctg-freq": "task=30", "bbf": __file__}  # The others take a number.
TAKES_ALL = ("acctg-freq", "bb", "cluster-constraint", "mcs-label", "power")


def refusals(run):
    """Each of these options, with a value that Slurm might take: the command fails and names it."""
    wrong = []
    for command, option in sorted(names.refused_options()):
        needs_value = names.argument_of(command, option) == "required_argument"
        word = f"--{option}=1" if needs_value else f"--{option}"
        done = run.cluster.run(command, word, *ARGUMENTS.get(command, ()), check=False)
        if done.returncode == 0 or f"--{option} is not supported: " not in done.stderr:
            wrong.append(f"{command} {word}: exit {done.returncode}: {done.stderr.strip()}")
    for (command, option), variables in sorted(names.input_variables().items()):
        for variable in variables if (command, option) in names.refused_options() else ():
            done = run.cluster.run(command, *ARGUMENTS.get(command, ()), check=False, env={variable: "1"})
            if done.returncode == 0 or option not in done.stderr or "not supported" not in done.stderr:
                wrong.append(f"{variable}=1 {command}: exit {done.returncode}: {done.stderr.strip()}")
    try:
        Query(run.cluster, "GET /v1/priorities?field", False, "name").rows()
        wrong.append("GET /v1/priorities?field: is accepted")
    except NoEffect as refused:
        if "has no parameter" not in str(refused):
            wrong.append(f"GET /v1/priorities?field: {refused}")
    done = run.cluster.run("sbatch", check=False, stdin="#!/bin/sh\n#SBATCH --wrap=true\ntrue\n")
    if done.returncode == 0 or "--wrap is for the command line" not in done.stderr:
        wrong.append(f"#SBATCH --wrap: exit {done.returncode}: {done.stderr.strip()}")
    see(not wrong, "\n     ".join(wrong))


def listed_as_accepted():
    """{(command, option)} of the first table of docs/slurm-options.md; each row has a reason."""
    table = (DOCS / "slurm-options.md").read_text().split("\n## Accepted", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `--([\w-]+)` \| ([\w, ]+) \| (\S.*) \|$", table, re.M)
    see(len(rows) == table.count("\n| `"), "a row of slurm-options.md is read wrongly")
    return {(command, option) for option, commands, _ in rows for command in commands.split(", ")}


def outcome(run, command, *words, **more):
    """Its exit code, and what it says and what the job is, but for numbers, times and the tested words in SubmitLine."""
    done = run.cluster.run(command, *words, *STILL.get(command, ARGUMENTS.get(command, ())), check=False, **more)
    said = done.stdout + done.stderr
    if command == "sbatch" and done.returncode == 0:
        job = done.stdout.split()[-1]
        said += run.cluster.run("scontrol", "show", "job", job).stdout
        run.cluster.run("scancel", job)
    for word in words:
        said = said.replace(f" {word}", "")
    return [str(done.returncode), *re.sub(r"\d+", "N", said).split()]


def without_meaning(run):
    """As docs/user.md says, each option of the table and its variables, with a value of its kind, is accepted and changes nothing. A wrong value is refused."""
    see(PROMISE in " ".join((DOCS / "user.md").read_text().split()), "docs/user.md does not say what becomes of these options")
    wrong, listed = [], listed_as_accepted()
    for command, option in sorted(listed ^ names.without_meaning()):
        wrong.append(f"{command} --{option} stands {'in slurm-options.md' if (command, option) in listed else 'in other_options.cc'} alone")
    run.cluster.run("sbatch", "-J", "idle", "-o", "/dev/null", "--wrap", "sleep 300")
    run.cluster.wait("the job to run", lambda: run.cluster.run("squeue", "-h", "-n", "idle", "-o", "%t").stdout == "R\n")
    plain = {command: outcome(run, command) for command in sorted({command for command, _ in listed})}
    for command, option in sorted(listed):
        needs_value = names.argument_of(command, option) != "no_argument"
        word = f"--{option}" + (f"={VALUES.get(option, '1')}" if needs_value else "")
        if (given := outcome(run, command, word)) != plain[command] or given[0] != "0":
            wrong.append(f"{command} {word}: {sorted(set(given) ^ set(plain[command]))} are said with it alone or without it alone")
        if needs_value and option not in TAKES_ALL and outcome(run, command, f"--{option}=soon")[0] == "0":
            wrong.append(f"{command} --{option}=soon: is accepted")
        for variable in names.input_variables().get((command, option), []):
            value = VALUES.get(option, "1")
            if outcome(run, command, env={variable: value}) != plain[command]:
                wrong.append(f"{variable}={value} {command}: changes what is done")
    see(not wrong, "\n     ".join(wrong))


another = Effect(names.NO_MEANING, "each is accepted and changes nothing, as docs/user.md says", "jobs", without_meaning, always=True)
another.case = lambda cluster, withheld: Case(cluster, names.NO_MEANING, withheld)
EFFECTS.append(another)

one = Effect(names.REFUSALS, "each is refused by its name", "show", refusals, always=True)
one.case = lambda cluster, withheld: Case(cluster, names.REFUSALS, withheld)
EFFECTS.append(one)
