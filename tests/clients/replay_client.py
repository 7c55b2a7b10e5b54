"""Clients that cannot be had here: their own command lines, and what they do with the output, written down from their sources."""

import json
import re
import subprocess

from scenario import out, replayed, state_of, wait


def call(*command):
    done = subprocess.run(command, text=True, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def jobs():
    """Some that run, one that waits, an array that is held, and one that is over."""
    over = out("sbatch", "--parsable", "--wait", "-o", "/dev/null", "--wrap", "true").strip()
    running = out("sbatch", "--parsable", "-o", "/dev/null", "-n2", "--gres=gpu:1", "--mem=100M", "-t", "10", "--wrap", "srun sleep 600").strip()
    wait("it to run", lambda: state_of(running) == "RUNNING")
    array = out("sbatch", "--parsable", "-o", "/dev/null", "-H", "-a", "0-2", "--wrap", "true").strip()
    after = out("sbatch", "--parsable", "-o", "/dev/null", "-d", f"afterok:{running}", "--wrap", "true").strip()
    return over, running, array, after


def prometheus_slurm_exporter(over, running, array, after):
    """Any command that fails ends it; any word that is no number does, too."""
    rows = [line.split("|") for line in out("squeue", "-a", "-r", "-h", "-o %A|%a|%T|%C").splitlines()]
    assert sorted(row[2] for row in rows) == ["PENDING"] * 4 + ["RUNNING"] and all(float(row[3]) >= 1 for row in rows), rows
    assert {line.split("|")[1] for line in out("squeue", "-a", "-r", "-h", "-o %A|%u|%T|%C").splitlines()} == {"games"}
    assert out("squeue", "-a", "-r", "-h", "-o%P", "--states=PENDING").split() == ["main"] * 4
    reasons = sorted(tuple(line.strip().split(",")[1:]) for line in out("squeue", "-a", "-r", "-h", "-o %A,%T,%r", "--states=all").splitlines())
    assert reasons == [("COMPLETED", "None"), ("PENDING", "Dependency"), *[("PENDING", "JobHeldUser")] * 3, ("RUNNING", "None")], reasons
    assert [float(n) for n in out("sinfo", "-h", "-o %C").strip().split("/")] == [2, 14, 0, 16]
    nodes = {state: float(count) for count, state in (line.strip().split(",") for line in out("sinfo", "-h", "-o %D,%T").splitlines())}
    assert nodes == {"mixed": 1, "idle": 1}, nodes
    assert {line.split(",")[0]: line.split(",")[1].count("/") for line in out("sinfo", "-h", "-o%R,%C").splitlines()} == {"main": 3}
    for line in out("sinfo", "-h", "-N", "-O", "NodeList,AllocMem,Memory,CPUsState,StateLong").splitlines():
        name, allocated, memory, cpus, state = line.split()
        assert name.startswith("node") and int(allocated) in (0, 100) and int(memory) > 100 and cpus.count("/") == 3 and state in ("mixed", "idle")
    gpus = [line.strip('"').split() for line in out("sinfo", "-h", '-o "%n %G"').splitlines()]
    assert all(re.fullmatch(r"gpu:\w+:4", gres) for _, gres in gpus), gpus
    for line in out("sshare", "-n", "-P", "-o", "account,fairshare").splitlines():
        if not line.startswith("  "):
            float(line.split("|")[1] or 0)
    values, seen = {}, []
    for line in out("sdiag").splitlines():
        key, colon, value = line.strip().partition(":")
        seen.append(key)
        if re.fullmatch(r"Server thread count|Agent queue size|DBD Agent queue size|Last cycle|Mean cycle|Cycles per minute|Depth Mean", key):
            values[f"{key} {seen.count(key)}"] = float(value.strip().split()[0])
    for key in ("Server thread count", "Agent queue size", "DBD Agent queue size", "Last cycle", "Mean cycle"):  # Per minute only after one.
        assert f"{key} 1" in values, (key, values)
    return "prometheus-slurm-exporter (vpenso; not at the Go proxy): 11 command lines, its parsers of each"


def rivos_exporter(over, running, array, after):
    text = out("squeue", "--states=all", "-h", "-r", "-o", '{"a": "%a", "id": %A, "end_time": "%e", "u": "%u", "state": "%T", "p": "%P", '
               '"cpu": %C, "mem": "%m", "array_id": "%K", "r": "%R"}')
    rows = [json.loads(line) for line in text.splitlines()]
    assert len(rows) == 6 and all(re.fullmatch(r"\(\w+\)", row["r"]) for row in rows if row["state"] == "PENDING"), rows
    text = out("sinfo", "-h", "-o", '{"s": "%T", "mem": %m, "n": "%n", "l": "%O", "p": "%R", "fmem": "%e", "cstate": "%C", "w": %w}')
    assert all(json.loads(line)["p"] == "main" for line in text.splitlines())
    return "slurm exporter (rivos): its lines of JSON"


def open_ondemand(over, running, array, after):
    names = ("Account JobID BatchHost MinCpus NumCPUs MinTmpDisk NumNodes EndTime Dependency Feature ArrayJobID GroupName GroupID OverSubscribe "
             "Sockets JobArrayID Cores Name Threads Comment ArrayTaskID TimeLimit TimeLeft MinMemory TimeUsed ReqNodes NodeList Command Contiguous "
             "QOS Partition PriorityLong Reason StartTime StateCompact State UserName UserID Reservation SubmitTime WCKey Licenses ExcNodes CoreSpec "
             "Nice SchedNodes SCT WorkDir tres-alloc tres-per-node").split()
    command = ["squeue", "--all", "--states=all", "--noconvert", "-O", ",".join(f"{name}:\x1f" for name in names), "-j", running]
    code, text, said = call(*command)
    assert code == 0 and not said, said
    head, row = text.split("\x1f\n")[:2]
    found = dict(zip(names, row.split("\x1f"), strict=True))
    assert found["JobID"] == running and found["State"] == "RUNNING" and found["tres-per-node"] == "gres/gpu:1", found
    assert len([int(n) for part in out("sinfo", "-aho", "%F/%C").split("/") for n in [part]]) == 8
    for line in out("sinfo", "-ahNO", "nodehost:100,gres:512,gresused:512,statelong").splitlines():
        assert sum(int(n) for n in re.findall(r"gpu[s:]*[\w()-]*[=:]?(\d+)(?:[(,]|$)", line.split()[1])) == 4, line
    for word in out("scontrol", "show", "part", "-o").split():
        assert re.match(r"^\w+=.+", word), word
    return "Open OnDemand: 50 fields of squeue -O, sinfo, scontrol show part"


def others(over, running, array, after):
    rows = [line.split() for line in out("squeue", "-O", "JobArrayID,StateCompact,Reason", "-t", "all", "--me").splitlines()[1:]]
    assert len(rows) == 4 and all(len(row) == 3 for row in rows), rows  # PSI/J asserts three.
    assert call("sacct", "-X")[0] == 0  # Parsl's probe.
    text = out("sacct", "-X", "--noheader", "--format=jobid,state%20", "--job", f"{over},{running},{array},{after}")
    assert {line.split()[0]: line.split()[1] for line in text.splitlines()}[over] == "COMPLETED", text
    for line in out("scontrol", "show", "job", "-o", running).splitlines():  # QToolKit.
        assert all("=" in word for word in line.split("Command=")[0].split()), line
    nodes = [line.split(r"\x1f") for line in out("sinfo", "-h", "--Node", "-o", r"%N\x1f%t\x1f%G\x1f%c\x1f%m\x1f%P").splitlines()]
    assert all(len(row) == 6 and int(row[3]) and int(row[4]) for row in nodes), nodes  # SkyPilot.
    assert out("squeue", "-h", "--only-job-state", "--jobs", running, "-o", "%T").strip() == "RUNNING"
    assert "ProctrackType" in out("scontrol", "show", "config")
    shown = json.loads(out("squeue", "--json", "-j", running))["jobs"][0]  # TorchX's newer status.
    assert shown["job_state"][0] == "RUNNING" and shown["job_resources"]["nodes"]["allocation"][0]["cpus"]["used"] == 2, shown
    return "PSI/J, Parsl, QToolKit, SkyPilot, TorchX's newer status: a few command lines of each"


if __name__ == "__main__":
    made = jobs()
    for replay in (prometheus_slurm_exporter, rivos_exporter, open_ondemand, others):
        replayed(replay(*made))
