"""Keys of PartitionName and NodeSet lines."""

import time
from datetime import datetime, timedelta

from effect import same, see
from keys_case import NODE, NODES, PARTITIONS, USER, key

LINE = ["PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0 {it}"]
BARE = ["PartitionName=main Nodes=n[1-2] Default=YES {it}"]
OTHER = [*PARTITIONS, "PartitionName=other Nodes=n2 {it}"]
PEOPLE = {"accounts": [{"name": "bio", "users": [USER, "root"]}, {"name": "physics", "users": [USER, "root"]}],
          "qos": [{"name": "high", "priority": 10}, {"name": "low", "priority": 1}]}


@key("partition", "PartitionName", "other", seen="a job may ask for it")
def partition_name(run):
    run.configure(partitions=PARTITIONS + ([f"{run.it} Nodes=n2"] if run.it else []))
    see(run.output("echo $SLURM_JOB_NODELIST", "-p", "other") == "n2")


@key("partition", "Nodes", "n2", seen="a job runs on the partition's node")
def nodes(run):
    run.configure(partitions=["PartitionName=main Default=YES {it}"])
    see(run.output("echo $SLURM_JOB_NODELIST") == "n2")


@key("partition", "Default", "YES", seen="a job that names no partition is accepted")
def default(run):
    run.configure(partitions=["PartitionName=main Nodes=n[1-2] {it}"])
    run.sbatch()


@key("partition", "MaxTime", "10", seen="a longer job does not start")
def max_time(run):
    run.configure(partitions=BARE)
    run.waits_for(run.sbatch("-t", "60"), "PartitionTimeLimit")


@key("partition", "DefaultTime", "7", seen="a job that names no limit is to end so long after its start")
def default_time(run):
    run.configure(partitions=LINE)
    same(run.output("echo $((SLURM_JOB_END_TIME - SLURM_JOB_START_TIME))"), "420")


@key("partition", "MinNodes", "2", seen="a job of one node does not start")
def min_nodes(run):
    run.configure(partitions=LINE)
    run.waits_for(run.sbatch("-N1"), "PartitionNodeLimit")


@key("partition", "MaxNodes", "1", seen="a job of two nodes does not start")
def max_nodes(run):
    run.configure(partitions=LINE)
    run.waits_for(run.sbatch("-N2"), "PartitionNodeLimit")


@key("partition", "State", "DOWN", seen="no job starts there")
def state(run):
    run.configure(partitions=LINE)
    run.waits_for(run.sbatch(), "PartitionDown")


@key("partition", "PriorityJobFactor", "5", seen="a job's priority has its part of the weight")
def priority_job_factor(run):
    run.configure("PriorityWeightPartition=1000", partitions=LINE + ["PartitionName=best Nodes=n1 PriorityJobFactor=10"])
    same(run.priority(what="%P"), "500")


@key("partition", "PriorityTier", "7", seen="its jobs start before those that were there earlier")
def priority_tier(run):
    see(run.first(jobs=[{}, {"Partition": "better"}],
                  partitions=["PartitionName=main Nodes=n1 Default=YES", "PartitionName=better Nodes=n1 {it}"]) == 2)


@key("partition", "Priority", "7", seen="its jobs start before those that were there earlier")
def priority(run):
    priority_tier(run)


@key("partition", "DefMemPerCPU", "1000", seen="a job that says nothing of memory holds so much a core")
def def_mem_per_cpu(run):
    run.configure(partitions=LINE)
    see("mem=2000M" in run.shown(run.sbatch("-c2")))


@key("partition", "DefMemPerNode", "1500", seen="a job that says nothing of memory holds so much")
def def_mem_per_node(run):
    run.configure(partitions=LINE)
    see("mem=1500M" in run.shown(run.sbatch("-c2")))


@key("partition", "MaxMemPerCPU", "1000", seen="a job that wants more memory a core gets more cores")
def max_mem_per_cpu(run):
    run.configure(partitions=LINE)
    see("cpu=3,mem=3000M" in run.shown(run.sbatch("-c1", "--mem-per-cpu=3000")))


