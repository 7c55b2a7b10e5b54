"""A client of slurmrestd that OpenAPI Generator made of Slurm 25.11's own description, over TLS and with the tokens of scontrol."""

import os
import pwd
import signal
import socket
import subprocess
from pathlib import Path

from scenario import out, ran, state_of, wait

USER = "games"
STATE = Path(os.environ["BERTH_STATE"])
SCRIPT = "#!/bin/bash\necho $SLURM_JOB_NAME $GREETING $SLURM_NTASKS\n"


def free_port():
    """One whose third next is free, too: that of the commands."""
    for port in range(21_000, 29_000, 7):
        try:
            for one in (port, port + 3):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", one))
            return port
        except OSError:
            continue
    raise AssertionError("no port is free")


def listen_to_others():
    """The controller again, as it was started, with the TLS port of commands."""
    pid = int((STATE / "berthd.pid").read_text().split()[0])
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1]
    os.kill(pid, signal.SIGKILL)
    wait("the controller's end", lambda: not Path(f"/proc/{pid}/exe").exists())
    port = free_port()
    controller = subprocess.Popen([*words, "--listen", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
    wait("the controller to listen", lambda: subprocess.run(["scontrol", "ping"], capture_output=True).returncode == 0)
    return controller, port + 3


def client_for(version, port, **more):
    """SlurmApi, SlurmdbApi and the models of one version of data_parser."""
    import slurmrestapi
    configuration = slurmrestapi.Configuration(host=f"https://127.0.0.1:{port}", ssl_ca_cert=str(STATE / "state/keys/ca.pem"), **more)
    configuration.assert_hostname = False  # Its certificate is the cluster's.
    client = slurmrestapi.ApiClient(configuration)

    class Api:
        """api.get_jobs() is SlurmApi's slurm_v0044_get_jobs(), api.db_get_jobs() SlurmdbApi's."""
        slurm, slurmdb = slurmrestapi.SlurmApi(client), slurmrestapi.SlurmdbApi(client)

        def __getattr__(self, name):
            if name.startswith("db_"):
                return getattr(self.slurmdb, f"slurmdb_{version}_{name[3:]}")
            return getattr(self.slurm, f"slurm_{version}_{name}")

        @staticmethod
        def model(name):
            return getattr(slurmrestapi, f"V{version[1:]}{name}")

    return Api()


def fine(answer):
    assert not answer.errors, answer
    return answer


def refused(call, *arguments, status, **named):
    import json
    from slurmrestapi.exceptions import ApiException
    try:
        call(*arguments, **named)
    except ApiException as wrong:
        assert wrong.status == status, wrong
        return json.loads(wrong.body)["errors"][0]
    raise AssertionError(f"{call} is not refused")


def jobs(version, port):
    api = client_for(version, port, api_key={"token": token(), "user": USER})
    number, job, submission = api.model("Uint32NoValStruct"), api.model("JobDescMsg"), api.model("JobSubmitReq")
    home = os.getcwd()

    def submit(**fields):
        of = {"environment": ["PATH=/usr/bin:/bin", "GREETING=hello"], "current_working_directory": home, "partition": "main"} | fields
        return fine(api.post_job_submit(submission(script=SCRIPT, job=job(**of))))

    file = f"{version}.out"
    first = submit(name="rest", tasks=2, time_limit=number(set=True, number=5), standard_output=f"{home}/{file}").job_id
    wait("the job's end", lambda: state_of(first) == "COMPLETED")
    assert Path(file).read_text() == "rest hello 2\n", Path(file).read_text()
    shown = fine(api.get_job(str(first))).jobs[0]
    assert (shown.job_id, shown.name, shown.user_name, shown.job_state) == (first, "rest", USER, ["COMPLETED"]), shown
    assert shown.time_limit.number == 5 and shown.tasks.number == 2, shown
    answer = submit(name="waits", priority=number(set=True, number=0), tres_per_node="gres/gpu:1")
    assert answer.warnings, "of a held job it is said that it is held"
    held = answer.job_id
    result = fine(api.post_job(str(held), job(name="changed", time_limit=number(set=True, number=7)))).results[0]
    assert (result.job_id, result.error_code) == (held, 0), result
    waiting = fine(api.get_job(str(held))).jobs[0]
    assert (waiting.name, waiting.job_state, waiting.priority.number, waiting.time_limit.number) == ("changed", ["PENDING"], 0, 7), waiting
    assert held in [one.job_id for one in fine(api.get_jobs()).jobs]
    assert [one.job_state for one in fine(api.get_jobs_state(job_id=str(held))).jobs] == [["PENDING"]]
    fine(api.delete_job(str(held)))
    wait("it to be cancelled", lambda: fine(api.get_job(str(held))).jobs[0].job_state == ["CANCELLED"])
    recorded = {one.job_id: one for one in fine(api.db_get_jobs(users=USER)).jobs}
    assert recorded[first].state.current == ["COMPLETED"] and recorded[held].state.current == ["CANCELLED"], recorded
    assert fine(api.db_get_job(str(first))).jobs[0].name == "rest"
    wrong = refused(api.get_job, "999999", status=404)
    assert (wrong["error_number"], wrong["error"]) == (2017, "Invalid job id specified"), wrong
    wrong = refused(api.post_job_submit, submission(script=SCRIPT, job=job(reboot=True)), status=400)
    assert "reboot is not supported" in wrong["description"], wrong


def lists(version, port):
    api = client_for(version, port, access_token=token())
    assert fine(api.get_ping()).pings[0].responding
    meta = fine(api.get_ping()).meta
    assert meta.plugin.data_parser == f"data_parser/v0.0.{version[-2:]}" and meta.client.user == USER, meta
    nodes = fine(api.get_nodes()).nodes
    assert len(nodes) == 2 and nodes[0].cpus == 8 and nodes[0].gres.startswith("gpu:a100:4"), nodes
    assert fine(api.get_node(nodes[1].name)).nodes[0].name == nodes[1].name
    assert [one.name for one in fine(api.get_partitions()).partitions] == ["main"]
    assert fine(api.get_partition("main")).partitions[0].nodes.total == 2
    assert fine(api.get_diag()).statistics.jobs_submitted >= 1
    for call in (api.get_licenses, api.get_reservations, api.get_shares, api.db_get_accounts, api.db_get_users, api.db_get_associations,
                 api.db_get_qos, api.db_get_tres, api.db_get_clusters, api.db_get_instances, api.db_get_wckeys):
        fine(call())
    assert [one.type for one in fine(api.db_get_tres()).tres][:2] == ["cpu", "mem"]
    assert refused(api.get_reconfigure, status=501)["error_number"] == 2036


def token(user=USER):
    return out("scontrol", "token", f"username={user}", "lifespan=600").strip().split("=", 1)[1]


def main():
    os.chown(".", pwd.getpwnam(USER).pw_uid, -1)
    controller, port = listen_to_others()
    try:
        for version in ("v0044", "v0043"):
            jobs(version, port)
            lists(version, port)
        stranger = client_for("v0044", port)
        assert refused(stranger.get_jobs, status=401)["error_number"] == 9008
        other = client_for("v0044", port, api_key={"token": token(), "user": "root"})
        assert "X-SLURM-USER-NAME" in refused(other.get_jobs, status=401)["description"]
        ran("slurmrestapi", "v0.0.44 and v0.0.43 over TLS: submit, show, change, cancel, jobs, records, nodes, partitions, lists; refusals")
    finally:
        controller.terminate()
        controller.wait(timeout=60)


main()
