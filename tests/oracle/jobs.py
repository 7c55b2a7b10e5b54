"""The jobs that both clusters get, by the same command lines, and when the picture is complete."""

from dataclasses import dataclass

ACCOUNTS = [
    "add account physics fairshare=60", "add account bio fairshare=40",
    "add user games account=physics", "add user news account=bio", "add user root account=bio",
    "add qos high priority=100", "modify user games set qos+=high",
]
BERTH_YAML = """\
accounts:
  - name: physics
    shares: 60
    users: [{name: games, qos: [normal, high], default: yes}]
  - name: bio
    shares: 40
    users: [{name: news, qos: [normal], default: yes}, {name: root, qos: [normal], default: yes}]
qos:
  - {name: high, priority: 100}
"""

SLEEP = "#!/bin/bash\nsleep 600\n"
STEPS = "#!/bin/bash\nsrun -n2 true\nsrun -n1 --gres=gpu:1 false\nsrun -n2 sleep 600\n"


@dataclass
class Job:
    name: str
    user: str
    options: str
    script: str = SLEEP
    state: str = "RUNNING"  # What it comes to, before the commands are compared.
    reason: str = "None"  # "": each has its own.
    cancel_when: str = ""  # Its user cancels it in this state.


# In this order. Each that runs is pinned to a node, so that both put it in the same place.
JOBS = [
    Job("steps", "games", "-w gpu1 --ntasks=2 --gres=gpu:2 -c 4 -t 30", STEPS),
    Job("typed", "games", "-w gpu1 --gres=gpu:a100:2 -c 8 -t 40 --qos=high --comment=hello"),
    Job("whole", "games", "-w gpu2 --exclusive --gres=gpu:8 -t 1:00:00"),
    Job("two", "news", "-w gpu[3-4] -N2 --ntasks-per-node=1 --gres=gpu:4 -c 16 -t 1:00:00"),
    Job("memory", "news", "-w gpu1 -n2 --mem=10G -t 10"),
    Job("percpu", "news", "-w gpu1 -n2 --mem-per-cpu=1G"),
    Job("gpus", "games", "-w gpu3 --gpus=2 -c 2 -t 20 --requeue"),
    Job("pertask", "games", "-w gpu4 -n2 --gpus-per-task=1 -t 20 --no-requeue"),
    Job("debug", "games", "-p debug -w gpu4 --nice=100 -C a100&ib"),
    # These tell the moments of a job apart: one runs, one becomes eligible and one waits for the first one's GPUs, each for longer than the
    # clock may move. No job behind them wants a part of gpu3: Slurm's backfill would let that wait for them.
    Job("good", "news", "-w gpu3 --gres=gpu:2 -t 5", "#!/bin/bash\nsleep 8\n", "COMPLETED"),
    Job("bad", "news", "-w gpu1 --begin=now+8 -t 5", "#!/bin/bash\nexit 3\n", "FAILED", "NonZeroExitCode"),
    Job("killed", "news", "-w gpu3 --gres=gpu:2 -t 5", "#!/bin/bash\nkill -9 $$\n", "FAILED", ""),
    Job("cancelled", "news", "-w gpu1 -t 5", SLEEP, "CANCELLED", "", "RUNNING"),
    Job("dropped", "news", "-H -w gpu1 -t 5", SLEEP, "CANCELLED", "", "PENDING"),
    Job("full", "games", "-N4 --ntasks-per-node=1 --gres=gpu:8 -t 3:00:00", SLEEP, "PENDING", "Resources"),
    Job("behind", "games", "-N4 --ntasks-per-node=1 --gres=gpu:8 -t 2:00:00", SLEEP, "PENDING", "Priority"),
    Job("held", "games", "-H --gres=gpu:1 -t 10", SLEEP, "PENDING", "JobHeldUser"),
    Job("later", "games", "--begin=now+2hours --gres=gpu:1 -t 10", SLEEP, "PENDING", "BeginTime"),
    Job("waits", "games", "--dependency=afterok:{steps} -t 10", SLEEP, "PENDING", "Dependency"),
    Job("never", "games", "--dependency=afterok:{bad} -t 10", SLEEP, "PENDING", "DependencyNeverSatisfied"),
    Job("toolong", "news", "-t 5-0", SLEEP, "PENDING", "PartitionTimeLimit"),
    # The last, because its tasks get their ids when they start, and after it the ids may differ.
    Job("array", "news", "-w gpu1 --array=0-5%2 -t 5"),
]

