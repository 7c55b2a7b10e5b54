#!/usr/bin/env python3
"""Manual pages: of each program from its own --help, of the configuration files from docs/formats.md.

tools/man_pages.py --bin DIR --out DIR. Writes man1/sbatch.1 and so on below --out; tools/package puts them into the packages."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MANUAL = "Berth"
COMMANDS = {  # Section 1: what each is for.
    "berth": "start, use and look after a Berth cluster",
    "sbatch": "submit a batch script",
    "srun": "run parallel tasks",
    "salloc": "hold nodes and run a command",
    "sattach": "attach to a running step",
    "sbcast": "copy a file to the nodes of a job",
    "squeue": "show jobs and steps",
    "sinfo": "show partitions and nodes",
    "scancel": "cancel or signal jobs and steps",
    "sacct": "show the accounting of jobs and steps",
    "sacctmgr": "show and change accounts, users and QOS",
    "scontrol": "show and change jobs, nodes, partitions and reservations",
    "sdiag": "show what the scheduler does",
    "seff": "show how well a job used what it held",
    "sprio": "show the factors of jobs' priorities",
    "sreport": "report what was used of the cluster in a time",
    "sshare": "show the shares of accounts and users",
    "sstat": "show what running steps use",
}
DAEMONS = {  # Section 8.
    "berthd": "the controller of a Berth cluster",
    "berth-agent": "run the jobs of one node of a Berth cluster",
    "berth-launcher": "run as root what the controller of a Berth cluster has signed",
}
FILES = ("slurm.conf", "gres.conf", "cgroup.conf", "topology.conf", "berth.yaml")  # Section 5: one page.
ENVIRONMENT = (
    ("BERTH_CONTROLLER", "The controller: HOST or HOST:PORT. Without it the socket is used."),
    ("BERTH_SOCKET", "The controller's Unix socket, on its own host."),
    ("SLURM_JWT", "A token, for a host that is no part of the cluster: scontrol token prints one."),
)


def roff(text):
    """Of plain text: what would mean something to the formatter is put in its own spelling."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    for letter, escape in (("…", "..."), ("→", "->"), ("×", "x"), ("–", "\\-"), ("≤", "<="), ("≥", ">="), ("µ", "u")):
        text = text.replace(letter, escape)
    return "\\&" + text if text[:1] in (".", "'") else text


def header(name, section, summary, version):
    return [f".TH {name.upper()} {section} \"\" \"Berth {version}\" \"{MANUAL}\"", ".SH NAME", f"{roff(name)} \\- {roff(summary)}"]


def entry(line):
    """"  -A, --account=NAME   text" as its name and text, "  script TEXT   text" too; None: it goes on with the line before."""
    found = re.match(r"^ {2,6}(\S.*?)(?: {2,}(\S.*))?$", line)
    return (found[1], found[2] or "") if found else None


def sections_of(text):
    """Of --help: the usage, what stands between it and the first heading, and [heading, lines]."""
    blocks = [block for block in text.strip("\n").split("\n\n") if block.strip()]
    usage, before, found = [], [], []
    for block in blocks:
        lines = block.split("\n")
        if lines[0].startswith("Usage:") or (len(lines) > 1 and lines[1].startswith("Usage:")):
            if not lines[0].startswith("Usage:"):
                before.append(lines.pop(0))
            usage = lines
        elif re.match(r"^[A-Z][\w', ]*:$", lines[0]):
            found.append([lines[0].rstrip(":"), lines[1:]])
        else:
            before += lines
    return usage, before, found


def options(lines):
    """The lines of one section as a list of options with their texts; a text may begin on the next line."""
    out = []
    for line in filter(str.strip, lines):
        found = entry(line)
        out += [".TP", f".B {roff(found[0])}", *([roff(found[1])] if found[1] else [])] if found else [roff(line.strip())]
    return out


def synopsis(usage, program):
    """Each line of the usage by itself."""
    out = [".SH SYNOPSIS", ".nf"]
    for line in usage:
        line = re.sub("^(Usage: | {7})", "", line).replace(str(program), program.name).replace("./" + program.name, program.name)
        out.append(roff(line))
    return [*out, ".fi"]


def help_of(program, *words):
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        sys.exit(f"man_pages: {program} {' '.join(words)} --help: exit {done.returncode}: {done.stderr}")
    return done.stdout


