#!/usr/bin/env python3
"""A job's program: which GPUs CUDA shows it, and work for the first of them. Needs the driver's library alone.

use_gpu.py [--seconds S] [--mebibytes M] [--pinned M] [--fault]: one line of JSON; exit 1 if CUDA finds no GPU, 2 if a call fails."""

import argparse
import ctypes
import json
import os
import sys
import time

NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE
MULTIPROCESSORS = 16  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
MIB = 1024 * 1024
# Stores to an address that no allocation has: the driver ends the program's context, and reports an Xid.
FAULT = b""".version 6.0
.target sm_50
.address_size 64
.visible .entry fault() {
    .reg .u64 %address;
    .reg .u32 %value;
    mov.u64 %address, 16;
    mov.u32 %value, 1;
    st.global.u32 [%address], %value;
    ret;
}
"""


class Failed(Exception):
    """A call of the driver did not succeed: its name, and its code."""


class Cuda:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            raise Failed(name, code)

    def integer(self, name, *arguments):
        value = ctypes.c_int()
        self.call(name, ctypes.byref(value), *arguments)
        return value.value

    def gpus(self):
        """[(name, multiprocessors, MiB)]: what the process may use of each."""
        self.call("cuInit", 0)
        found = []
        for index in range(self.integer("cuDeviceGetCount")):
            device = self.integer("cuDeviceGet", index)
            name, size = ctypes.create_string_buffer(100), ctypes.c_size_t()
            self.call("cuDeviceGetName", name, len(name), device)
            self.call("cuDeviceTotalMem_v2", ctypes.byref(size), device)
            found.append((name.value.decode(), self.integer("cuDeviceGetAttribute", MULTIPROCESSORS, device), size.value // MIB))
        return found

    def open_first(self):
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.integer("cuDeviceGet", 0))
        self.call("cuCtxSetCurrent", context)

    def fill_memory(self, mebibytes, seconds):
        """Writes all of an allocation again and again; MiB written."""
        memory, written = ctypes.c_void_p(), 0
        self.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(mebibytes * MIB))
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for _ in range(20):
                self.call("cuMemsetD8_v2", memory, 1, ctypes.c_size_t(mebibytes * MIB))
                written += mebibytes
            self.call("cuCtxSynchronize")
        return written

    def pin(self, mebibytes):
        """Takes so much of the host's memory for the GPU to read from."""
        memory = ctypes.c_void_p()
        self.call("cuMemAllocHost_v2", ctypes.byref(memory), ctypes.c_size_t(mebibytes * MIB))

    def fault(self):
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), FAULT)
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, b"fault")
        self.call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, None, None)
        self.call("cuCtxSynchronize")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--mebibytes", type=int, default=256)
    parser.add_argument("--pinned", type=int, default=0)
    parser.add_argument("--fault", action="store_true")
    wanted = parser.parse_args()
    told = {"pid": os.getpid(), "began": time.time(), "visible": os.environ.get("CUDA_VISIBLE_DEVICES")}
    end = 0
    try:
        cuda = Cuda()
        told["gpus"] = cuda.gpus()
        cuda.open_first()
        if wanted.pinned > 0:
            cuda.pin(wanted.pinned)
        if wanted.seconds > 0:
            told["written"] = cuda.fill_memory(wanted.mebibytes, wanted.seconds)
        if wanted.fault:
            cuda.fault()
    except Failed as failed:
        told["failed"] = failed.args
        end = 1 if failed.args[1] == NO_DEVICE else 2
    told["ended"] = time.time()
    print(json.dumps(told))
    return end


if __name__ == "__main__":
    sys.exit(main())
