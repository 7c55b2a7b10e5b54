"""berth import slurm: what each option brings of the site in tests/data/slurm_site."""

import shutil
import uuid
from contextlib import contextmanager
from pathlib import Path

from berth_clusters import Own
from berth_jobs import berth_option
from commands import only_variable
from effect import same, see

SITE = Path(__file__).resolve().parents[1] / "data/slurm_site"


class Site(Own):
    """A site's files in self.root/site."""

    @contextmanager
    def place(self):
        with super().place():
            shutil.copytree(SITE, self.root / "site")
            yield self

    def imported(self, *others):
        """`berth import slurm` with the tested option, and the site's files under these names of options."""
        files = {"conf": "conf", "sacctmgr-dump": "accounts", "qos": "qos", "jobs": "jobs", "owners": "owners"}
        given = [f"--{one}={self.root}/site/{files[one]}" if one in files else f"--{one}" for one in others]
        return self.at(self.state, "berth", "import", "slurm", *given, *self.words())

    def brings(self, what, *others):
        said = self.imported(*others).stdout
        see(what in said, said)


def import_option(option, value=None, seen=""):
    return berth_option(option, value, seen, ("import slurm",), world="alone", case=Site)


@import_option("conf", "ROOT/site/conf", seen="its nodes: without one nothing is read")
def conf(run):
    with run.place():
        run.brings("2 nodes, 1 partitions")


@import_option("sacctmgr-dump", "ROOT/site/accounts", seen="accounts and users")
def sacctmgr_dump(run):
    with run.place():
        run.brings(" 2 accounts, 4 users in accounts", "conf", "qos")


@import_option("qos", "ROOT/site/qos", seen="QOS")
def qos(run):
    with run.place():
        run.brings(" 2 QOS,", "conf")


@import_option("reservations", "ROOT/site/reservations", seen="reservations")
def reservations(run):
    with run.place():
        run.brings(" 2 reservations,", "conf")


@import_option("usage", "ROOT/site/usage", seen="the usage of users")
def usage(run):
    with run.place():
        run.brings("usage of 4 users", "conf", "qos", "sacctmgr-dump")


@import_option("state", "jobs", seen="jobs that wait")
def state(run):
    with run.place():
        run.brings(" 2 jobs;", "conf", "jobs", "owners")


@import_option("jobs", "ROOT/site/jobs", seen="jobs that wait")
def jobs(run):
    with run.place():
        run.brings(" 2 jobs;", "conf", "state=jobs", "owners")


@import_option("owners", "ROOT/site/owners", seen="jobs whose owner is known")
def owners(run):
    with run.place():
        run.brings(" 2 jobs;", "conf", "state=jobs", "jobs")


@import_option("scripts", "ROOT/site", seen="jobs whose scripts lie there")
def scripts(run):
    with run.place():
        shutil.copy(run.root / "site/jobs", run.root / "records")
        run.brings(" 2 jobs;", "conf", "state=jobs", f"jobs={run.root}/records", "owners")


@import_option("lenient", seen="what is refused is no failure")
def lenient(run):
    with run.place():
        same(run.imported("conf", "qos", "sacctmgr-dump").returncode, 0)


def has_accounts(run):
    shown = run.at(run.state, "sacctmgr", "-nP", "show", "account", "format=Account").stdout
    see("physics" in shown.split(), shown)


@import_option("apply", seen="the cluster has the accounts")
def apply(run):
    with run.place():
        run.at(run.state, "berth", "up", f"--slurm-conf={run.root}/site/conf/slurm.conf")
        run.imported("conf", "qos", "sacctmgr-dump", "lenient")
        has_accounts(run)


@import_option("new-cluster", "ROOT/state", seen="a cluster that has the accounts")
def new_cluster(run):
    with run.place():
        run.imported("conf", "qos", "sacctmgr-dump", "lenient")
        has_accounts(run)


@only_variable("BERTH_REQUEST_ID", "sbatch", lambda cluster: uuid.uuid4().hex, seen="submitted twice, it is one job", world="jobs")
def request_id(run):
    first, second = (run.ask("--parsable", "-H", "-o", "/dev/null", "--wrap", "true") for _ in range(2))
    same(first, second)
