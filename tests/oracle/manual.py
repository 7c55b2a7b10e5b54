"""What the manual pages and the --help of Debian's Slurm name: options, fields, states, variables, keys."""

import functools
import gzip
import re
import subprocess
import tempfile
from pathlib import Path

PAGES = Path("/usr/share/man/man1")
ALPHABET = r"[A-Za-z]"


@functools.cache
def pages():
    """The folder of the pages. An image without manual pages has them from the package."""
    if (PAGES / "sbatch.1.gz").exists():
        return PAGES
    folder = Path(tempfile.mkdtemp(prefix="berth-manual."))
    subprocess.run(["apt-get", "download", "slurm-client"], cwd=folder, check=True, capture_output=True)
    package = next(folder.glob("slurm-client*.deb"))
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder / "usr/share/man/man1"


@functools.cache
def page(command):
    text = gzip.open(pages() / f"{command}.1.gz", "rt", errors="replace").read()
    text = re.sub(r"\\f[BRIP0-9]", "", text)
    return re.sub(r"\\[&|]", "", text.replace("\\-", "-"))


def sections(command):
    """{"OPTIONS": text, …}"""
    parts = re.split(r'(?m)^\.SH +"?([^"\n]+?)"?$', page(command))
    return {name.strip().upper(): text for name, text in zip(parts[1::2], parts[2::2])}


def heads(text):
    """The first line of each entry of a list."""
    found = re.findall(r"(?m)^\.TP.*\n(.+)$", text)
    return [re.sub(r"^\.[BI][RBI]? +", "", head).strip().strip('"') for head in found]


@functools.cache
def configuration():
    """For Slurm's programs, which say nothing without one."""
    file = Path(tempfile.mkdtemp(prefix="berth-manual.")) / "slurm.conf"
    file.write_text("ClusterName=x\nSlurmctldHost=localhost\nNodeName=n1\nPartitionName=main Nodes=n1\nAccountingStorageType=accounting_storage/slurmdbd\n")
    return str(file)


@functools.cache
def says(command, option):
    done = subprocess.run([f"/usr/bin/{command}", option], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={"PATH": "/usr/bin", "SLURM_CONF": configuration()})
    return done.stdout + done.stderr


def options(command):
    """{"gpus", …}: the long ones. Entries of the page begin with a dash; a dash within the text is no entry."""
    found = set()
    for head in heads(page(command)):
        if head.startswith("-"):
            found |= set(re.findall(r"(?<![\w-])--([A-Za-z][\w-]*)", head))
    found |= set(re.findall(r"(?m)^ +(?:-\w,? +(?:or )?)?--([A-Za-z][\w-]*)", says(command, '--help')))
    return found - {"help", "usage", "version", "helpformat"}


def letters(command):
    """{"i", …}: what stands behind % in -o."""
    found = {head[1] for head in heads(page(command)) if re.fullmatch(rf"%{ALPHABET}\W*", head)}
    return found - {"c"} if command == "sprio" else found


def long_fields(command):
    """The names of -O: those of the page's entries that are one word, and stand behind its head."""
    text = page(command)
    start = re.search(r"(?m)^-O\b.*--Format.*$", text)
    entries = []
    for head in heads(text[start.end():]):
        if head.startswith("-"):
            break
        entries += re.findall(r"^([A-Za-z][A-Za-z-]+)(?:\[.*)?$", head)
    return set(entries) - {"size", "sufix", "suffix"}  # Of "name:[.]size[suffix]".


def accounting_fields():
    """Those of sacct, whose --helpformat wants a database."""
    text = page("sacct").partition('.SS "Job Accounting Fields"')[2].partition("\n.SH")[0]
    return {head for head in heads(text) if re.fullmatch(r"[A-Z]\w+", head)} - {"DD"}  # Of "DD-HH:MM:SS".


def help_format(command):
    return set(re.findall(r"[A-Za-z]\w+", says(command, "--helpformat")))


def report_fields():
    """Of sreport: {"cluster Utilization": {"Allocated", …}, …}."""
    found = {}
    families = re.split(r"FORMAT OPTIONS FOR (\w+) REPORTS", sections("sreport")["FORMAT OPTIONS FOR EACH REPORT"])
    for family, text in zip(families[1::2], families[2::2]):
        for name, fields in re.findall(r"(?m)^\.TP\n(\w+)\n(?:\.\w+\n)?((?:[^.\n].*\n)+)", text):
            found[f"{family.lower()} {name}"] = set(re.findall(r"[A-Za-z]+", fields))
    return found


def update_keys(kind):
    """What scontrol update takes of a "job" or a "node", but for what names them, and for values."""
    found = heads(sections("scontrol")[f"{kind.upper()}S - SPECIFICATIONS FOR UPDATE COMMAND"])
    forgotten = ("EndTime", "ResetAccrueTime")  # The page has them without their "=".
    keys = [re.match(r"I?([\w-]+)", head)[1] for head in found if "=" in head or head in forgotten]
    return [key for key in keys if key not in ("JobId", "NodeName")]


def shown_of_job():
    """Fields of scontrol show job: those the page has there alone. update_keys("job") are shown, too."""
    found = heads(sections("scontrol")["JOBS - SPECIFICATIONS FOR SHOW COMMAND"])
    return [head.partition("=")[0] for head in found]


def entries(text):
    """[(depth, head)]: an entry that stands within another one has a depth of 1, and so on."""
    found, depth, lines = [], 0, iter(text.splitlines())
    for line in lines:
        depth += line.startswith(".RS") - line.startswith(".RE")
        if line.startswith(".TP"):
            found.append((depth, re.sub(r"^\.[BI][RBI]? +", "", next(lines)).strip()))
    return found


def subcommands():
    """Of scontrol."""
    words = {re.match(r"[a-z_]+", head)[0] for depth, head in entries(sections("scontrol")["COMMANDS"]) if depth == 0}
    return words - {"help", "show"}


def shown():
    """What scontrol show takes."""
    found, of = set(), ""
    for depth, head in entries(sections("scontrol")["COMMANDS"]):
        word = re.match(r"[a-z_]*", head)[0]
        if depth == 0:
            of = word
        elif depth == 1 and of == "show":
            found.add(word)
    return found


def job_states():
    """{("CA", "CANCELLED"), …}"""
    text = next(body for name, body in sections("squeue").items() if name.startswith("JOB STATE CODES"))
    return {tuple(head.split()[:2]) for head in heads(text) if len(head.split()) >= 2}


def node_states():
    """What sinfo -t takes, as its page lists it."""
    entry = re.search(r"(?ms)^-t\b.*?--states.*?$(.*?)^\.TP", page("sinfo")).group(1)
    words = re.sub(r"(?m)^\..*$", " ", entry)
    named = re.search(r"(?is)(?:state(?:s)? values? include|possible values include)[^:]*:(.*?)(?:\.\s|$)", words)
    return {word.lower() for word in re.findall(r"[A-Z_]{3,}", named.group(1))} if named else set()


def variables(command):
    """Input variables: the entries of that section."""
    text = "".join(body for name, body in sections(command).items() if "ENVIRONMENT" in name and "OUTPUT" not in name)
    return {word for head in heads(text) for word in re.findall(r"\b((?:SLURM|SBATCH|SALLOC|SRUN|S[A-Z]+)_[A-Z0-9_]+)\b", head)}
