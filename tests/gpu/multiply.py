#!/usr/bin/env python3
"""A job's program: products of bf16 matrices with PyTorch for some seconds. multiply.py SECONDS: one line of JSON."""

import json
import sys
import time

import torch

SIZE = 8192


def main():
    seconds = float(sys.argv[1])
    a, b = (torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = a @ b
    close = torch.allclose(c[:64].float(), a[:64].float() @ b.float(), rtol=0.05, atol=2.0)
    torch.cuda.synchronize()
    products, began, wall = 0, time.monotonic(), time.time()
    while time.monotonic() - began < seconds:
        for _ in range(10):
            torch.matmul(a, b, out=c)
        torch.cuda.synchronize()
        products += 10
    took = time.monotonic() - began
    print(json.dumps({"gpus": torch.cuda.device_count(), "name": torch.cuda.get_device_name(0), "close": close, "began": wall,
                      "ended": time.time(), "multiprocessors": torch.cuda.get_device_properties(0).multi_processor_count,
                      "tflops": round(2 * SIZE**3 * products / took / 1e12, 1)}))


if __name__ == "__main__":
    main()
