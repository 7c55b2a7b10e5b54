"""PyTorch Lightning: its SLURMEnvironment in a step on 2 nodes; a training that is requeued by a signal, and goes on."""

import json
import sys
from pathlib import Path

from scenario import out, ran, state_of, wait

ENVIRONMENT = """
import json
from lightning.fabric.plugins.environments import SLURMEnvironment as Slurm
own = Slurm()
own.validate_settings(num_devices=2, num_nodes=2)
print(json.dumps([own.global_rank(), own.node_rank(), own.local_rank(), own.world_size(), own.main_address, own.main_port, own.job_id(),
                  own.job_name(), Slurm.detect()]))
"""
TRAIN = """
import os
import time
import lightning.pytorch as pl
import torch

class Slow(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def _register_sharded_tensor_state_dict_hooks_if_available(self):
        pass  # Debian's torch 1.13 cannot import these with Python 3.11.

    def training_step(self, batch, _):
        time.sleep(0.1)
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def on_train_start(self):
        self.say("start")

    def on_train_batch_end(self, *_):
        if self.trainer.global_step == 10:
            self.say("ten")

    def on_train_end(self):
        self.say("end")

    def say(self, what):
        if self.trainer.is_global_zero:
            with open("steps", "a") as steps:
                print(what, os.environ["SLURM_JOB_ID"], os.environ.get("SLURM_RESTART_COUNT", "0"), self.trainer.global_step, file=steps)

data = torch.utils.data.DataLoader(torch.ones(120, 2), batch_size=1)
trainer = pl.Trainer(accelerator="cpu", devices=1, num_nodes=2, strategy="ddp", max_epochs=1, logger=False, enable_progress_bar=False,
                     enable_model_summary=False, default_root_dir=os.getcwd())
assert trainer.world_size == 2, trainer.world_size
trainer.fit(Slow(), data)
"""
JOB = f"""#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=1 -t 5 --requeue --open-mode=append -o train.out --signal=SIGUSR1@90
srun {sys.executable} train.py
"""


def test_the_environment():
    Path("environment.py").write_text(ENVIRONMENT)
    shown = out("srun", "-J", "light", "-N2", "-n4", "--ntasks-per-node=2", sys.executable, "environment.py")
    rows = sorted(json.loads(line) for line in shown.splitlines() if line.startswith("["))
    job = rows[0][6]
    port = int(str(job)[-4:]) + 15000
    assert rows == [[rank, rank // 2, rank % 2, 4, "localhost", port, job, "light", True] for rank in range(4)], shown
    wait("its end", lambda: out("sacct", "-nP", "-j", f"{job}.0", "-o", "JobName,NTasks,NNodes,State").strip() == "light|4|2|COMPLETED")


def said():
    return [line.split() for line in Path("steps").read_text().splitlines()] if Path("steps").exists() else []


def test_requeue():
    Path("train.py").write_text(TRAIN)
    Path("job.sh").write_text(JOB)
    job = out("sbatch", "--parsable", "job.sh").strip()
    wait("ten steps", lambda: said() == [["start", job, "0", "0"], ["ten", job, "0", "10"]], patience=150)
    out("scancel", "-s", "USR1", job)
    wait("it to begin again", lambda: [line for line in said() if line[:3] == ["start", job, "1"]], patience=150)
    wait("its end", lambda: state_of(job) == "COMPLETED", patience=150)
    begun, ended = [next(line for line in said() if line[0] == what and line[2] == "1") for what in ("start", "end")]
    assert 10 <= int(begun[3]) < 60 and ended == ["end", job, "1", "60"], said()
    assert out("sacct", "-nXP", "-D", "-j", job, "-o", "State").split() == ["REQUEUED", "COMPLETED"]
    text = Path("train.out").read_text()
    assert f"Requeued SLURM job: {job}" in text and Path("hpc_ckpt_1.ckpt").exists() and text.count("MEMBER: 2/2") == 2, text


if __name__ == "__main__":
    test_the_environment()
    ran("lightning", "SLURMEnvironment of 4 tasks on 2 nodes")
    test_requeue()
    ran("lightning", "DDP on 2 nodes, requeued by SIGUSR1, which goes on from its checkpoint")
