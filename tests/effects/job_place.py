"""Options of jobs: where they run, and how much they hold."""

from effect import same, see
from job_options import job_option


def hosts(run, *others):
    return run.output("echo $SLURM_JOB_NODELIST", *others).split("\n")[0]


# ---- Where.


def told(run, name, value, *words):
    """A job of sbatch or salloc finds the option in its environment; srun's tasks are told of their step."""
    if run.command != "srun":
        same(run.output(f"echo ${name}", *words), value)


@job_option("nodelist", "n3", seen="the job is on that node")
def nodelist(run):
    see(hosts(run) == "n3")


@job_option("exclude", "n1", seen="the job is not where it would have been")
def exclude(run):
    see(hosts(run) == "n2")


@job_option("nodefile", "?", seen="the job is on the file's node")
def nodefile(run):
    run.value = str(run.cluster.work / "nodes")
    (run.cluster.work / "nodes").write_text("n3\n\nn3\n")
    see(hosts(run) == "n3")


@job_option("prefer", "h100", seen="the job is on a node with the feature, where one is free")
def prefer(run):
    same(hosts(run), "n3")


@job_option("core-spec", "1", seen="an error line says that it is ignored, as where Slurm's site does not allow it")
@job_option("thread-spec", "1", seen="an error line says that it is ignored, as where Slurm's site does not allow it")
def specialized(run):
    word = "-S" if run.option == "core-spec" else "--thread-spec"
    said = f"{run.command}: error: Ignoring {word} since it's not allowed by configuration (AllowSpecResourcesUsage = No)\n"
    see(said in (done := run.start("true")).stderr, done.stderr)


@job_option("sockets-per-node", "2", seen="the job is on the node with two sockets", world="shapes")
@job_option("cores-per-socket", "5", seen="the job is on the node with so many cores in a socket", world="shapes")
@job_option("threads-per-core", "2", seen="the job is on the node with two threads in a core", world="shapes")
@job_option("extra-node-info", "2:*:2", seen="the job is on the node with two sockets and two threads in a core", world="shapes")
@job_option("tmp", "10G", seen="the job is on the node with so large a disk", world="shapes")
def shape(run):
    same(hosts(run), "n2")
    if run.option == "threads-per-core":
        run.value = "1"
        same(cpus_of_two_tasks(run), "4")
        told(run, "SLURM_THREADS_PER_CORE", "1")


def cpus_of_two_tasks(run):
    """On the node whose cores have two threads: of one core, or of two."""
    return run.output("echo $SLURM_JOB_CPUS_PER_NODE", "-w", "n2", "-n2", "-N1").split("\n")[0]


@job_option("hint", "nomultithread", seen="two tasks have two cores, of which they use one thread each", world="shapes")
def hint(run):
    same(cpus_of_two_tasks(run), "4")
    run.value = "multithread"
    same(cpus_of_two_tasks(run), "2")
    run.value = "memory_bound"
    same(sockets_of_two_tasks(run), [0, 1])


