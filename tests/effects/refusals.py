"""Two tests that walk all options of their kind, of all commands: what is refused names what to use instead, and what has no meaning is taken."""

import names
from api_queries import Query
from effect import EFFECTS, Case, Effect, NoEffect, see

ARGUMENTS = {"sattach": ("1.0",), "sbcast": ("source", "copy"), "scontrol": ("show", "config"), "sacctmgr": ("show", "account"), "sstat": ("-j", "1"), "sreport": ("user", "top"),
             "scancel": ("1",), "sbatch": ("--wrap", "true"), "srun": ("true",), "salloc": ("true",)}


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


def without_meaning(run):
    """Each of these options, with a value of its kind: the command does what it does without it. With a wrong value it does not."""
    wrong = []
    run.cluster.run("sbatch", "-J", "idle", "-o", "/dev/null", "--wrap", "sleep 300")
    for command, option in sorted(names.without_meaning()):
        kind = names.argument_of(command, option)
        value = "" if kind == "no_argument" else "=task=30" if option == "acctg-freq" else "=1"
        words = ("-n", "nosuch") if command == "scancel" else ARGUMENTS.get(command, ())
        done = run.cluster.run(command, f"--{option}{value}", *words, check=False)
        if done.returncode != 0:
            wrong.append(f"{command} --{option}{value}: exit {done.returncode}: {done.stderr.strip()}")
        takes_all = option in ("acctg-freq", "bb", "cluster-constraint", "mcs-label", "network", "power")
        if kind != "no_argument" and not takes_all and run.cluster.run(command, f"--{option}=soon", *words, check=False).returncode == 0:
            wrong.append(f"{command} --{option}=soon: is accepted")
    see(not wrong, "\n     ".join(wrong))


another = Effect(names.NO_MEANING, "the command does what it does without them", "jobs", without_meaning, always=True)
another.case = lambda cluster, withheld: Case(cluster, names.NO_MEANING, withheld)
EFFECTS.append(another)

one = Effect(names.REFUSALS, "each is refused by its name", "show", refusals, always=True)
one.case = lambda cluster, withheld: Case(cluster, names.REFUSALS, withheld)
EFFECTS.append(one)
