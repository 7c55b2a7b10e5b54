"""What Berth accepts, by name, read from the very tables that accept it: options, variables, keys, query parameters."""

import re
from functools import cache
from pathlib import Path

import names_admin
import names_daemons
import names_keys

SOURCE = Path(__file__).resolve().parents[2] / "berth"
JOB_COMMANDS = {"kSbatch": ("sbatch",), "kSrun": ("srun",), "kSalloc": ("salloc",), "kBoth": ("sbatch", "srun"),
                "kJobs": ("sbatch", "srun", "salloc"), "kOfJob": ("sbatch", "srun", "salloc")}
PREFIX = {"sbatch": "SBATCH_", "srun": "SLURM_", "salloc": "SALLOC_"}
COMMANDS = ("squeue", "sinfo", "sacct", "scancel", "sprio", "sreport", "sshare", "sstat", "scontrol", "sacctmgr", "sdiag", "seff", "sbcast", "sattach")
# Refused, though the same table has it elsewhere; of a script, sbatch is as quiet as its command line says, as in Slurm.
NOT_TAKEN = {"GET /v1/priorities?field", "#SBATCH --wrap", "#SBATCH --quiet", "#SBATCH --verbose"}
# Variables that a command reads by name, as if they were its option.
BY_NAME = {"SQUEUE_FORMAT": ("squeue", "format"), "SQUEUE_FORMAT2": ("squeue", "Format"), "SINFO_FORMAT": ("sinfo", "format"),
           "SACCT_FORMAT": ("sacct", "format"), "SPRIO_FORMAT": ("sprio", "format"), "SBCAST_FORCE": ("sbcast", "force"),
           "SBCAST_PRESERVE": ("sbcast", "preserve")}
NOT_INPUT = {"PATH", "HOME", "NO_COLOR", "TMPDIR"}  # Every program's, and not Berth's own.
REFUSALS = "options that are refused"  # One test for all of them …
NO_MEANING = "options without meaning"  # … and one for those whose why stands in other_options.cc.
# What these ask is so in any case: their tests see that it is, and withholding proves nothing.
ALWAYS_SO = {
    "order {weight}": "one rule orders, so there is none to weigh it against",
    "sacct --allclusters": "there is one cluster",
    "sdiag --all": "nothing is left out without it",
    "sattach --quiet": "sattach has no messages of its own",
    "sreport --all_clusters": "there is one cluster",
    "sinfo --exact": "nodes that differ never share a line",
    "sinfo --noconvert": "memory is always in megabytes",
    "srun --cpu-bind": "emulated nodes pin no cores; run_plan_test.cc has each way", "srun --cpu_bind": "likewise", "SLURM_CPU_BIND": "likewise",
    **{name: "cores need not be near GPUs" for name in ("sbatch --gres-flags", "#SBATCH --gres-flags", "srun --gres-flags", "salloc --gres-flags",
                                                        "SBATCH_GRES_FLAGS", "SLURM_GRES_FLAGS", "SALLOC_GRES_FLAGS")},
    **{name: "nothing is profiled" for name in ("sbatch --profile", "#SBATCH --profile", "srun --profile", "salloc --profile", "SBATCH_PROFILE",
                                                "SLURM_PROFILE", "SALLOC_PROFILE")},
    **{f"GET /slurm/v0.0.44/{route}?update_time": "answers are always whole" for route in (
        "jobs", "job/{job_id}", "nodes", "node/{node_name}", "partitions", "partition/{partition_name}", "reservations", "reservation/{reservation_name}")},
    **{f"GET /slurm/v0.0.44/{route}?flags": "answers are always in full detail" for route in (
        "jobs", "jobs/state", "job/{job_id}", "nodes", "node/{node_name}", "partitions", "partition/{partition_name}")},
    **{f"GET /slurmdb/v0.0.44/{route}?format": "it changes nothing in Slurm either" for route in ("jobs", "associations", "association", "qos")},
    **{f"berth {command} --compact": "likewise" for command in ("submit", "run")},
    **{f"{command} --berth-compact": "a job has the fewest switches without it" for command in ("sbatch", "#SBATCH", "srun", "salloc")},
}
# Kept, shown, and read by no other part of Berth: their tests see the value's own display, which is all that there is to see.
DISPLAY_ONLY = {
    "berth.yaml accounts.organization": "sacctmgr and slurmrestd show it",
    "sacctmgr account organization": "sacctmgr and slurmrestd show it",
    "scontrol node comment": "scontrol show node has it",
    "scontrol node extra": "scontrol show node has it",
    "scontrol reservation comment": "scontrol show reservation has it",
}
BY_DEFAULT = {"output-filter"}  # What sattach's last `?:` takes.
PLAIN = {"help", "usage", "version"}  # Each prints and ends; tests/oracle compares what.