def sockets_of_two_tasks(run, *others):
    """On the node with two sockets of eight cores of two threads: the socket of each core that the job has."""
    text = run.output("scontrol -d show job $SLURM_JOB_ID | grep -o 'CPU_IDs=[^ ]*'", "-w", "n2", "-n2", "-N1", *others)
    cpus = []
    for part in text.split("\n")[0].removeprefix("CPU_IDs=").split(","):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return [cpu // 16 for cpu in cpus[::2]]


@job_option("ntasks-per-socket", "1", seen="each of two tasks has its core on a socket of its own", world="shapes")
def ntasks_per_socket(run):
    same(sockets_of_two_tasks(run, "-c2"), [0, 1])


@job_option("gpus-per-socket", "1", seen="the job has a GPU near each of two sockets, and its cores there", world="shapes")
def gpus_per_socket(run):
    same(sockets_of_two_tasks(run, "-c2", "--sockets-per-node=2"), [0, 1])
    same(run.output("echo $CUDA_VISIBLE_DEVICES", "-n1", "-N1", "--sockets-per-node=2", on_node=True).split("\n")[0].count(","), 1)


@job_option("overcommit", variable_value="1", seen="sixteen tasks have the CPU of one")
def overcommit(run):
    same(run.output("echo $SLURM_JOB_CPUS_PER_NODE", "-N1", "-n16").split("\n")[0], "1")


@job_option("ntasks-per-core", "1", seen="each of two tasks has a core of its own", world="shapes")
def ntasks_per_core(run):
    same(sockets_of_two_tasks(run), [0, 0])


@job_option("use-min-nodes", seen="the job has as few nodes as it takes", world="shapes")
def use_min_nodes(run):
    same(hosts(run, "-N1-2"), "n1")


@job_option("constraint", "h100", seen="the job is on a node with the feature")
def constraint(run):
    see(hosts(run) == "n3")


@job_option("batch", "h100", seen="it is refused where the job does not ask for the feature", commands=("sbatch",))
def batch_features(run):
    run.submit("true", "-C", "h100")
    done = run.submit("true", "-C", "a100", ok=False)
    see("Batch job submission failed: Job --batch option is invalid or not a subset of --constraints" in done.stderr, done.stderr)


@job_option("partition", "other", seen="the job is on the partition's node")
def partition(run):
    see(hosts(run) == "n4")
    run.value = "biolab,other"  # The first takes no job of this account.
    same(run.output("echo $SLURM_JOB_PARTITION"), "other")


@job_option("nodes", "2", seen="the job has two nodes")
def nodes(run):
    same(set(run.output("echo $SLURM_JOB_NUM_NODES").split()), {"2"})


@job_option("reservation", "held", seen="the job is on the reserved node, which takes no other")
def reservation(run):
    with run.reserved("n2"):
        same(hosts(run, "-t", "1"), "n2")
        told(run, "SLURM_JOB_RESERVATION", "held", "-t", "1")


@job_option("clusters", "nosuch", seen="another cluster takes no job")
def clusters(run):
    run.start("true", ok=False)


@job_option("contiguous", seen="the job waits while no free nodes are neighbours")
def contiguous(run):
    run.busy("n1", "n3")
    see(not run.starts("-N2"))


@job_option("switches", "1", seen="the job waits while no switch has enough free nodes")
def switches(run):
    run.busy("n1", "n3")
    see(not run.starts("-N2"))


@job_option("spread-job", seen="the first free nodes, though they are under two switches")
def spread_job(run):
    run.busy("n1")
    same(hosts(run, "-N2"), "n[2-3]")


@job_option("segment", "2", seen="the job waits while no block has a free pair", world="blocks")
def segment(run):
    told(run, "SLURM_JOB_SEGMENT_SIZE", "2", "-N2")
    run.busy("n1", "n3")
    see(not run.starts("-N2"))


@job_option("distribution", "cyclic", seen="tasks go round the nodes")
def distribution(run):
    text = run.output(("" if run.command == "srun" else "srun ") + "bash -c 'echo $SLURM_PROCID:$SLURMD_NODENAME'", "-N2", "-n4")
    same(set(text.split()), {"0:n1", "1:n2", "2:n1", "3:n2"})


@job_option("distribution", "block:cyclic", seen="tasks go round the sockets of a node", world="shapes")
def distribution_over_sockets(run):
    same(sockets_of_two_tasks(run, "-c2"), [0, 1])


# ---- Whose.

@job_option("uid", "nobody", seen="root's job is that user's", needs_root=True)
@job_option("gid", "news", seen="root's job has that group", needs_root=True)
def acting_user(run):
    with run.waiting("-D", "/tmp", script="sleep 300") as (number, _):
        same(owner_of_ended(run, number), run.value)
    if run.command == "srun" and run.form == "option":  # At any component it is the whole job's.
        one = ("-D", "/tmp", "-n1")
        with run.process("srun", *one, "sleep", "300", ":", *one, *run.words(), "sleep", "300"):
            shown = run.wait("the job", lambda: run.out("squeue", "-h", "-n", "sleep", "-o", "%A").split())
            same(owner_of_ended(run, min(shown, key=int)), run.value)


def owner_of_ended(run, number):
    """The user or group of a job, which is ended."""
    shown = run.out("squeue", "-h", "-j", number, "-o", "%u" if run.option == "uid" else "%g").split()[0]
    run.run("scancel", number)
    run.wait("its end", lambda: run.cluster.state_of(number) not in ("PENDING", "RUNNING", "COMPLETING"))
    return shown


# ---- Berth's own.

def friend(run):
    run.run("sbatch", "-J", "friend", "-w", "n1", "-o", "/dev/null", "--wrap", "sleep 300")
    run.wait("the friend to run", lambda: run.out("squeue", "-h", "-n", "friend", "-t", "R").strip())


@job_option("berth-affinity", "feature:h100", seen="the job is on a node with the feature")
def affinity(run):
    same(hosts(run), "n3")


@job_option("berth-anti-affinity", "node:friend", seen="the job is on another node than its friend")
def anti_affinity(run):
    friend(run)
    same(hosts(run), "n2")


@job_option("berth-compact", seen="the job's nodes are under one switch, though others come first")
def compact(run):
    run.busy("n1")
    same(hosts(run, "-N2"), "n[3-4]")


@job_option("berth-compute-capability", "9.0", seen="the job has the newer GPU")
def compute_capability(run):
    same(hosts(run, "--gpus=1"), "n3")


@job_option("berth-gpu-memory", "60G", seen="the job has the larger GPU")
def gpu_memory(run):
    same(hosts(run, "--gpus=1"), "n3")


@job_option("berth-pack", seen="more GPUs than a node has are refused")
def pack(run):
    run.start("true", "--gpus=6", ok=False)


# ---- How much.

@job_option("ntasks", "3", seen="the job has three tasks")
def ntasks(run):
    count = "echo $SLURM_NTASKS" if run.command != "srun" else "echo task"
    see(run.output(count).split() in (["3"], ["task"] * 3))


@job_option("ntasks-per-node", "2", seen="two tasks run on each of two nodes")
def ntasks_per_node(run):
    same(run.output("srun echo task" if run.command != "srun" else "echo task", "-N2").split(), ["task"] * 4)


@job_option("tasks-per-node", "2", seen="two tasks run on each of two nodes")
def tasks_per_node(run):
    same(run.output("srun echo task" if run.command != "srun" else "echo task", "-N2").split(), ["task"] * 4)


@job_option("ntasks-per-gpu", "2", seen="two tasks run on each of two GPUs")
def ntasks_per_gpu(run):
    text = run.output(("" if run.command == "srun" else "srun ") + "bash -c 'echo $CUDA_VISIBLE_DEVICES'", "--gpus=2", "-N1")
    same(sorted(text.split()), ["0", "0", "1", "1"])
    told(run, "SLURM_NTASKS_PER_GPU", "2", "--gpus=2", "-N1")


@job_option("cpus-per-task", "4", seen="the job holds four cores")
def cpus_per_task(run):
    same(run.output("echo $SLURM_CPUS_ON_NODE", on_node=True), "4")


@job_option("mincpus", "3", seen="the job holds three cores")
def mincpus(run):
    same(run.output("echo $SLURM_CPUS_ON_NODE", on_node=True), "3")


@job_option("cpus-per-gpu", "2", seen="the job holds two cores for each of its two GPUs")
def cpus_per_gpu(run):
    same(run.output("echo $SLURM_CPUS_ON_NODE", "--gpus-per-node=2", on_node=True), "4")
    told(run, "SLURM_CPUS_PER_GPU", "2", "--gpus-per-node=2")


@job_option("exclusive", variable_value="exclusive", seen="the job holds all cores of its node")
def exclusive(run):
    same(run.output("echo $SLURM_CPUS_ON_NODE", on_node=True), "8")


@job_option("oversubscribe", seen="the job begins on cores that another holds, which asks for it as well")
def oversubscribe(run):
    run.run("sbatch", "-p", "shared", "-s", "-c8", "-o", "/dev/null", "--wrap", "sleep 300")
    run.wait("it to run", lambda: "shared" in run.out("squeue", "-h", "-t", "R", "-o", "%P"))
    with run.waiting("-p", "shared", "-c8", script="sleep 300") as (job, _):
        def state():
            words = run.out("squeue", "-h", "-j", job, "-o", "%t %r").split()
            return words and words[0] + (" waits" if words[0] == "PD" and words[1] != "None" else "")
        see(run.wait("its state", lambda: state() if state() != "PD" else None) in ("S", "R"))


@job_option("gpus", "3", seen="three GPUs are visible")
def gpus(run):
    same(run.output("echo $CUDA_VISIBLE_DEVICES", on_node=True), "0,1,2")


@job_option("gpus-per-node", "2", seen="two GPUs are visible")
def gpus_per_node(run):
    same(run.output("echo $CUDA_VISIBLE_DEVICES", on_node=True), "0,1")


@job_option("gres", "gpu:2", seen="two GPUs are visible")
def gres(run):
    same(run.output("echo $CUDA_VISIBLE_DEVICES", on_node=True), "0,1")


@job_option("gpus-per-task", "1", seen="two tasks get a GPU each")
def gpus_per_task(run):
    see("GRES=gpu:a100:2" in run.output("scontrol -d show job $SLURM_JOB_ID", "-n2"))


@job_option("tres-per-task", "cpu=2,gres/gpu=1", seen="two tasks get a GPU and two CPUs each")
def tres_per_task(run):
    text = run.output("scontrol -d show job $SLURM_JOB_ID", "-n2")
    see("GRES=gpu:a100:2" in text and "NumCPUs=4 " in text)
    told(run, "SLURM_TRES_PER_TASK", "cpu=2,gres/gpu=1", "-n1")


@job_option("gpu-bind", "single:1", seen="each task sees a GPU of its own")
def gpu_bind(run):
    text = run.output(("" if run.command == "srun" else "srun ") + "bash -c 'echo $CUDA_VISIBLE_DEVICES'", "-n2", "--gpus=2")
    same(sorted(len(line.split(",")) for line in text.split()), [1, 1])


@job_option("gres-flags", "disable-binding", seen="the job has one GPU and all cores of its node")
def gres_flags(run):
    same(run.output("echo $SLURM_JOB_CPUS_PER_NODE", "--gpus-per-node=1", "-c8", "-N1"), "8")


@job_option("mem-bind", "local", seen="a task has the memory of the NUMA nodes of its CPUs alone")
def mem_bind(run):
    srun = "" if run.command == "srun" else "srun "
    text = run.output(srun + "bash -c 'head -1 /proc/self/numa_maps; echo $SLURM_MEM_BIND $SLURM_MEM_BIND_TYPE'")
    see(" bind:" in text, text)
    see("quiet,local local" in text, text)


@job_option("profile", "none", seen="the job runs, and no profile is written")
def profile(run):
    same(run.output("ls | grep '[.]h5$' | wc -l"), "0")
    told(run, "SLURM_PROFILE", "None")


@job_option("mem", "3G", seen="the job holds three gigabytes")
def mem(run):
    same(run.held().get("mem"), "3G")


@job_option("mem-per-cpu", "1G", seen="with two cores the job holds two gigabytes")
def mem_per_cpu(run):
    same(run.held("-c2").get("mem"), "2G")


@job_option("mem-per-gpu", "1G", seen="with two GPUs the job holds two gigabytes")
def mem_per_gpu(run):
    same(run.held("--gpus-per-node=2").get("mem"), "2G")
    told(run, "SLURM_MEM_PER_GPU", "1024", "--gpus-per-node=2")


@job_option("licenses", "matlab:2", seen="while it runs, no seat is free")
def licenses(run):
    see("Free=0" in run.output("scontrol show licenses | grep -A1 matlab | tr '\\n' ' '"))
    told(run, "SLURM_JOB_LICENSES", "matlab:2")
