"""batchspawner under a real JupyterHub: a user's notebook server as a job, reached through the proxy, and stopped."""

import json
import os
import secrets
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from scenario import out, ran, state_of, wait

HUB, PROXY = "http://127.0.0.1:28001/hub/api", "http://127.0.0.1:28000"
TOKEN = secrets.token_hex(16)


def call(method, url, data=None):
    request = urllib.request.Request(url, method=method, data=data, headers={"Authorization": f"token {TOKEN}"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as problem:
        return problem.code, problem.read().decode()
    except OSError as problem:
        return 0, str(problem)


def is_ready():
    server = servers().get("")
    assert server, "the spawn failed"
    return server["ready"]


def servers():
    code, text = call("GET", f"{HUB}/users/games")
    return json.loads(text)["servers"] if code == 200 else {}


def start_hub():
    config = Path(__file__).resolve().parent / "jupyterhub_config.py"
    log = open("hub.log", "w")
    hub = subprocess.Popen(["jupyterhub", "-f", str(config)], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                           env=os.environ | {"WORK": os.getcwd(), "TOKEN": TOKEN})
    wait("the hub", lambda: hub.poll() is not None or call("GET", f"{HUB}/")[0] == 200)
    assert hub.poll() is None, Path("hub.log").read_text()
    return hub


def test_a_server_is_a_job():
    code, text = call("POST", f"{HUB}/users/games/server", data=b"")
    assert code in (201, 202), (code, text)
    wait("the server", is_ready, 120)
    job = out("squeue", "-h", "-u", "games", "-o", "%A").strip()
    shown = out("scontrol", "show", "job", job)
    for text in ("JobName=spawner-jupyterhub", "UserId=games(", "JobState=RUNNING", "TimeLimit=00:10:00", "MinMemoryNode=1G", "CPUs/Task=2"):
        assert text in shown, (text, shown)
    code, text = call("GET", f"{PROXY}/user/games/api/status")
    assert code == 200 and "started" in text, (code, text)
    ran("batchspawner", "a user's server as a job, reached through the proxy")
    assert call("DELETE", f"{HUB}/users/games/server")[0] in (202, 204)
    wait("the job's end", lambda: state_of(job) == "CANCELLED")
    wait("the hub to know", lambda: not servers())
    ran("batchspawner", "stopped: its job is cancelled")


def test_a_waiting_server_is_pending():
    holder = out("sbatch", "--parsable", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 600").strip()
    wait("the nodes to be held", lambda: state_of(holder) == "RUNNING")
    assert call("POST", f"{HUB}/users/games/server", data=b"")[0] in (201, 202)
    wait("its job to wait", lambda: out("squeue", "-h", "-u", "games", "-t", "PENDING", "-o", "%A"))
    assert servers()[""]["pending"] == "spawn"
    out("scancel", holder)
    wait("the server", is_ready, 120)
    assert call("DELETE", f"{HUB}/users/games/server")[0] in (202, 204)
    ran("batchspawner", "a server that waits in the queue, and then starts")


if __name__ == "__main__":
    os.chmod(".", 0o777)
    hub = start_hub()
    try:
        test_a_server_is_a_job()
        test_a_waiting_server_is_pending()
    except AssertionError:
        lines = [line for line in Path("hub.log").read_text().splitlines() if "200 GET" not in line]
        print("\n".join(lines)[-8000:])
        for log in Path(".").glob("jupyterhub_slurmspawner_*.log"):
            print(f"--- {log}\n{log.read_text()[-3000:]}")
        raise
    finally:
        hub.terminate()
        hub.wait(30)
        pid = Path("proxy.pid")
        if pid.exists():
            subprocess.run(["kill", pid.read_text().strip()], check=False)
