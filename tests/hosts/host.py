"""Hosts of a test: each with a network, a host name and a root of its own (netns, UTS and overlay), on one bridge."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

SETUP = """set -e
hostname {name}
mount --make-rprivate /
mount -t overlay overlay -o lowerdir=/,upperdir={disk}/upper,workdir={disk}/work {disk}/root
rm -rf {own}
for folder in proc sys dev; do mount --rbind /$folder {disk}/root/$folder; done
mount -t tmpfs -o mode=755 tmpfs {disk}/root/run
mount -t tmpfs -o mode=1777 tmpfs {disk}/root/tmp
mount --bind {shared} {disk}/root/srv
exec chroot {disk}/root sleep infinity
"""

# A cluster of the machine's own shows through the overlay: without these the hosts are new machines.
OWN = ("etc/berth", "etc/default/berth-*", "var/lib/berth*", "var/log/berth*")


def run(*words, check=True, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def wait_for(condition, what, seconds=60):
    until = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > until:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


class Network:
    """`with Network() as network`: a bridge and its hosts, all gone at the end with whatever runs in them."""

    def __init__(self, names):
        self.tag = f"b{os.getpid() % 100000}"
        self.names = names
        self.hosts = []

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="berth-hosts-"))
        self.folder.chmod(0o755)
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", self.folder)
        self.shared = self.folder / "shared"
        self.shared.mkdir()
        self.shared.chmod(0o777)
        try:
            run("ip", "link", "add", f"{self.tag}br", "type", "bridge")
            run("ip", "link", "set", f"{self.tag}br", "up")
            for number, name in enumerate(self.names, 1):
                self.hosts.append(Host(self, number, name))
            for host in self.hosts:
                host.start([f"{other.address} {other.name}" for other in self.hosts])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for host in self.hosts:
            host.stop()
        run("ip", "link", "del", f"{self.tag}br", check=False)
        run("umount", "-l", self.folder, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class Host:
    def __init__(self, network, number, name):
        self.network, self.name = network, name
        self.address = f"10.77.0.{number}"
        self.space, self.link = f"{network.tag}-{name}", f"{network.tag}v{number}"
        self.disk = network.folder / name
        self.daemons = {}
        self.holder = None

    def start(self, lines_of_hosts):
        for part in ("upper", "work", "root"):
            (self.disk / part).mkdir(parents=True)
        run("ip", "netns", "add", self.space)
        inside = ["ip", "-n", self.space]
        run("ip", "link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", self.space)
        run("ip", "link", "set", self.link, "master", f"{self.network.tag}br", "up")
        run(*inside, "addr", "add", f"{self.address}/24", "dev", "eth0")
        run(*inside, "link", "set", "eth0", "up")
        run(*inside, "link", "set", "lo", "up")
        (self.disk / "upper/etc").mkdir()
        (self.disk / "upper/etc/hosts").write_text("127.0.0.1 localhost\n" + "\n".join(lines_of_hosts) + "\n")
        own = " ".join(f"{self.disk}/root/{pattern}" for pattern in OWN)
        setup = SETUP.format(name=self.name, disk=self.disk, shared=self.network.shared, own=own)
        self.holder = subprocess.Popen(["nsenter", f"--net=/run/netns/{self.space}", "unshare", "--mount", "--uts", "bash", "-c", setup])
        wait_for(lambda: os.path.realpath(f"/proc/{self.holder.pid}/root") == str(self.disk / "root"), f"{self.name} is up", 10)

    def command(self, *words):
        return ["nsenter", "-t", str(self.holder.pid), "--mount", "--uts", "--net", "--root", "env", "-C", "/srv", *map(str, words)]

    def run(self, *words, check=True, **more):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
        environment.update(more.pop("env", {}))
        return run(*self.command(*words), check=check, env=environment, **more)

    def out(self, *words, **more):
        return self.run(*words, **more).stdout.strip()

    def write(self, path, text):
        target = self.disk / "upper" / path.lstrip("/")
        self.run("mkdir", "-p", os.path.dirname(path))
        self.run("tee", path, input=text)
        assert target.exists(), path

    def start_unit(self, name):
        """As systemd would: the unit's command line, with its variables and those of /etc/default."""
        unit = self.out("cat", f"/lib/systemd/system/{name}.service").replace("%l", self.name)
        variables = dict(word.split("=", 1) for word in re.search(r"^Environment=(.*)$", unit, re.M)[1].split()) if "\nEnvironment=" in unit else {}
        for line in self.out("cat", re.search(r"^EnvironmentFile=-(.*)$", unit, re.M)[1]).splitlines():
            if "=" in line and not line.startswith("#"):
                key, value = line.split("=", 1)
                variables[key] = value.strip('"')
        line = re.search(r"^ExecStart=(.*)$", unit, re.M)[1]
        for key, value in variables.items():
            line = line.replace("${" + key + "}", value).replace(f"${key}", value)
        assert "$" not in line, line
        user = re.search(r"^User=(.*)$", unit, re.M)
        for kind, base in (("State", "/var/lib"), ("Logs", "/var/log"), ("Runtime", "/run")):
            for folder in re.findall(rf"^{kind}Directory=(.*)$", unit, re.M):
                self.run("mkdir", "-p", f"{base}/{folder}")
                if user:
                    self.run("chown", "-R", f"{user[1]}:", f"{base}/{folder}")
        become = ["setpriv", f"--reuid={user[1]}", f"--regid={user[1]}", "--clear-groups"] if user else []
        self.daemons[name] = subprocess.Popen(self.command(*become, *line.split()), env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, stderr=open(self.network.folder / f"{self.name}-{name}.err", "a"))

    def stop_unit(self, name, how=signal.SIGTERM):
        daemon = self.daemons.pop(name)
        # nsenter has become the daemon itself.
        daemon.send_signal(how)
        return daemon.wait(30)

    def cut(self, down=True):
        run("ip", "link", "set", self.link, "down" if down else "up")

    def call(self, name, address):
        """From now on this host finds that name at that address."""
        lines = [line for line in self.out("cat", "/etc/hosts").splitlines() if not line.endswith(f" {name}")]
        self.write("/etc/hosts", "\n".join([*lines, f"{address} {name}"]) + "\n")

    def lose(self):
        """As if it had burnt: no process of it has time for anything, and nothing of its disk is left."""
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()
        self.daemons.clear()
        self.stop()
        shutil.rmtree(self.disk / "upper")

    def stop(self):
        for daemon in self.daemons.values():
            daemon.terminate()
        pids = run("ip", "netns", "pids", self.space, check=False).stdout.split()
        for pid in pids:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.holder:
            self.holder.wait()
        run("ip", "netns", "del", self.space, check=False)
        run("ip", "link", "del", self.link, check=False)