def found_in(module, *files):
    """Those of these files that the module has, in whichever of its rooms."""
    return [path for file in files for path in sorted((SOURCE / module).rglob(file))]


def text_of(*files):
    """The text of "module/file.cc", each: it lies in the module or in one of its rooms."""
    paths = {file: found_in(*file.split("/")) for file in files}
    assert all(paths.values()), f"not there: {[file for file, found in paths.items() if not found]}"
    return "\n".join(source(path) for found in paths.values() for path in found)


@cache
def slurm_variables():
    return dict(re.findall(r'(k\w+)\[\] = ("SLURM_\w+")', (SOURCE / "model/slurm_variables.h").read_text()))


def source(path):
    """Its text, with the names of SLURM_* variables where it has their constants."""
    return re.sub(r"\bkSlurm\w+", lambda constant: slurm_variables().get(constant[0], constant[0]), path.read_text())


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
    for line in table(text_of("slurm/job_options.cc"), "kJobOptions").splitlines():
        for name, variable, commands, setter in pattern.findall(line):
            whole = sorted({c for word in (commands or "kJobs").split("|") for c in JOB_COMMANDS[word.strip()]})
            rows.setdefault(name, []).append({
                "commands": tuple(whole), "variable": variable.strip('"') if variable.startswith('"') else None,
                "built": bool(setter) and setter != "nullptr"})
    assert len(rows) > 100, "job_options.cc is read wrongly"
    return rows


@cache
def command_rows():
    """{(command, option): whether it is accepted} of the commands that only show or change."""
    found = {}
    for command in COMMANDS:
        text = "\n".join(path.read_text() for path in found_in("slurm", f"{command}.cc", f"{command}_options.cc"))
        for name, value in re.findall(r'\{"([\w-]+)",\s*(?:required|no|optional)_argument,\s*nullptr,\s*(\'.\'|\d+)\}', text):
            if name not in PLAIN:  # What no `case` takes is refused; the test of refusals sees that it is.
                found[command, name] = bool(re.search(rf"(?:case|letter ==) {re.escape(value)}(?!\d)", text)) or name in BY_DEFAULT
        if "ArgumentReader" in text:  # It takes this one for each command, whether or not the command's table has it.
            found[command, "verbose"] = True
    assert len(found) > 150, f"the tables of options are read wrongly: {len(found)}"
    return found


def is_accepted(command, option):
    if command in PREFIX:
        return any(row["built"] and command in row["commands"] for row in job_options().get(option, []))
    return command_rows().get((command, option), False)


@cache
def input_variables():
    """{(command, option): [variables that stand for it]}: each command's table, and what is read by name."""
    found = {}
    text = text_of("slurm/input_variables.cc")
    for command in (*PREFIX, *COMMANDS):
        if re.search(rf"\bk{command.capitalize()}Variables\b", text):
            for variable, option in re.findall(r'\{"(\w+)",\s*"([\w-]+)"', table(text, f"k{command.capitalize()}Variables")):
                found.setdefault((command, option), []).append(variable)
    for option, rows in job_options().items():
        for row in rows:
            for command in row["commands"] if row["variable"] else ():
                found.setdefault((command, option), []).append(PREFIX[command] + row["variable"])
    for variable, (command, option) in BY_NAME.items():
        if f'"{variable}"' in text_of(f"slurm/{command}.cc") and variable not in found.setdefault((command, option), []):
            found[command, option].append(variable)
    return found


