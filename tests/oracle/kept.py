"""The outputs of one comparison in a folder, so that it can be judged again without a cluster: what each side printed, in its order,
and the mails that it sent."""

import dataclasses
import json
import shutil

from compare import Side


@dataclasses.dataclass
class Done:
    """As subprocess.CompletedProcess."""

    returncode: int
    stdout: str
    stderr: str


def key_of(command, user, answer):
    return json.dumps([list(command), user, answer])


class Keeping:
    """A cluster whose outputs are noted; their directories are those of Side.plain(), since the folders themselves are gone later."""

    def __init__(self, side):
        self.cluster, self.plain, self.outputs = side.cluster, side.plain, []

    def __getattr__(self, name):
        return getattr(self.cluster, name)

    def run(self, *command, user=None, **more):
        return self.noted(key_of(command, user, None), self.cluster.run(*command, user=user, **more))

    def asked(self, *command, answer):
        return self.noted(key_of(command, None, answer), self.cluster.asked(*command, answer=answer))

    def noted(self, key, done):
        self.outputs.append([key, done.returncode, self.plain(done.stdout), self.plain(done.stderr)])
        return done


class Kept:
    """A cluster that answers as another has. A command that was given several times gets its answers in their order, and the last of
    them from then on."""

    def __init__(self, folder):
        self.work = self.root = folder / "work"
        self.mails = folder / "mails"
        self.answers = {}
        for key, *done in json.loads((folder / "outputs.json").read_text()):
            self.answers.setdefault(key, []).append(Done(*done))

    def run(self, *command, user=None, **_):
        return self.next(key_of(command, user, None))

    def asked(self, *command, answer):
        return self.next(key_of(command, None, answer))

    def next(self, key):
        if key not in self.answers:
            raise AssertionError(f"the kept comparison has no output of {key}: it needs a new one, with --keep")
        answers = self.answers[key]
        return answers.pop(0) if len(answers) > 1 else answers[0]


def keep(folder, sides):
    """REQUIRES: the clusters of both sides have been Keeping ones since their jobs were settled."""
    for name, side in zip(("slurm", "berth"), sides):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name / "work").mkdir(parents=True)
        shutil.copytree(side.cluster.mails, folder / name / "mails")
        (folder / name / "outputs.json").write_text(json.dumps(side.cluster.outputs, indent=0))
        (folder / name / "jobs.json").write_text(json.dumps([side.ids, side.lines]))


def kept_sides(folder):
    for name in ("slurm", "berth"):
        side = Side(Kept(folder / name))
        side.ids, side.lines = json.loads((folder / name / "jobs.json").read_text())
        yield side
