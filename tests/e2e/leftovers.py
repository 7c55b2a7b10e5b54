"""What a test run leaves when it is killed: its folder, the daemons and jobs of its cluster, and their cgroups. The next run removes them."""

import json
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

OWNER = "owner.json"  # In the folder: which process it belongs to.
WORD = (1 << 64) - 1


def started(pid):
    """When the process started, in ticks; None: there is none, or it is a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


def claim(root, *also):
    """The folder is this process's, and so are the others, if they are temporary."""
    ours = [str(path) for path in also if str(path).startswith(tempfile.gettempdir() + "/berth-")]
    fresh = root / f"{OWNER}.{os.getpid()}"
    fresh.write_text(json.dumps({"pid": os.getpid(), "started": started(os.getpid()), "also": ours}))
    fresh.rename(root / OWNER)


def sweep():
    """Removes what dead processes own. A folder that names no owner stays."""
    for root in Path(tempfile.gettempdir()).glob("berth-e2e.*"):
        try:
            owner = json.loads((root / OWNER).read_text())
            if started(owner["pid"]) == owner["started"]:
                continue
            (root / OWNER).rename(root / "swept")  # Of several that sweep at once, one goes on.
            claim(root, *owner["also"])
        except (OSError, ValueError):
            continue
        remove(root)
        for folder in owner["also"]:
            shutil.rmtree(folder, ignore_errors=True)


def remove(root):
    agents = root / "cluster/agents"
    groups = [mount / name for name in {cgroup_of(agent) for agent in agents.glob("*")} for mount in cgroup_mounts() if (mount / name).is_dir()]
    until = time.monotonic() + 10
    while (left := processes(root, groups)) and time.monotonic() < until:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)
    for group in groups:
        remove_group(group)
    shutil.rmtree(root, ignore_errors=True)


def processes(root, groups):
    """Those that work in the folder, were started with a path in it, or are in one of the cgroups."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            within = [os.readlink(entry / "cwd"), *(entry / "cmdline").read_bytes().decode(errors="replace").replace("unix:", "").split("\0")]
        except OSError:
            continue
        if any(path == str(root) or path.startswith(f"{root}/") for path in within):
            found.add(int(entry.name))
    for group in groups:
        for folder, _, _ in os.walk(group):
            thaw(Path(folder))
            found |= {int(pid) for pid in (Path(folder) / "cgroup.procs").read_text().split()}
    return {pid for pid in found - {os.getpid(), 0} if started(pid) is not None}


def thaw(group):
    for name, word in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
        if (group / name).exists():
            (group / name).write_text(word)


def remove_group(group):
    for folder, _, _ in os.walk(group, topdown=False):
        try:
            os.rmdir(folder)
        except OSError:
            pass  # Something in it does not die.


def cgroup_mounts():
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, folder, kind = line.split()[:3]
        if kind in ("cgroup", "cgroup2"):
            yield Path(folder)


def cgroup_of(agent):
    """What an emulated agent calls its cgroup: apps/berth_agent/agent_options.cc, own_prefix(), with the hash of base/hash.h."""
    first, second, third = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93, 0x52dce729da3ed7b5

    def rotated(word, by):
        return (word << by | word >> (64 - by)) & WORD

    text = str(agent).encode()
    words = [len(text)] + [int.from_bytes(text[i:i + 8], "little") for i in range(0, len(text), 8)]
    state = third
    for word in words:
        word = rotated(word * first & WORD, 31) * second & WORD
        state = (rotated(state ^ word, 27) * first + third) & WORD
    value = state ^ len(words)
    value = (value ^ value >> 32) * second & WORD
    value = (value ^ value >> 29) * first & WORD
    return f"berth-{(value ^ value >> 32) & 0xffffffff:08x}"