ARRAY_ID = str(len(JOBS))

# Options that both refuse, with the same words and exit code.
REFUSED = [
    "--gres=gpu:16", "-p nosuch", "-A nosuch", "--qos=high -A bio", "--qos=nosuch", "--gres=tpu:1", "--gres=gpu:h100:1", "--mem=999G",
    "-c 64", "-t abc", "--mem=10X", "-N 0", "-N 3-2", "-n abc", "-n 0", "-c 0", "--gres=gpu:x:y:z", "--begin=yesterdayish", "--nice=abc",
    "--array=5-1", "--array=abc", "--array=0-2000", "--dependency=after", "--dependency=nosuch:1", "-w nosuch", "-x nosuch", "-C nosuch",
    "--nosuch", "--mail-type=NOSUCH", "--mem=1G --mem-per-cpu=1G", "--gpus=8 --gpus-per-task=3", "-n3 --gpus=8 --gpus-per-task=2",
    "--gpus=nosuch:1", "--gres=gpu:-1", "--time=-5", "--export", "--open-mode=x", "-D",
    "--test-only --gres=gpu:16", "--test-only -p nosuch", "--test-only -N9", "--test-only -A nosuch", "--test-only -L nosuch:1",
    "--test-only --reservation=nosuch", "--test-only --gpus-per-task=1 --ntasks-per-gpu=1",
]

# Other commands with wrong input.
WRONG = [
    "squeue --nosuch", "squeue -j abc", "squeue -j 99999", "squeue -t NOSUCH", "squeue -u nosuchuser", "squeue -p nosuch", "squeue -o %z9",
    "scancel 99999", "scancel abc", "scancel", "scancel --nosuch", "scontrol show job 99999", "scontrol show job abc",
    "scontrol show node nosuch", "scontrol show partition nosuch", "scontrol show nosuch", "scontrol nosuch",
    "scontrol hold 99999", "scontrol release 99999", "scontrol suspend", "scontrol suspend abc", "scontrol resume abc", "scontrol notify 99999 x",
    "scontrol notify 1", "scontrol top", "scontrol requeue 99999", "scontrol update JobId=99999 TimeLimit=5",
    "scontrol update JobId=99999 NoSuch=5", "scontrol update NodeName=nosuch State=DRAIN Reason=x", "scontrol update",
    "scontrol show hostnames gpu[1-3,7]", "scontrol show hostnames gpu[1-", "scontrol show hostlist gpu1,gpu2,gpu5", "scontrol ping",
    "sinfo --nosuch", "sinfo -p nosuch", "sinfo -n nosuch", "sinfo -t nosuch", "sacct --nosuch", "sacct -j 99999", "sacct -j abc",
    "sacct -o nosuch", "sacct -s NOSUCH", "sacct -S nosuch", "srun --nosuch true",
    "squeue -h -t RS,SE,ST", "sacct -s SE", "sacct -n -s RS", "sinfo -h -N -t reboot", "sinfo -h -N -t powered_down",
    "scontrol show job=99999", "scontrol show JobId=99999", "scontrol show jobid 99999", "scontrol show node=nosuch", "scontrol show NodeName=gpu1",
    "scontrol show PartitionName=nosuch", "scontrol show foo=3", "scontrol update job 99999 TimeLimit=5", "scontrol update jobid 99999 TimeLimit=5",
]