@key("partition", "AllowAccounts", "physics", seen="other accounts are turned away")
def allow_accounts(run):
    run.configure(partitions=LINE, yaml=PEOPLE)
    run.sbatch("-A", "physics")
    run.refused("-A", "bio")


@key("partition", "DenyAccounts", "bio", seen="this account is turned away")
def deny_accounts(run):
    allow_accounts(run)


@key("partition", "AllowQos", "high", seen="other QOS are turned away")
def allow_qos(run):
    run.configure(partitions=LINE, yaml=PEOPLE)
    run.sbatch("--qos=high")
    run.refused("--qos=low")


@key("partition", "DenyQos", "low", seen="this QOS is turned away")
def deny_qos(run):
    allow_qos(run)


@key("partition", "RootOnly", "YES", seen="users are turned away, root is not", needs_root=True)
def root_only(run):
    run.configure(partitions=LINE)
    run.sbatch()
    run.refused(user=USER)


@key("partition", "DisableRootJobs", "YES", seen="root is turned away, users are not", needs_root=True)
def disable_root_jobs(run):
    run.configure(partitions=LINE)
    run.sbatch(user=USER)
    run.refused()


@key("slurm.conf", "DisableRootJobs", "YES", seen="root is turned away, users are not", needs_root=True)
def disable_root_jobs_anywhere(run):
    run.configure("{it}")
    run.sbatch(user=USER)
    run.refused()


@key("partition", "ReqResv", "YES", seen="a job without a reservation is turned away")
def req_resv(run):
    run.configure(partitions=LINE)
    run.refused()


@key("partition", "AllocNodes", "elsewhere", seen="jobs that are submitted on other hosts are turned away")
def alloc_nodes(run):
    run.configure(partitions=LINE)
    run.refused()


@key("partition", "LLN", "YES", seen="a job gets the node with the most idle CPUs")
def least_loaded(run):
    run.configure(partitions=LINE)
    run.sbatch("-w", "n1", script="sleep 60")
    see(run.output("echo $SLURM_JOB_NODELIST") == "n2")


@key("partition", "MaxCPUsPerNode", "2", seen="jobs of the partition hold no more CPUs of a node")
def max_cpus_per_node(run):
    run.configure(partitions=[*LINE, "PartitionName=other Nodes=n1"])
    run.sbatch("-w", "n1", "-n2", script="sleep 60")
    see(run.output("echo $SLURM_JOB_NODELIST", "-p", "other", "-w", "n1") == "n1")
    run.waits_for(run.sbatch("-w", "n1"), "Resources")


@key("partition", "OverTimeLimit", "30", seen="a job behind a run is planned so much later")
def over_time_limit(run):
    run.configure(partitions=LINE)
    for _ in range(2):
        last = run.sbatch("-w", "n1", "--exclusive", "-t", "10", script="sleep 60")
    start = run.wait("a planned start", lambda: (text := run.squeue(last, "%S")) != "N/A" and text, 4)
    see(datetime.fromisoformat(start) - datetime.now() > timedelta(minutes=35))


@key("partition", "QOS", "small", seen="a limit of that QOS keeps a job of another QOS waiting")
def partition_qos(run):
    run.configure(partitions=LINE, yaml={"qos": [{"name": "small", "max_tres": "cpu=1"}]})
    run.waits_for(run.sbatch("-c2"), "QOSMaxCpuPerJobLimit")


def gets_for_each_gpu(run, what):
    see(what in run.shown(run.sbatch("--gres=gpu:2")))


@key("partition", "JobDefaults", "DefCpuPerGPU=3,DefMemPerGPU=500", seen="a job gets so many CPUs and so much memory for each of its GPUs")
def job_defaults(run):
    run.configure(partitions=LINE)
    gets_for_each_gpu(run, "cpu=6,mem=1000M")