def program_page(program, section, summary, version):
    usage, before, found = sections_of(help_of(program))
    out = header(program.name, section, summary, version) + synopsis(usage, program)
    if before:
        out += [".SH DESCRIPTION", *(roff(line.strip()) for line in before)]
    for heading, lines in found:
        if heading == "Subcommands":
            for word in [line.split()[0] for line in lines if re.match(r"^  \w", line)]:
                out += subcommand(program, word)
        else:
            names_alone = heading.startswith("Accepted")
            out += [f".SH {roff(heading.upper())}", *((roff(line.strip()) for line in lines) if names_alone else options(lines))]
    if section == 1:
        out += [".SH ENVIRONMENT"]
        for name, text in ENVIRONMENT:
            out += [".TP", f".B {name}", roff(text)]
    return [*out, ".SH SEE ALSO", *see_also(program.name)]


def subcommand(program, word):
    usage, before, found = sections_of(help_of(program, word))
    out = [f".SH BERTH {word.upper()}", *(roff(line.strip()) for line in before), ".PP", *synopsis(usage, program)[1:]]
    for heading, lines in found:
        own = [line for line in lines if not re.match("  (-h,--help|--help-all) ", line)]
        if own:
            out += [f".SS {roff(heading)}", *options(own)]
    return out


def see_also(name):
    others = [f"{roff(one)}(1)" for one in COMMANDS if one != name] if name in COMMANDS else [f"{roff(one)}(8)" for one in DAEMONS if one != name]
    return [", ".join([*others, "slurm.conf(5)"]), ".PP", roff("The documents of Berth are in /usr/share/doc/berth-controller and in docs/ of its sources.")]


def inline(text):
    """Marks of Markdown within a line."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).replace("**", "")
    parts = text.split("`")
    return "".join(f"\\fB{roff(part)}\\fR" if number % 2 else roff(part).removeprefix("\\&") for number, part in enumerate(parts))


def markdown(text):
    """Headings, paragraphs, lists, tables and blocks of code: what docs/formats.md is written in."""
    out, code = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            code = not code
            out += [".nf", ".RS 4"] if code else [".RE", ".fi"]
        elif code:
            out.append(roff(line) or "\\&")
        elif re.match(r"#+ ", line):
            out += [f".SS {roff(line.lstrip('# '))}" if line.startswith("###") else f".SH {roff(line.lstrip('# ').upper())}"]
        elif line.startswith("|"):
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if re.fullmatch(r"[-: |]+", line):
                del out[-3:]  # The names of the columns.
            else:
                out += [".TP", inline(cells[0]) or "\\&", inline("; ".join(cell for cell in cells[1:] if cell)) or "\\&"]
        elif line.startswith("- "):
            out += [".IP \\(bu 2", inline(line[2:])]
        elif not line.strip():
            out.append(".PP")
        else:
            words = inline(line.strip())
            out.append("\\&" + words if words[:1] in (".", "'") else words)
    return out


def files_page(version):
    out = header("slurm.conf", 5, "configuration of a Berth cluster", version)
    out[2] = ", ".join(roff(name) for name in FILES) + " \\- " + roff("configuration of a Berth cluster")
    body = (ROOT / "docs/formats.md").read_text().partition("\n")[2]
    return [*out, ".SH DESCRIPTION", *markdown(body), ".SH SEE ALSO", "berthd(8), scontrol(1), sacctmgr(1)"]


def pages(binaries, version):
    """{"man1/sbatch.1": text}"""
    found = {}
    for section, programs in ((1, COMMANDS), (8, DAEMONS)):
        for name, summary in programs.items():
            found[f"man{section}/{name}.{section}"] = program_page(binaries / name, section, summary, version)
    found["man5/slurm.conf.5"] = files_page(version)
    for name in FILES[1:]:
        found[f"man5/{name}.5"] = [".so man5/slurm.conf.5"]
    return {path: "\n".join(lines) + "\n" for path, lines in found.items()}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="where the programs are")
    options.add_argument("--out", type=Path, default=ROOT / "build/man", help="where the pages go")
    asked = options.parse_args()
    version = re.search(r"project\(berth VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    for path, text in pages(asked.bin.resolve(), version).items():
        (asked.out / path).parent.mkdir(parents=True, exist_ok=True)
        (asked.out / path).write_text(text)


if __name__ == "__main__":
    main()
