"""ClusterShell: node groups of partitions, states, jobs and users by the configuration that it ships for Slurm."""

import shutil
from pathlib import Path

from scenario import out, ran, state_of, wait

SHIPPED = Path("/etc/clustershell")
AS_USER = ["setpriv", "--reuid=games", "--regid=games", "--init-groups"]


def enable_the_groups():
    own = Path.home() / ".config/clustershell"
    (own / "groups.conf.d").mkdir(parents=True)
    shutil.copy(SHIPPED / "groups.conf", own)
    shutil.copy(SHIPPED / "groups.conf.d/slurm.conf.example", own / "groups.conf.d/slurm.conf")


def nodeset(*arguments):
    return out("nodeset", *arguments).split()


def sbatch(*arguments, wrap="sleep 600", user="games"):
    return out(*(AS_USER if user == "games" else []), "sbatch", "--parsable", "-o", "/dev/null", *arguments, "--wrap", wrap).strip()


def running(job):
    wait(f"job {job} to run", lambda: state_of(job) == "RUNNING")


def test_jobs_and_users(wide, array):
    assert nodeset("-f", f"@slurmjob:{wide}", f"@sj:{array}_1") == ["node[1-3]"]
    assert nodeset("-f", f"@sj:{wide}") == ["node[1-2]"] and nodeset("-f", f"@sj:{array}_2") == ["node3"]
    assert nodeset("-s", "slurmjob", "-l") == [f"@slurmjob:{job}" for job in (wide, f"{array}_1", f"{array}_2")]
    assert nodeset("-s", "sj", "-l", "node2") == [f"@sj:{wide}"]
    assert nodeset("-f", "@slurmuser:games") == ["node[1-3]"] and nodeset("-f", "@su:root") == []
    assert nodeset("-s", "su", "-l", "node1") == ["@su:games"] and nodeset("-s", "su", "-l", "node4") == []
    shown = out("clush", "-R", "exec", "-w", f"@sj:{wide}", f"srun --jobid {wide} --overlap -N1 -n1 -w %h printenv SLURMD_NODENAME")
    assert sorted(shown.splitlines()) == ["node1: node1", "node2: node2"], shown


def test_partitions():
    assert nodeset("-s", "slurmpart", "-l") == ["@slurmpart:main"] and nodeset("-f", "-s", "sp", "-a") == ["node[1-4]"]
    assert nodeset("-s", "sp", "-l", "node3") == ["@sp:main"] and nodeset("-s", "sp", "-r", "node[1-4]") == ["@sp:main"]


def test_states(wide):
    assert nodeset("-f", "@slurmstate:allocated") == ["node[1-3]"] and nodeset("-f", "@st:mixed") == ["node3"]
    assert nodeset("-f", "@sp:main!@su:games") == nodeset("-f", "@st:idle") == ["node4"]
    out("scontrol", "update", f"nodename={nodeset('-f', f'@sj:{wide}')[0]}", "state=drain", "reason=disk")
    assert nodeset("-f", "@st:draining") == ["node[1-2]"]
    assert nodeset("-s", "st", "-ll") == ["@st:draining", "node[1-2]", "@st:idle", "node4", "@st:mixed", "node3"]
    out("scancel", wide)
    wait("the nodes to be drained", lambda: nodeset("-f", "@st:drained") == ["node[1-2]"])
    assert nodeset("-s", "st", "-l", "node1") == ["@st:drained"] and nodeset("-f", "@st:drain") == ["node[1-2]"]


if __name__ == "__main__":
    enable_the_groups()
    wide = sbatch("-N2", "--exclusive", "-w", "node[1-2]")
    array = sbatch("-a", "1-2", "-n1", "-w", "node3")
    held = sbatch("--hold", user="root")
    running(wide)
    running(f"{array}_2")
    test_partitions()
    test_jobs_and_users(wide, array)
    test_states(wide)
    assert nodeset("-f", f"@sj:{held}") == [] and nodeset("-s", "sj", "-l") == [f"@sj:{array}_1", f"@sj:{array}_2"]
    ran("ClusterShell", "groups of partitions, states, jobs and users by its shipped slurm.conf.example; clush with srun on a job's nodes")
