"""What both sides say elsewhere of what a field is about."""

import re

SHOW = "scontrol show job"
ENDED = re.compile(r"COMPLETED|FAILED|CANCELLED\b.*|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY|DEADLINE|BOOT_FAIL|PREEMPTED")


class Context:
    """Looks up what either side says elsewhere. `slack`: seconds by which the moments and spans of jobs may differ beyond what clock.py has."""

    def __init__(self, fields, slack=0):
        self.slack = slack
        self.by_name = {(field.command, field.subject, field.field): field for field in fields}
        self.names = {field.slurm: field.subject for field in fields if field.command == SHOW and re.fullmatch("JobId'*", field.field)}

    def slurm(self, command, subject, name):
        found = self.by_name.get((command, subject, name))
        return found.slurm if found else None

    def berth(self, command, subject, name):
        found = self.by_name.get((command, subject, name))
        return found.berth if found else None

    def job(self, field):
        """The name of the job that a field is of, or None. Lines and rows of sacct begin with its id; other rows with its name."""
        subject = field.subject
        if field.field == "text" or field.command.startswith("sacct"):
            found = re.match(r"\s*(\d+)", field.slurm if field.field in ("text", "row") else subject)
            return self.names.get(found[1]) if found else None
        for name in (subject, subject.rpartition("-")[0]):
            if (SHOW, name, "SubmitTime") in self.by_name:
                return name
        return None

    def since(self, field):
        """When both sides got the job, or started the node, as each says itself; None: the field is of neither."""
        found = self.by_name.get((SHOW, self.job(field), "SubmitTime")) or self.by_name.get((field.command, field.subject, "SlurmdStartTime"))
        return (found.slurm, found.berth) if found else None

    def has_ended(self, field):
        """Whether the job or step is over, as Slurm says; of a step or a task of an array, if it is known."""
        suffix = "'" * (len(field.field) - len(field.field.rstrip("'")))
        for command, subject, name in ((field.command, field.subject, "JobState" + suffix), (field.command, field.subject, "State" + suffix),
                                       (SHOW, self.job(field), "JobState")):
            state = self.slurm(command, subject, name)
            if state is not None:
                return ENDED.fullmatch(state) is not None
        return field.command == "MailProg"

    def is_cancelled_step(self, field):
        return field.command == "sacct -P" and "." in field.subject and (self.slurm(field.command, field.subject, "State") or "").startswith("CANCELLED")
