"""A file system that never answers, as a dead file server does: who reads it cannot be killed.

Root alone may mount it; it needs /dev/fuse.
"""

import ctypes
import os
import struct
import threading
from pathlib import Path

INIT = 26  # FUSE's first request; all others stay unanswered.
MNT_FORCE, MNT_DETACH = 1, 2


def is_possible():
    return os.geteuid() == 0 and Path("/dev/fuse").exists()


class HungDisk:
    """Mounted at a new folder below `where` until the `with` ends."""

    def __init__(self, where):
        self.path = Path(where) / "hung"

    def __enter__(self):
        self.path.mkdir()
        self.device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"hung", str(self.path).encode(), b"fuse", 0, options) != 0:
            raise OSError(ctypes.get_errno(), "cannot mount a FUSE file system")
        self.server = threading.Thread(target=self.take_requests, daemon=True)
        self.server.start()
        return self

    def take_requests(self):
        """A request that was taken can be waited for only without end."""
        try:
            while True:
                request = os.read(self.device, 1 << 20)
                _, opcode, unique = struct.unpack_from("<IIQ", request)
                if opcode == INIT:
                    answer = struct.pack("<IIIIHHIIHH32x", 7, 31, 0, 0, 16, 12, 1 << 16, 1, 32, 0)
                    os.write(self.device, struct.pack("<IiQ", 16 + len(answer), 0, unique) + answer)
        except OSError:
            pass  # It was closed.

    def end(self):
        """Whoever waits for it gets an error."""
        self.unmount(MNT_FORCE)  # The mount may be in use still: this ends its requests alone.
        self.server.join()

    def unmount(self, how):
        ctypes.CDLL(None).umount2(str(self.path).encode(), how)

    def __exit__(self, *_):
        self.end()
        os.close(self.device)
        self.unmount(MNT_DETACH)
        self.path.rmdir()
