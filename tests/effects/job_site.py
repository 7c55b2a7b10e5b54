"""Options of jobs that act only where a site of Slurm has configured what they need: the same words as where it has not."""

from commands import only_variable
from effect import see
from job_options import job_option

REFUSED = {"sbatch": "Batch job submission failed: ", "srun": "Unable to allocate resources: ", "salloc": "Job submit/allocate failed: "}


@job_option("reboot", seen="a user is refused", needs_root=True)
def reboot(run):
    done = run.as_nobody(run.command, *run.words(), *(() if run.command == "sbatch" else ("true",)), ok=False, stdin="#!/bin/bash\n" + run.line() + "true\n")
    see(f"{run.command}: error: rebooting of nodes is only allowed for admins\n"
        f"{run.command}: error: {REFUSED[run.command]}Access/permission denied\n" in done.stderr, done.stderr)


@job_option("resv-ports", "2", seen="no step is created: there are no ports to reserve", commands=("srun",))
def reserved_ports(run):
    see("srun: error: Unable to create step for job " in (said := run.start("true", ok=False).stderr)
        and ": Requires more ports than can be reserved\n" in said, said)


@job_option("x11", seen="it is refused, whether or not windows could appear here", commands=("srun", "salloc"))
def x11(run):
    done = run.run("env", "-u", "DISPLAY", run.command, *run.words(), "true", ok=False)
    see(done.returncode == 255 and "No DISPLAY variable set, cannot setup x11 forwarding." in done.stderr, done.stderr)
    done = run.run("env", "DISPLAY=login:10.0", run.command, *run.words(), "true", ok=False)
    see(f"{run.command}: error: {REFUSED[run.command]}X11 forwarding not available\n" in done.stderr, done.stderr)


@only_variable("DISPLAY", "srun", "login:10.0", seen="where windows would appear, of which --x11 makes sure first", world="jobs")
def display(run):
    said = run.done("--x11", "true", ok=False).stderr
    see("X11 forwarding not available" in said, said)