@key("partition", "DefCpuPerGPU", "3", seen="a job gets so many CPUs for each of its GPUs")
def def_cpu_per_gpu(run):
    run.configure(partitions=LINE)
    gets_for_each_gpu(run, "cpu=6")


@key("partition", "DefMemPerGPU", "500", seen="a job gets so much memory for each of its GPUs")
def def_mem_per_gpu(run):
    run.configure(partitions=LINE)
    gets_for_each_gpu(run, "mem=1000M")


@key("slurm.conf", "JobDefaults", "DefCpuPerGPU=3,DefMemPerGPU=500", seen="a job gets so many CPUs and so much memory for each of its GPUs")
def job_defaults_anywhere(run):
    run.configure("{it}")
    gets_for_each_gpu(run, "cpu=6,mem=1000M")


@key("slurm.conf", "DefCpuPerGPU", "3", seen="a job gets so many CPUs for each of its GPUs")
def def_cpu_per_gpu_anywhere(run):
    run.configure("{it}")
    gets_for_each_gpu(run, "cpu=6")


@key("slurm.conf", "DefMemPerGPU", "500", seen="a job gets so much memory for each of its GPUs")
def def_mem_per_gpu_anywhere(run):
    run.configure("{it}")
    gets_for_each_gpu(run, "mem=1000M")


@key("partition", "OverSubscribe", "EXCLUSIVE", seen="a job of one core holds the whole node")
def oversubscribe(run):
    run.configure(partitions=LINE)
    see("cpu=8" in run.output("scontrol show job $SLURM_JOB_ID | grep AllocTRES", "-c1"))


@key("partition", "Shared", "EXCLUSIVE", seen="a job of one core holds the whole node")
def shared(run):
    oversubscribe(run)


@key("slurm.conf", "SchedulerTimeSlice", "5", seen="two jobs on the same cores have had their turn within ten seconds")
def time_slice(run):
    line = "PartitionName=main Nodes=n[1-2] Default=YES MaxTime=1-0 OverSubscribe=FORCE:2"
    run.configure("PreemptMode=GANG", "{it}", partitions=[line])
    words = ("-w", "n1", "-c", "8", "-t", "10")
    first = run.sbatch(*words, script="sleep 300")
    run.runs(first)
    second = run.sbatch(*words, script="sleep 300")
    # Slices of 30 s begin at multiples of 30 s: right behind one there is time to look.
    time.sleep(30.5 - time.time() % 30 if time.time() % 30 > 15 else 0)
    run.wait("the turn of the first", lambda: run.squeue(first, "%t") == "R", 20)
    seen, until = set(), time.monotonic() + 11
    while time.monotonic() < until:
        seen |= {job for job in (first, second) if run.squeue(job, "%t") == "R"}
        time.sleep(0.2)
    same(seen, {first, second})


@key("partition", "TRESBillingWeights", "CPU=5", seen="a core is billed five times")
def billing_weights(run):
    run.configure(partitions=LINE)
    see("billing=10" in run.output("scontrol show job $SLURM_JOB_ID | grep AllocTRES", "-c2"))


@key("NodeSet", "Feature", "fast", seen="the partition has the nodes with the feature")
def node_set_feature(run):
    run.configure(nodes=[f"NodeName=n[1,3-4] {NODE}", f"NodeName=n2 {NODE} Features=fast", "NodeSet=chosen {it}"],
                  partitions=["PartitionName=main Nodes=chosen Default=YES"])
    see(run.output("echo $SLURM_JOB_NODELIST") == "n2")


@key("NodeSet", "Nodes", "n2", seen="the partition has the set's nodes")
def node_set_nodes(run):
    node_set_feature(run)


@key("NodeSet", "NodeSet", "chosen", seen="a partition may name the set")
def node_set(run):
    run.configure(nodes=[*NODES, "{it} Nodes=n2" if run.it else ""],
                  partitions=["PartitionName=main Nodes=chosen Default=YES"])
    see(run.output("echo $SLURM_JOB_NODELIST") == "n2")
