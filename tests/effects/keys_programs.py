"""Programs of the site's around jobs and nodes: prologs, epilogs, health checks, reboots; and what becomes of silent nodes."""


from effect import see
from keys_case import key


def called(run, *lines, shell='echo "$SLURM_JOB_ID $SLURMD_NODENAME" >>{log}', words=(), patience=4.0):
    """The tested key names a program that writes into a file; a job runs. What the program wrote."""
    log = run.cluster.root / "log"
    run.value = run.program("program", shell.format(log=log))
    run.configure(*lines)
    job = run.sbatch("-o", "hooked", *words, script="srun true")
    run.wait("the program", lambda: log.exists() and log.read_text(), patience)
    return job, log.read_text()


@key("slurm.conf", "Prolog", "?", seen="the program runs on the job's node")
def prolog(run):
    job, text = called(run)
    see(text.split()[0] == job, text)


@key("slurm.conf", "Epilog", "?", seen="the program runs on the job's node")
def epilog(run):
    prolog(run)


@key("slurm.conf", "PrologSlurmctld", "?", seen="the program runs beside the controller")
def prolog_slurmctld(run):
    prolog(run)


@key("slurm.conf", "EpilogSlurmctld", "?", seen="the program runs beside the controller")
def epilog_slurmctld(run):
    prolog(run)


@key("slurm.conf", "TaskProlog", "?", seen="what it exports is in a task's environment")
def task_prolog(run):
    run.value = run.program("program", "echo export SCRATCH=/scratch")
    run.configure()
    see(run.output("srun sh -c 'echo $SCRATCH'") == "/scratch")


@key("slurm.conf", "TaskEpilog", "?", seen="the program runs after a task")
def task_epilog(run):
    prolog(run)


@key("slurm.conf", "SrunProlog", "?", seen="srun runs the program, and another where its user names one")
def srun_prolog(run):
    job, text = called(run, shell='echo "$SLURM_JOB_ID $1" >>{log}')
    see(text == f"{job} true\n", text)
    run.output("srun --prolog=none --epilog=none true; echo ran")
    see((run.cluster.root / "log").read_text() == text, "as none says")


@key("slurm.conf", "SrunEpilog", "?", seen="srun runs the program after the step, and another where its user names one")
def srun_epilog(run):
    srun_prolog(run)


@key("slurm.conf", "PrologEpilogTimeout", "1", seen="a prolog that takes longer drains its node")
def prolog_epilog_timeout(run):
    run.configure(f"Prolog={run.program('prolog', 'sleep 8')}")
    run.sbatch()
    run.wait("a drained node", lambda: "drain" in run.out("sinfo", "-h", "-o", "%T"), 4)


def checked(run, *lines):
    """How often which nodes' health was checked."""
    log = run.cluster.root / "log"
    program = run.program("check", f'echo "$SLURMD_NODENAME" >>{log}')
    if run.key == "HealthCheckProgram":
        run.value = program
    run.configure(*[line.format(program=program) for line in lines])
    return log


@key("slurm.conf", "HealthCheckProgram", "?", seen="the program runs on a node")
def health_check_program(run):
    log = checked(run, "HealthCheckInterval=1")
    run.wait("a check", log.exists, 3.5)


@key("slurm.conf", "HealthCheckInterval", "1", seen="a program runs on a node again and again")
def health_check_interval(run):
    log = checked(run, "HealthCheckProgram={program}")
    run.wait("two checks", lambda: log.exists() and log.read_text().split().count("n1") >= 2, 4)


@key("slurm.conf", "HealthCheckNodeState", "ALLOC", seen="an idle node is not checked")
def health_check_node_state(run):
    run.configure()
    run.runs(run.sbatch("-w", "n1", "--exclusive", script="sleep 20"))
    log = checked(run, "HealthCheckProgram={program}", "HealthCheckInterval=1")
    run.wait("three checks", lambda: log.exists() and log.read_text().split().count("n1") >= 3, 4)
    see(log.read_text().split().count("n2") < 2, log.read_text())  # Once: when it gets to know of the program.


def rebooted(run, *lines):
    log = run.cluster.root / "log"
    program = run.program("reboot", f"echo $SLURMD_NODENAME >>{log}")
    if run.key == "RebootProgram":
        run.value = program
    run.configure(*[line.format(program=program) for line in lines])
    run.run("scontrol", "reboot", "ASAP", "n4", ok=None)
    run.wait("the reboot", log.exists, 3)


@key("slurm.conf", "RebootProgram", "?", seen="scontrol reboot runs it on the node")
def reboot_program(run):
    rebooted(run, "ResumeTimeout=1")
    run.wait("the node to be given up", lambda: "down" in run.out("sinfo", "-h", "-n", "n4", "-o", "%T"), 4)


@key("slurm.conf", "ResumeTimeout", "1", seen="a node that does not come back from its reboot is down a second later")
def resume_timeout(run):
    rebooted(run, "RebootProgram={program}")
    run.wait("the node to be given up", lambda: "down" in run.out("sinfo", "-h", "-n", "n4", "-o", "%T"), 4)


@key("slurm.conf", "SlurmdTimeout", "1", seen="a node whose agent says nothing takes no work a second later")
def slurmd_timeout(run):
    with run.started(nodes=["NodeName=n1 CPUs=8"], partitions=["PartitionName=main Nodes=n1 Default=YES"], files={"gres.conf": ""}):
        run.stop_agent("n1")
        run.wait("the node not to respond", lambda: "*" in run.out("sinfo", "-h", "-n", "n1", "-o", "%T"), 5)


@key("slurm.conf", "MaxNodeCount", "9", seen="a node may be added while the cluster runs")
def max_node_count(run):
    run.configure()
    run.run("scontrol", "create", "NodeName=y1", "State=FUTURE", "CPUs=4", "RealMemory=1000")
    run.run("scontrol", "delete", "NodeName=y1")
