"""What is known and not built is refused by name: one test walks all such options of all commands."""

import names
from api_queries import Query
from effect import EFFECTS, Case, Effect, NoEffect, see

ARGUMENTS = {"sattach": ("1.0",), "sbcast": ("source", "copy"), "scontrol": ("show", "config"), "sacctmgr": ("show", "account"), "sstat": ("-j", "1"),
             "scancel": ("1",), "sbatch": ("--wrap", "true"), "srun": ("true",), "salloc": ("true",)}


def refusals(run):
    """Each of these options, with a value that Slurm might take: the command fails and names it."""
    wrong = []
    for command, option in sorted(names.refused_options()):
        needs_value = names.argument_of(command, option) == "required_argument"
        word = f"--{option}=1" if needs_value else f"--{option}"
        done = run.cluster.run(command, word, *ARGUMENTS.get(command, ()), check=False)
        if done.returncode == 0 or option not in done.stderr or "not supported" not in done.stderr:
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


one = Effect(names.REFUSALS, "each is refused by its name", "show", refusals, always=True)
one.case = lambda cluster, withheld: Case(cluster, names.REFUSALS, withheld)
EFFECTS.append(one)
