"""JAX: its processes find each other by SLURM_* alone."""

import sys
from pathlib import Path

from scenario import out, ran

PROGRAM = """
import os
import jax
jax.distributed.initialize()
print("jax", jax.process_index(), jax.process_count(), os.environ["SLURM_PROCID"], flush=True)
jax.distributed.shutdown()
"""


def check(text, count):
    rows = sorted(line.split()[1:] for line in text.splitlines() if line.startswith("jax "))
    assert rows == [[str(rank), str(count), str(rank)] for rank in range(count)], text


def test_two_processes():
    check(out("srun", "-n2", sys.executable, "jaxes.py"), 2)
    return "2 processes find each other, each knows its rank"


def test_within_an_array():
    script = f"#!/bin/bash\n#SBATCH -n2 -a 3-4%1 -o jax_%a.out\nsrun {sys.executable} jaxes.py\n"
    Path("array.sh").write_text(script)
    out("sbatch", "--wait", "array.sh")
    for task in (3, 4):
        check(Path(f"jax_{task}.out").read_text(), 2)
    return "2 processes of an array's task"


if __name__ == "__main__":
    Path("jaxes.py").write_text(PROGRAM)
    for test in (test_two_processes, test_within_an_array):
        ran("jax", test())
