"""Each class of hole that schedulers have had (docs/security.md), tried on a real cluster by users who should not get through."""

import http.client
import json
import os
import socket
import stat
import tempfile
import unittest
from pathlib import Path

from cluster import BIN, Cluster, main

MALLORY, ADA = "games", "backup"  # Ordinary users of every Debian.
CONF = """ClusterName=guarded
GresTypes=gpu
NodeName=n1 CPUs=8 Gres=gpu:a100:4
PartitionName=main Nodes=n1 Default=YES MaxTime=1-0
PartitionName=ours Nodes=n1 AllowAccounts=physics
SlurmctldParameters=rl_enable,rl_bucket_size=300,rl_refill_rate=20
Prolog={folder}/prolog
Epilog={folder}/prolog
"""


class OverSocket(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("berth")
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def ask_as(uid, path, method, target, body):
    """Of the API itself, with the rights of another user: status and text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            connection = OverSocket(path)
            connection.request(method, target, json.dumps(body))
            answer = connection.getresponse()
            os.write(writer, f"{answer.status} {answer.read(60_000).decode()}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    status, _, rest = text.partition(" ")
    return int(status or 0), rest


@unittest.skipUnless(os.geteuid() == 0, "SKIPPED: needs root, to be several users")
class Security(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e-security.")))
        cls.folder.chmod(0o755)
        (cls.folder / "slurm.conf").write_text(CONF.format(folder=cls.folder))
        (cls.folder / "gres.conf").write_text("NodeName=n1 Name=gpu Type=a100 Count=4\n")
        (cls.folder / "prolog").write_text(f"#!/bin/sh\nenv >>{cls.folder}/prolog.env\necho \"$@\" >>{cls.folder}/prolog.args\n")
        (cls.folder / "prolog").chmod(0o755)
        cls.cluster = cls.enterClassContext(Cluster(conf=cls.folder / "slurm.conf"))
        cls.socket = cls.cluster.state / "berthd.sock"
        cls.secret = cls.cluster.root / "root-only"
        cls.secret.write_text("secret")
        cls.secret.chmod(0o600)

    def as_user(self, user, *command, **more):
        return self.cluster.run("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command, check=False, **more)

    def submit_as(self, user, *arguments, script="true", **more):
        done = self.as_user(user, "sbatch", "--parsable", *arguments, stdin="#!/bin/bash\n" + script, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def give_up(self, job):
        """Whatever became of it, it is gone."""
        self.cluster.wait(f"job {job} to have had its chance", lambda: self.cluster.state_of(job) not in ("", "RUNNING", "COMPLETING"))
        self.cluster.run("scancel", job, check=False)

    # A and G: what is the user's is opened as the user.

    def test_output_does_not_go_where_its_user_may_not_write(self):
        c = self.cluster
        (c.work / "to-secret").symlink_to(self.secret)
        for n, path in enumerate([c.work / "to-secret", self.secret, "/etc/cron.d/berth-mallory", "/root/x", c.state / "state" / "berth.db", c.root / "new"]):
            self.give_up(self.submit_as(MALLORY, "-o", str(path), "-J", f"out{n}", script="echo overwritten"))
        self.assertEqual(self.secret.read_text(), "secret")
        for made in ("/etc/cron.d/berth-mallory", "/root/x", c.root / "new"):
            self.assertFalse(os.path.exists(made), made)
        self.assertIn("the daemon's state is the same", c.wait("the replay", lambda: self.replayed()))

    def replayed(self):
        said = self.cluster.run("berth", "replay", check=False).stdout
        return said if "is the same" in said else ""

    def test_a_directory_that_becomes_a_link_while_the_job_waits(self):
        c = self.cluster
        place = c.work / "swap"
        place.mkdir()
        place.chmod(0o777)
        job = self.submit_as(MALLORY, "--hold", "-D", str(place), "-o", "root-only", script="echo overwritten")
        place.rmdir()
        place.symlink_to(c.root)
        self.as_user(MALLORY, "scontrol", "release", job)
        self.give_up(job)
        self.assertEqual(self.secret.read_text(), "secret")

    def test_input_is_read_as_the_user(self):
        c = self.cluster
        out = c.work / "input.out"
        job = self.submit_as(MALLORY, "-i", str(self.secret), "-o", str(out), script="cat")
        self.give_up(job)
        self.assertNotIn("secret", out.read_text() if out.exists() else "")

    def test_what_the_agent_keeps_of_a_job_is_not_its_users_to_change(self):
        c = self.cluster
        job = self.submit_as(MALLORY, "-o", str(c.work / "kept"),
                             script=f"find {c.state} -writable ! -type l ! -type s 2>/dev/null; echo end")
        c.wait_state(job, "COMPLETED")
        self.assertEqual((c.work / "kept").read_text(), "end\n")

    # B: nothing of the user's in what runs as root.

    def test_the_sites_programs_see_nothing_of_the_users_environment(self):
        c = self.cluster
        evil = {"LD_PRELOAD": "/tmp/evil.so", "BASH_ENV": "/tmp/evil", "IFS": "x", "PATH": f"/tmp:{os.environ['PATH']}", "SLURM_EVIL": "1",
                "PERL5LIB": "/tmp", "ENV": "/tmp/evil"}
        exported = ",".join(f"{name}={value}" for name, value in evil.items())
        program = c.environment()["PATH"].split(":")[0] + "/sbatch"
        done = self.as_user(MALLORY, program, "--parsable", "-o", "/dev/null", f"--export=ALL,{exported}", "-J", "x;reboot", stdin="#!/bin/bash\ntrue")
        c.wait_state(done.stdout.strip(), "COMPLETED")
        seen = (self.folder / "prolog.env").read_text()
        self.assertIn(f"SLURM_JOB_ID={done.stdout.strip()}\n", seen)
        for name, value in evil.items():
            self.assertNotIn(f"\n{name}={value}\n", "\n" + seen)
        self.assertEqual((self.folder / "prolog.args").read_text().strip(), "")

    def test_a_job_has_the_identity_of_its_user_and_no_way_back(self):
        c = self.cluster
        job = self.submit_as(MALLORY, "-o", str(c.work / "who"), script="id -u; id -g; id -G; grep -E 'NoNewPrivs|CapEff' /proc/self/status; "
                             "cat /proc/self/cmdline | tr '\\0' ' '; ls -l /proc/self/fd | grep -c -E 'berth.db|agents.sock' || true")
        c.wait_state(job, "COMPLETED")
        lines = (c.work / "who").read_text().split("\n")
        self.assertEqual(lines[:3], ["5", "60", "60"])
        self.assertIn("CapEff:\t0000000000000000", lines)
        self.assertEqual(lines[-2][-1:], "0", "a descriptor of the daemons' is open in the job")

    # C: who asks is what the kernel says.

    def test_nobody_is_another_by_saying_so(self):
        c = self.cluster
        job = {"spec": {"request": {}, "command": {"work_dir": "/tmp"}}, "payload": {"script": "#!/bin/sh\n"}}
        for where in (job, job["spec"]):
            for name in ("owner", "uid", "principal"):
                where[name] = {"uid": 0, "gid": 0, "user": "root", "group": "root"} if name != "uid" else 0
                status, said = ask_as(5, self.socket, "POST", "/v1/jobs", job)
                self.assertEqual(status, 400, said)
                self.assertIn("is not a field", said)
                del where[name]
        for command in (["sbatch", "--uid=0", "--wrap", "true"], ["sbatch", "--gid=0", "--wrap", "true"]):
            self.assertNotEqual(self.as_user(MALLORY, *command).returncode, 0, command)
        mine = self.submit_as(MALLORY, "--hold", env={"USER": "root", "LOGNAME": "root", "SUDO_UID": "0"})
        self.assertIn("UserId=games(5) GroupId=games(60)", c.run("scontrol", "show", "job", mine).stdout)
        c.run("scancel", mine)

    # D and J: what others have is not mine, however it is named.

    def test_what_is_anothers_is_left_alone(self):
        c = self.cluster
        theirs = self.submit_as(ADA, "--hold", script="echo password=tiger")
        told = c.run("scontrol", "show", "job", theirs).stdout
        for command in (["scancel", theirs], ["scancel", f"{theirs}_1"], ["scancel", "-u", ADA], ["scontrol", "hold", theirs], ["scontrol", "release", theirs],
                        ["scontrol", "requeue", theirs], ["scontrol", "update", f"JobId={theirs}", "Priority=1"],
                        ["scontrol", "update", f"JobId={theirs}", "TimeLimit=1"], ["scontrol", "write", "batch_script", theirs, "-"],
                        ["scontrol", "update", "NodeName=n1", "State=DOWN", "Reason=x"], ["scontrol", "create", "reservation", "Users=games",
                         "StartTime=now", "Duration=1", "Nodes=n1", "ReservationName=mine"], ["sacctmgr", "-i", "add", "account", "mine"],
                        ["sacctmgr", "-i", "add", "user", MALLORY, "account=root", "AdminLevel=Admin"], ["sacctmgr", "-i", "modify", "qos", "normal", "set", "Priority=9"]):
            done = self.as_user(MALLORY, *command)
            self.assertNotIn("tiger", done.stdout + done.stderr, command)
            # What is selected may be nothing, and a task that there is not is as good as cancelled.
            if command[0] != "scancel" or command[1] not in ("-u", f"{theirs}_1"):
                self.assertNotEqual(done.returncode, 0, command)
        self.assertEqual(c.run("scontrol", "show", "job", theirs).stdout, told)
        c.wait("nodes that nothing runs on", lambda: "idle" in c.run("sinfo", "-h", "-o", "%t").stdout)
        c.run("scancel", theirs)

    def test_a_name_that_begins_alike_is_another_name(self):
        c = self.cluster
        for account in ("physics", "physics2", "phys"):
            c.run("sacctmgr", "-i", "add", "account", account)
            c.run("sacctmgr", "-i", "add", "user", MALLORY, f"account={account}")
        for account, may in (("physics", True), ("physics2", False), ("phys", False), ("PHYSICS2", False), ("physics,physics2", False)):
            done = self.as_user(MALLORY, "sbatch", "--hold", "--parsable", "-p", "ours", "-A", account, "--wrap", "true")
            self.assertEqual(done.returncode == 0, may, f"{account}: {done.stdout}{done.stderr}")
        first = self.submit_as(MALLORY, "--hold")
        tens = [self.submit_as(MALLORY, "--hold") for _ in range(12)]
        self.as_user(MALLORY, "scancel", first)
        left = c.run("squeue", "-h", "-u", MALLORY, "-o", "%i").stdout.split()
        self.assertTrue(set(tens) <= set(left))
        self.as_user(MALLORY, "scancel", "-u", MALLORY)

    def test_a_coordinator_manages_what_is_beneath_the_account_and_no_more(self):
        c = self.cluster
        for account, parent in (("lab", "root"), ("optics", "lab"), ("stars", "root")):
            c.run("sacctmgr", "-i", "add", "account", account, f"parent={parent}")
        c.run("sacctmgr", "-i", "add", "user", MALLORY, "account=lab")
        c.run("sacctmgr", "-i", "add", "user", ADA, "account=optics,stars")
        ours, elsewhere = (self.submit_as(ADA, "--hold", "-A", account) for account in ("optics", "stars"))
        self.assertNotEqual(self.as_user(MALLORY, "scancel", ours).returncode, 0)
        c.run("sacctmgr", "-i", "add", "coordinator", f"names={MALLORY}", "account=lab")
        self.assertIn(f"lab|{MALLORY}\noptics|{MALLORY}\n", c.run("sacctmgr", "-nP", "show", "account", "withcoord", "format=Account,Coord").stdout)
        for may, command in (
                (True, ["scontrol", "update", f"JobId={ours}", "Nice=5"]), (True, ["scancel", ours]), (False, ["scancel", elsewhere]),
                (False, ["scontrol", "write", "batch_script", elsewhere, "-"]),
                (True, ["sacctmgr", "-i", "modify", "user", ADA, "where", "account=optics", "set", "MaxJobs=3"]),
                (True, ["sacctmgr", "-i", "add", "account", "lasers", "parent=optics"]),
                (True, ["sacctmgr", "-i", "delete", "user", ADA, "account=optics"]),
                (False, ["sacctmgr", "-i", "modify", "user", ADA, "where", "account=stars", "set", "MaxJobs=3"]),
                (False, ["sacctmgr", "-i", "modify", "account", "lab", "set", "GrpJobs=3"]),
                (False, ["sacctmgr", "-i", "add", "account", "mine"]),
                (False, ["sacctmgr", "-i", "modify", "account", "stars", "set", "parent=lab"]),
                (False, ["sacctmgr", "-i", "add", "user", MALLORY, "account=lab", "AdminLevel=Operator"])):
            done = self.as_user(MALLORY, *command)
            self.assertEqual(done.returncode == 0, may, f"{command}: {done.stdout}{done.stderr}")
        c.run("sacctmgr", "-i", "delete", "coordinator", f"names={MALLORY}")
        self.assertNotEqual(self.as_user(MALLORY, "sacctmgr", "-i", "add", "account", "more", "parent=lab").returncode, 0)
        c.run("scancel", elsewhere)

    # E: texts are texts.

    def test_a_quote_is_a_letter_like_others(self):
        c = self.cluster
        name = "x'; DROP TABLE jobs; --\""
        job = self.submit_as(MALLORY, "-J", name)
        c.wait_state(job, "COMPLETED")
        for option in ("--name", "-u", "-A", "-r", "-q", "-N"):
            c.run("sacct", "-n", option, name, check=False)
        self.assertEqual(c.run("sacct", "-n", "-P", "-X", "--name", name, "-o", "JobID,JobName").stdout, f"{job}|{name}\n")
        self.assertEqual(c.state_of(job), "COMPLETED")

    # I: what is secret is in no list, no log and no command line.

    def test_scripts_and_tokens_stay_where_they_belong(self):
        c = self.cluster
        job = self.submit_as(ADA, "-o", str(c.work / "run.out"), script="export HIDDEN=tiger1; srun sleep 4")
        step = c.wait("its step", lambda: [s for s in c.states(job) if s.endswith(".0")])
        self.assertTrue(step)
        lines = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if (entry / "exe").resolve().parent == BIN.resolve():
                    lines.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
        self.assertTrue([line for line in lines if "berthd" in line])
        self.assertFalse([line for line in lines if "token" in line.lower() or "tiger1" in line], "a secret stands in a command line")
        for log in (c.state / "log").glob("*"):
            self.assertNotIn("tiger1", log.read_text(errors="replace"), log)
        for view in (["squeue", "--json"], ["scontrol", "show", "job", job], ["sacct", "-j", job, "--json"]):
            self.assertNotIn("tiger1", self.as_user(MALLORY, *view).stdout, view)
        status, said = ask_as(5, self.socket, "GET", f"/v1/jobs/{job}/script", None)
        self.assertEqual(status, 403, said)
        for file in (c.state / "state").glob("berth.db*"):
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)
        c.run("scancel", job)

    # H: tests/hostile, and how often one user may ask.

    def test_one_user_asks_only_so_often_and_its_commands_wait(self):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setresgid(60, 60, 60)
                os.setresuid(5, 5, 5)
                connection = OverSocket(self.socket)
                for _ in range(1000):
                    connection.request("GET", "/v1/ping")
                    answer = connection.getresponse()
                    answer.read()
                    os.write(writer, f"{answer.status}\n".encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            answers = pipe.read().split()
        os.waitpid(child, 0)
        self.assertEqual(set(answers), {"200", "429"})
        self.assertGreaterEqual(answers.count("200"), 200)
        self.assertEqual(len(answers), 1000)
        self.assertEqual(self.as_user(MALLORY, "squeue").returncode, 0, "a command waits for its turn")
        self.assertEqual(self.cluster.run("squeue").returncode, 0, "administrators are not counted")


if __name__ == "__main__":
    main()