def variable_name(command, variable):
    """"SBATCH_GPUS", "SLURM_GPUS" (srun's own), "squeue SLURM_CLUSTERS": what several commands read has the command before it."""
    own = variable.startswith(command.upper() + "_") or (command == "srun" and variable.startswith("SLURM_"))
    return variable if own else f"{command} {variable}"


def all_variables():
    return variables() | {one for found in input_variables().values() for one in found}


def command_options():
    return {row for row, accepted in command_rows().items() if accepted}


def argument_of(command, option):
    """"required_argument", "no_argument" or "optional_argument"."""
    if option == "verbose" and command not in PREFIX:
        return "no_argument"
    file = "job_options.cc" if command in PREFIX else f"{command}.cc"
    text = "\n".join(path.read_text() for path in found_in("slurm", file, f"{command}_options.cc"))
    return re.search(rf'\{{"{option}",\s*(?:\'.\',|0,)?\s*(\w+_argument)', text).group(1)


def refused_options():
    """{(command, option)} that are known and not built."""
    found = {row for row, accepted in command_rows().items() if not accepted}
    for option, rows in job_options().items():
        built = {command for row in rows if row["built"] for command in row["commands"]}
        found |= {(command, option) for row in rows if not row["built"] for command in row["commands"] if command not in built}
    return found


@cache
def without_meaning():
    """{(command, option)} that are accepted because what they ask is so in any case."""
    rows = table(text_of("slurm/other_options.cc"), "kWithoutMeaning")
    listed = {option: of.split() for option, of in re.findall(r'\{"([\w-]+)",\s*"(?:[^"\\]|\\.)*"(?:,\s*"([^"]*)")?\}', rows)}
    known = set(command_rows()) | {(command, option) for option, rows in job_options().items() for row in rows for command in row["commands"]}
    is_listed = lambda command, option: option in listed and (not listed[option] or command in listed[option])
    return {(command, option) for command, option in known if is_listed(command, option) and is_accepted(command, option)}


@cache
def berth_options():
    """{"berth queue --all", …} from CLI11's calls; options without dashes are operands."""
    found, scopes, shared = set(), {}, {}
    text = re.sub(r'"\s*\n\s*"', "", text_of("cli/program.cc", "cli/program_import.cc", "cli/sim_tables.cc"))
    for one in re.finditer(r'(?:void (?P<function>add_\w+)\([^)]*\) \{|(?P<variable>\w+) =\s*(?:(?P<parent>\w+)->add_subcommand\(|app_?\.add_subcommand\(|add\()\s*"(?P<word>[\w-]+)"'
                           r'|for \(CLI::App\* (?P<each>\w+) : \{(?P<of>[\w, ]+)\}\)|(?P<on>\w+)\s*->add_(?:option|flag)\(\s*"(?P<option>[^"]+)"'
                           r'|(?P<call>add_\w+)\((?P<argument>\w+)\);)', text):
        got = one.groupdict()
        if got["function"]:
            function = got["function"]
            scopes = {"command": [f"<{function}>"]} if function in ("add_json", "add_job_options") else {
                name: words for name, words in scopes.items() if name == "sim" or name == "table"}
        elif got["variable"]:
            above = scopes[got["parent"]][0] + " " if got["parent"] and got["parent"] != "app_" else "berth "
            scopes[got["variable"]] = [above + got["word"]]
        elif got["each"]:
            scopes[got["each"]] = [scopes[name.strip()][0] for name in got["of"].split(",")]
        elif got["option"]:
            longest = max(got["option"].lstrip("!").split(","), key=len)
            for scope in scopes[got["on"]] if longest.startswith("-") else ():
                (shared.setdefault(scope, set()) if scope.startswith("<") else found).add(longest if scope.startswith("<") else f"{scope} {longest}")
        elif got["call"] in ("add_json", "add_job_options"):
            found.add((scopes[got["argument"]][0], f"<{got['call']}>"))
    names = {one for one in found if isinstance(one, str)}
    names |= {f"{command} {option}" for command, scope in (one for one in found if isinstance(one, tuple)) for option in shared[scope]}
    assert len(names) > 80, f"cli/program.cc is read wrongly: {len(names)}"
    return names


