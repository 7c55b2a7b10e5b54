"""Berth with the configuration of a Site, beside Debian's Slurm of slurm_cluster.py."""

import os

from cluster import Cluster
from mails import program
from slurm_cluster import as_user


class BerthCluster(Cluster):
    """`with BerthCluster(directory, site) as berth`. `directory`: of the SlurmCluster, whose device files it has too."""

    def __init__(self, directory, site):
        etc = directory / "etc-berth"
        etc.mkdir()
        self.mails = directory / "mails-berth"
        self.mails.mkdir()
        (etc / "slurm.conf").write_text(site.common + f"MailProg={program(self.mails)}\nMailDomain=example.org\n"
                                        + "SlurmctldHost=" + os.uname().nodename.split(".")[0] + "\n" + site.nodes)
        (etc / "gres.conf").write_text(site.gres.format(dir=directory / "dev"))
        (etc / "berth.yaml").write_text(site.berth_yaml)
        super().__init__(conf=etc / "slurm.conf")

    def run(self, *command, user=None, check=False, **more):
        return super().run(*as_user(user, command), check=check, **more)

    def asked(self, *command, answer):
        return super().run(*command, check=False, stdin=answer)

    def up(self):
        super().run("berth", "up", *self.up_arguments)
