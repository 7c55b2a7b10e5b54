"""What both clusters' MailProg is called with for the same jobs."""

import re
import time

from clock import stamps_blanked
from compare import Field

PATIENCE = 60.0
# By name: options, script, how many mails there are to be.
MAILED = {
    "mail-ok": ("--mail-type=ALL", "true", 2),
    "mail-fails": ("--mail-type=ALL --mail-user=a@b", "exit 3", 2),
    "mail-end": ("--mail-type=END", "exit 3", 0),
    "mail-fail": ("--mail-type=FAIL", "true", 0),
    "mail-none": ("--mail-type=NONE", "true", 0),
    "mail-signal": ("--mail-type=FAIL,BEGIN", "kill -9 $$", 2),
    "mail-array": ("--mail-type=ALL -a 0-2", "exit $SLURM_ARRAY_TASK_ID", 2),
    "mail-tasks": ("--mail-type=END,ARRAY_TASKS -a 4-5", "true", 2),
    "mail-held": ("--mail-type=END -H", "true", 1),
}
# Names of the environment that Slurm has for a mail, and Berth has not: files and counts that depend on it.
VARIABLE = re.compile(r"^(SLURM_JOB_(MAIL_TYPE|USER|UID|NAME|STATE|EXIT_CODE\w*|PARTITION|ID)|SLURM_ARRAY_\w+|SLURM_CLUSTER_NAME)=")


def program(folder):
    """A MailProg that notes what it is called with, in a file beside it."""
    path = folder / "mailprog"
    path.write_text(f'#!/bin/sh\n{{ echo "MAIL $2|$3"; env | sort; }} >{folder}/mail.$$.new; mv {folder}/mail.$$.new {folder}/mail.$$\n')
    path.chmod(0o755)
    return path


def mails_of(side, name):
    """Subject and address of each, and the variables of the last, ids and times taken out."""
    found = []
    for path in sorted(side.cluster.mails.glob("mail.*[0-9]")):
        first, *variables = path.read_text().splitlines()
        if f" Name={name} " not in first:
            continue
        text = first.removeprefix("MAIL ")
        plain = [re.sub(r"=\d+$", "=ID", line) if "_ID=" in line or "_JOB_ID" in line else line for line in variables if VARIABLE.match(line)]
        subject = re.sub(r"Job_id=\d+", "Job_id=ID", re.sub(r"\(\d+\) Name", "(ID) Name", text))
        # What Slurm has for a whole array is its record's, which waits still, or that of one task.
        found.append((subject, [] if "Array Summary" in subject else plain))
    return sorted(found, key=lambda mail: stamps_blanked(mail[0]))


def compare_mails(slurm, berth, counted):
    for side in (slurm, berth):
        for name, (options, script, _) in MAILED.items():
            done = side.cluster.run("sbatch", "--parsable", "-J", name, "-t", "5", "-p", "debug", "-o", "/dev/null", *options.split(),
                                    "--wrap", script, user="news")
            if done.returncode != 0:
                raise AssertionError(f"{name}: {done.stderr}")
            if "-H" in options.split():
                side.cluster.run("scancel", done.stdout.strip(), user="news")
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and any(len(mails_of(side, name)) < count for side in (slurm, berth) for name, (_, _, count) in MAILED.items()):
        time.sleep(0.5)
    for name in MAILED:
        here, there = mails_of(slurm, name), mails_of(berth, name)
        counted.append(f"mails {name}")
        yield Field("MailProg", name, "mails", "\n".join(one[0] for one in here), "\n".join(one[0] for one in there))
        for (subject, ours), (_, theirs) in zip(here, there):
            yield Field("MailProg", f"{name}: {stamps_blanked(subject)}", "variables", "\n".join(ours), "\n".join(theirs))