@cache
def variables():
    """Variables that clients read by name; those of one option of sbatch, srun and salloc stand in job_options()."""
    found = set()
    for folder in ("slurm", "client", "cli"):
        for path in sorted((SOURCE / folder).rglob("*.cc")):
            if not path.name.endswith("_test.cc"):
                found |= set(re.findall(r'(?:variable|environment|getenv|exit_code_in)\((?:call, )?"([A-Z]\w+)"\s*[,)]', source(path)))
    if "_WAIT4SWITCH" in text_of("slurm/job_options.cc"):
        found |= {"SBATCH_WAIT4SWITCH", "SALLOC_WAIT4SWITCH", "SLURM_WAIT4SWITCH"}
    return found - NOT_INPUT - set(BY_NAME)


@cache
def query_parameters():
    """{"GET /v1/jobs?user", …}"""
    routes = text_of("api/routes.cc")
    found = set()
    for path, kind in re.findall(r'\.path = "([^"]+)",(?:(?!Route\{)[^}])*?\.query = "(\w+)"', routes):
        words = re.findall("[A-Z][a-z]+", kind)
        name = "_".join(["parse", *words]).lower()
        body = re.search(rf"> {name}\(.*?\n\}}\n", text_of("api/query.cc"), re.S).group(0)
        found |= {f"GET {path}?{key}" for key in re.findall(r'(?:== |\{)"(\w+)"', body) if key not in ("true", "false")}
    assert len(found) > 20, f"query.cc is read wrongly: {found}"
    return found


def rest_parameters():
    """{"GET /slurm/v0.0.44/jobs/state?job_id", …}: of slurmrestd's routes; what those ask that change nothing stands in ALWAYS_SO."""
    text = text_of("slurmrest/rest_routes.cc")
    lists = {name: re.findall(r'\{"(\w+)",\s*Kind::\w+\}', body)
             for name, body in re.findall(r"constexpr auto (k\w+) =\s*std::to_array<Parameter>\(\s*\{(.*?)\}\);", text, re.S)}
    found = set()
    for method, path, kind in re.findall(r'\{RestId::\w+, "(\w+)", "([^"]+)", RouteId::\w+, (k\w+)\}', text):
        top, rest = path.split("/", 2)[1:]
        found |= {f"{method} /{top}/v0.0.44/{rest}?{name}" for name in lists[kind]}
    assert len(found) > 20, f"rest_routes.cc is read wrongly: {found}"
    return found


def all_names():
    """Every name that must have an effect: {"sbatch --gpus", "#SBATCH --gpus", "SBATCH_GPUS", "slurm.conf KillWait" …}"""
    names = {REFUSALS, NO_MEANING}
    for option, rows in job_options().items():
        for row in rows:
            if not row["built"]:
                continue
            for command in row["commands"]:
                if (command, option) in without_meaning():
                    continue
                names.add(f"{command} --{option}")
                if command == "sbatch":
                    names.add(f"#SBATCH --{option}")
    names |= {f"{command} --{option}" for command, option in command_options() - without_meaning()}
    names |= {variable_name(command, variable) for (command, option), found in input_variables().items()
              if is_accepted(command, option) and (command, option) not in without_meaning()
              for variable in found}
    names |= berth_options() | variables() | query_parameters() | rest_parameters()
    names |= names_daemons.daemon_options()
    names |= names_keys.key_names() | names_admin.sacctmgr_names() | names_admin.scontrol_names()
    return names - NOT_TAKEN


if __name__ == "__main__":
    print("\n".join(sorted(all_names())))
