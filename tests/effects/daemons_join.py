"""Options of `berth-agent join`, on a controller that listens for other hosts."""

import subprocess
from contextlib import contextmanager

from cluster import BIN
from daemons import DaemonCase, Split, free_port
from effect import EFFECTS, Effect, see

# The folders that it takes where an option is withheld are this machine's own: it sees others in their place.
ELSEWHERE = 'for folder in /var/lib /etc/berth; do [ ! -d $folder ] || mount -t tmpfs none $folder; done; exec "$0" "$@"'


class JoinCase(DaemonCase):
    @contextmanager
    def listening(self, *more):
        """A controller, at self.port; its API three ports behind, unless `more` says another."""
        self.port = free_port()
        controller = Split("berthd", "--listen")
        controller.added = ("--listen", f"127.0.0.1:{self.port}", *more)
        yield from self.running(controller, lambda cluster: None)

    def join(self, **folders):
        """Whether a node joins. Each option is left out where it is withheld."""
        token = self.cluster.run("berth", "token", "create", "--node", "n2", "--ttl", "5m").stdout.strip()
        options = {"--state": self.cluster.root / "joined", "--config": self.cluster.root / "told"} | folders
        options["--config"].mkdir()
        given = [word for option, value in options.items() if not (option == self.option and self.withheld) for word in (option, value)]
        apart = ("unshare", "--mount", "sh", "-c", ELSEWHERE) if self.withheld else ()
        done = subprocess.run([*apart, BIN / "berth-agent", "join", token, "--controller", f"127.0.0.1:{self.port}",
                               "--node", "n2", *given], capture_output=True, text=True, timeout=60)
        return done.returncode == 0


def join_option(name, seen):
    def register(function):
        one = Effect(f"berth-agent join --{name}", seen, "alone", function, needs_root=True)
        one.case = lambda cluster, withheld: JoinCase(one.name, withheld)
        EFFECTS.append(one)
        return function
    return register


@join_option("api", seen="a node joins though the API is not three ports behind")
def api(run):
    port = free_port()
    with run.listening("--api-listen", f"127.0.0.1:{port}"):
        see(run.join(**{"--api": f"127.0.0.1:{port}"}), "it does not")


@join_option("state", seen="its key and certificate are there")
def state(run):
    with run.listening():
        see(run.join(), "it does not join")
        folder = run.cluster.root / "joined"
        see(folder.is_dir() and any(folder.iterdir()), "nothing is there")


@join_option("config", seen="a file there names the controller")
def config(run):
    with run.listening():
        see(run.join(), "it does not join")
        see((run.cluster.root / "told/controller").is_file(), "there is no such file")
