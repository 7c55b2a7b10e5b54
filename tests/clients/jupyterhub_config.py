# A hub whose users' servers are jobs: batchspawner as it comes, told where the commands and a home are.
import os

from batchspawner import SlurmSpawner

work, path = os.environ["WORK"], os.environ["PATH"]
c = get_config()  # noqa: F821
c.JupyterHub.bind_url = "http://127.0.0.1:28000"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:28001"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:28002"
c.JupyterHub.db_url = f"sqlite:///{work}/hub.sqlite"
c.JupyterHub.cookie_secret_file = f"{work}/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = f"{work}/proxy.pid"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allowed_users = {"games"}
c.JupyterHub.services = [{"name": "test", "api_token": os.environ["TOKEN"]}]
c.JupyterHub.load_roles = [{"name": "test", "scopes": ["admin:users", "admin:servers", "access:servers", "list:users"], "services": ["test"]}]

c.JupyterHub.spawner_class = "batchspawner.SlurmSpawner"
c.Spawner.http_timeout = c.Spawner.start_timeout = 150
c.Spawner.env_keep = ["PATH", "BERTH_SOCKET", "BERTH_STATE"]
c.Spawner.environment = {**{f"JUPYTER_{kind}_DIR": f"{work}/jupyter-{kind.lower()}" for kind in ("CONFIG", "DATA", "RUNTIME")},
                         "JUPYTERHUB_SINGLEUSER_APP": "jupyter_server.serverapp.ServerApp"}
c.BatchSpawnerBase.exec_prefix = f"sudo -E -u {{username}} env PATH={path}"  # sudo has a path of its own.
# Its own script, but for a home that the user may write.
c.SlurmSpawner.batch_script = SlurmSpawner.batch_script.default_value.replace("{{homedir}}", work)
c.BatchSpawnerBase.req_partition = "main"
c.BatchSpawnerBase.req_runtime = "10:00"
c.BatchSpawnerBase.req_memory = "1G"
c.BatchSpawnerBase.req_nprocs = "2"
