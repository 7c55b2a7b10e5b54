"""Ray by the script that its documentation gives for Slurm: a head, a worker, a driver, steps of one job."""

import os
from pathlib import Path

from scenario import out, ran

SCRIPT = """#!/bin/bash
#SBATCH --job-name=test
#SBATCH --cpus-per-task=3
#SBATCH --mem-per-cpu=1GB
#SBATCH --nodes=2
#SBATCH --tasks-per-node=1
#SBATCH --time=00:30:00
#SBATCH --gpus-per-task=1
#SBATCH --output=ray.out

set -x
nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
nodes_array=($nodes)
head_node=${nodes_array[0]}
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address)
if [[ "$head_node_ip" == *" "* ]]; then
IFS=' ' read -ra ADDR <<<"$head_node_ip"
if [[ ${#ADDR[0]} -gt 16 ]]; then
  head_node_ip=${ADDR[1]}
else
  head_node_ip=${ADDR[0]}
fi
fi
port=6379
ip_head=$head_node_ip:$port
export ip_head
echo "IP Head: $ip_head"

echo "Starting HEAD at $head_node"
srun --nodes=1 --ntasks=1 -w "$head_node" \\
    ray start --head --node-ip-address="$head_node_ip" --port=$port \\
    --num-cpus "${SLURM_CPUS_PER_TASK}" --num-gpus "${SLURM_GPUS_PER_TASK}" --block &
sleep 10
worker_num=$((SLURM_JOB_NUM_NODES - 1))
for ((i = 1; i <= worker_num; i++)); do
    node_i=${nodes_array[$i]}
    echo "Starting WORKER $i at $node_i"
    srun --nodes=1 --ntasks=1 -w "$node_i" \\
        ray start --address "$ip_head" \\
        --num-cpus "${SLURM_CPUS_PER_TASK}" --num-gpus "${SLURM_GPUS_PER_TASK}" --block &
    sleep 5
done
python -u trainer.py "$SLURM_CPUS_PER_TASK"
"""
TRAINER = """
import os, sys, time
import ray
ray.init(address=os.environ["ip_head"])
until = time.monotonic() + 90
while len([node for node in ray.nodes() if node["Alive"]]) < 2 and time.monotonic() < until:
    time.sleep(1)

@ray.remote(num_cpus=2, num_gpus=1)
class Member:
    def where(self):
        return " ".join(os.environ[name] for name in ("SLURMD_NODENAME", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_GPUS_ON_NODE"))

members = [Member.remote() for _ in range(2)]
for place in ray.get([member.where.remote() for member in members], timeout=90):
    print("member:", place)
print("resources:", ray.cluster_resources()["CPU"], ray.cluster_resources()["GPU"])
"""

if __name__ == "__main__":
    os.environ["RAY_TMPDIR"] = str(Path("r").resolve())
    Path("r").mkdir()
    Path("ray.sh").write_text(SCRIPT)
    Path("trainer.py").write_text(TRAINER)
    number = out("sbatch", "--parsable", "--wait", "ray.sh", check=False).strip()
    text = Path("ray.out").read_text()
    members = sorted(line.split()[1:] for line in text.splitlines() if line.startswith("member: "))
    assert members == [["node1", "1", "0", "1"], ["node2", "2", "0", "1"]] and "resources: 6.0 2.0" in text, text
    steps = out("sacct", "-nP", "-j", number, "-o", "JobID,NodeList,NTasks").splitlines()
    assert {f"{number}.0|node1|1", f"{number}.1|node1|1", f"{number}.2|node2|1"} <= set(steps), steps
    assert out("sacct", "-nXP", "-j", number, "-o", "State,AllocCPUS,ReqMem") == "COMPLETED|6|6G\n", out("sacct", "-j", number)
    ran("ray", "its documented script: a head and a worker on 2 nodes, an actor on each with a GPU")
