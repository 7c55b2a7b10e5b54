"""What a site and its users are told of jobs (MailProg, the webhook), and what the site does around them on the controller's host (PrologSlurmctld, EpilogSlurmctld)."""

import hashlib
import hmac
import http.server
import json
import os
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from cluster import Cluster, main

SECRET = "a secret of the site's"
CONF = """ClusterName=told
NodeName=n1 CPUs=8
PartitionName=main Nodes=n1 Default=YES MaxTime=1-0
MailProg={folder}/mail
MailDomain=example.org
PrologSlurmctld={folder}/prolog
EpilogSlurmctld={folder}/epilog
InactiveLimit=20
"""
YAML = "notifications: {{url: 'http://127.0.0.1:{port}/hook', events: [END, FAIL], secret_file: {folder}/secret}}\n"


class Receiver(http.server.BaseHTTPRequestHandler):
    heard = []
    refused = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signed = self.headers["X-Berth-Timestamp"].encode() + b"." + body
        expected = "sha256=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, self.headers["X-Berth-Signature"]):
            Receiver.refused += 1
        elif self.server.busy:  # It is asked again.
            self.server.busy -= 1
            self.send_response(503)
            return self.end_headers()
        else:
            Receiver.heard.append(json.loads(body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


class Notices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e-notices.")))
        cls.folder.chmod(0o777)
        cls.receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        cls.receiver.busy = 0
        threading.Thread(target=cls.receiver.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.receiver.server_close)
        cls.addClassCleanup(cls.receiver.shutdown)
        (cls.folder / "slurm.conf").write_text(CONF.format(folder=cls.folder))
        (cls.folder / "berth.yaml").write_text(YAML.format(folder=cls.folder, port=cls.receiver.server_address[1]))
        (cls.folder / "secret").write_text(SECRET + "\n")
        (cls.folder / "secret").chmod(0o600)
        cls.log = cls.folder / "log"
        cls.program("mail", f'echo "$SLURM_JOB_ID $SLURM_JOB_MAIL_TYPE|$*" >>{cls.folder}/mails')
        cls.program("prolog", f'echo "$SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID $SLURM_JOB_NODELIST" >>{cls.log}\n'
                              f'[ ! -e {cls.folder}/prolog-fails ] || exit 3\n'
                              f'while [ -e {cls.folder}/prolog-waits ]; do sleep 0.1; done')
        cls.program("epilog", f'echo "$SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID $SLURM_JOB_EXIT_CODE2" >>{cls.log}')
        cls.cluster = cls.enterClassContext(Cluster(conf=cls.folder / "slurm.conf"))

    @classmethod
    def program(cls, name, shell):
        path = cls.folder / name
        path.write_text(f"#!/bin/sh\n{shell}\n")
        path.chmod(0o755)

    def setUp(self):
        self.log.write_text("")
        for name in ("prolog-fails", "prolog-waits"):
            (self.folder / name).unlink(missing_ok=True)

    def mails(self, job):
        """What was said of a job, the times taken out."""
        path = self.folder / "mails"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.split("|", 1)[1] for line in lines if line.startswith(f"{job} ")]

    def logged(self, job):
        return [line for line in self.log.read_text().splitlines() if line.split()[1] == job]

    def test_a_user_is_told_by_mail(self):
        c = self.cluster
        job = c.sbatch("--mail-type=BEGIN,FAIL", "--mail-user=ann@example.org", "-J", "told", script="exit 3")
        c.wait_state(job, "FAILED")
        c.wait("two mails", lambda: len(self.mails(job)) == 2)
        began, ended = sorted(self.mails(job))
        self.assertRegex(began, rf"^-s Slurm Job_id={job} Name=told Began, Queued time 00:00:\d\d ann@example.org$")
        self.assertRegex(ended, rf"^-s Slurm Job_id={job} Name=told Failed, Run time 00:00:\d\d, FAILED, ExitCode 3 ann@example.org$")
        shown = c.run("scontrol", "show", "job", job).stdout
        self.assertIn("MailUser=ann@example.org MailType=BEGIN,FAIL", shown)

    def test_who_asks_later_is_told_too_and_bad_addresses_are_refused(self):
        c = self.cluster
        job = c.sbatch("-H", "-J", "later", script="true")
        c.run("scontrol", "update", f"JobId={job}", "MailType=END", "MailUser=bob@x.org")
        c.run("scontrol", "release", job)
        c.wait_state(job, "COMPLETED")
        told = c.wait("the mail", lambda: self.mails(job))
        self.assertTrue(told[0].endswith("COMPLETED, ExitCode 0 bob@x.org"), told)
        for bad in ("-a/etc/passwd", "|sh", "/tmp/x"):
            done = c.run("sbatch", "--mail-type=END", f"--mail-user={bad}", "--wrap", "true", check=False)
            self.assertNotEqual(done.returncode, 0)
        done = c.run("sbatch", "--mail-type=SOMETIMES", "--wrap", "true", check=False)
        self.assertEqual(done.stderr, "sbatch: error: Invalid --mail-type specification\n")

    def test_the_site_hears_of_every_job_by_its_webhook(self):
        c = self.cluster
        self.receiver.busy = 1
        job = c.sbatch("-J", "heard", script="exit 4")
        c.wait_state(job, "FAILED")
        news = c.wait("the news", lambda: [one for one in Receiver.heard if str(one["job"]) == job])
        self.assertEqual(len(news), 1)
        self.assertEqual({key: news[0][key] for key in ("event", "name", "state", "cluster", "nodes")},
                         {"event": "FAIL", "name": "heard", "state": "FAILED", "cluster": "told", "nodes": ["n1"]})
        self.assertEqual(news[0]["exit"]["code"], 4)
        self.assertEqual(Receiver.refused, 0)
        page = c.run("curl", "-s", "--unix-socket", str(c.state / "berthd.sock"), "http://berth/metrics").stdout
        self.assertIn('berth_notifications_total{channel="webhook",result="sent"}', page)

    def test_a_job_waits_for_the_prolog_on_the_controllers_host(self):
        c = self.cluster
        (self.folder / "prolog-waits").touch()
        job = c.sbatch(script="exit 2")
        c.wait("the prolog to run", lambda: self.logged(job))
        c.wait("CONFIGURING", lambda: c.run("squeue", "-h", "-j", job, "-o", "%T %t").stdout == "CONFIGURING CF\n")
        self.assertFalse((c.work / f"slurm-{job}.out").exists())
        c.kill("berthd")  # The next one runs it again.
        c.up()
        c.wait("the prolog to run again", lambda: len(self.logged(job)) == 2)
        (self.folder / "prolog-waits").unlink()
        c.wait_state(job, "FAILED")
        c.wait("the epilog", lambda: self.logged(job)[-1] == f"epilog_slurmctld {job} 2:0")
        self.assertEqual(self.logged(job)[:-1], [f"prolog_slurmctld {job} n1"] * 2)

    def test_a_job_whose_prolog_fails_is_held(self):
        c = self.cluster
        (self.folder / "prolog-fails").touch()
        job = c.sbatch(script="true")
        c.wait("the job to be held", lambda: c.run("squeue", "-h", "-j", job, "-o", "%T %r").stdout == "PENDING launch failed requeued held\n")
        self.assertIn("PrologSlurmctld of job " + job + " ended with exit code 3", (c.state / "log/berthd.log").read_text())
        (self.folder / "prolog-fails").unlink()
        c.run("scontrol", "release", job)
        c.wait_state(job, "COMPLETED")

    def start(self, *command):
        return subprocess.Popen(command, cwd=self.cluster.work, env=self.cluster.environment(), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True)

    def test_a_job_whose_salloc_is_gone_is_ended(self):
        c = self.cluster
        living = self.start("salloc", "-J", "attended", "sleep", "1000")
        dead = self.start("salloc", "-J", "deserted", "sleep", "1000")
        try:
            def running():
                return dict(line.split() for line in c.run("squeue", "-h", "-t", "R", "-o", "%j %A").stdout.splitlines())

            c.wait("both to run", lambda: len(running()) == 2)
            jobs = running()
            os.kill(dead.pid, signal.SIGKILL)
            c.wait_state(jobs["deserted"], "TIMEOUT")
            reason = c.run("scontrol", "show", "job", jobs["deserted"]).stdout
            self.assertIn("Reason=InactiveLimit", reason)
            self.assertEqual(c.run("squeue", "-h", "-j", jobs["attended"], "-o", "%T").stdout, "RUNNING\n")
            c.run("scancel", jobs["attended"])
        finally:
            for one in (living, dead):
                os.killpg(one.pid, signal.SIGKILL)  # Their commands, too.
                one.wait()


if __name__ == "__main__":
    main()
