"""Options of jobs: their files and environment, and what sbatch itself prints."""

import re

from effect import same, see
from job_options import job_option


# ---- With what.

@job_option("chdir", "/", seen="it runs there")
def chdir(run):
    if run.command != "sbatch":
        see(run.output("pwd") == "/")
        return
    told = run.cluster.work / "chdir.out"  # Not by a relative name: that would be a file in "/".
    told.unlink(missing_ok=True)
    run.submit("pwd", "-o", str(told))
    see(told.read_text() == "/\n")


@job_option("job-name", "alice", seen="it is found by its name")
def job_name(run):
    see(run.output("squeue -h -n alice"))


@job_option("output", "chosen.out", seen="the output is in that file", commands=("sbatch", "srun"))
def output(run):
    run.start("echo here")
    see(run.file("chosen.out") == "here\n")
    (run.cluster.work / "chosen.out").unlink()


@job_option("error", "chosen.err", seen="the error output is in that file", commands=("sbatch", "srun"))
def error(run):
    run.start("echo wrong >&2")
    see(run.file("chosen.err") == "wrong\n")
    (run.cluster.work / "chosen.err").unlink()


@job_option("input", "chosen.in", seen="the program reads the file", commands=("sbatch", "srun"))
def input_file(run):
    (run.cluster.work / "chosen.in").write_text("read me\n")
    see(run.output("cat") == "read me")


@job_option("open-mode", "append", seen="what the file held is kept", commands=("sbatch", "srun"))
def open_mode(run):
    (run.cluster.work / "kept").write_text("old\n")
    run.start("echo new", "-o", "kept")
    see(run.file("kept") == "old\nnew\n", run.file("kept"))


@job_option("export", "NONE", seen="the caller's variables stay away", commands=("sbatch", "srun"))
def export(run):
    case_environment = run.environment
    run.environment = lambda: {"COLOUR": "blue"} | case_environment()
    same(run.output("echo [$COLOUR]"), "[]")


@job_option("export-file", "colours", seen="the job has the file's variables", commands=("sbatch",))
def export_file(run):
    (run.cluster.work / "colours").write_text("COLOUR=red\0SHAPE=round\0")
    same(run.output("echo $COLOUR $SHAPE"), "red round")


@job_option("ignore-pbs", seen="a #PBS line does not name the job", commands=("sbatch",))
def ignore_pbs(run):
    script = "#!/bin/bash\n#PBS -N wave\n" + run.line() + "true\n"
    done = run.run("sbatch", "--parsable", "-H", *run.words(), env=run.environment(), stdin=script)
    named = run.run("squeue", "-h", "-j", done.stdout.strip(), "-o", "%j").stdout.strip()
    same(named, "sbatch")


@job_option("get-user-env", seen="a login shell has been there", commands=("sbatch",), variable_value="20")
def get_user_env(run):
    see("SHLVL=" in run.output("tr '\\0' '\\n' </proc/$$/environ", "--export=NONE"))


@job_option("get-user-env", seen="root's command has the variables of a login", commands=("salloc",), needs_root=True)
def get_user_env_here(run):
    show = lambda *before: run.run(*before, "salloc", *run.words(), "sh", "-c", "echo $HOME", ok=None)
    home = show("env", "HOME=/nowhere").stdout.strip()
    see(home.startswith("/") and home != "/nowhere", home)
    refused = show("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
    see("salloc: error: SlurmdUser must be root to use --get-user-env" in refused.stderr, refused.stderr)


@job_option("wrap", "echo wrapped", seen="the words are the script", commands=("sbatch",), forms=("option",))
def wrap(run):
    run.run("sbatch", "--wait", "-o", "wrapped", *run.words(), stdin="")
    see(run.file("wrapped") == "wrapped\n")


@job_option("parsable", seen="the answer is the number alone", commands=("sbatch",))
def parsable(run):
    done = run.run("sbatch", *run.words(), env=run.environment(), stdin="#!/bin/bash\n" + run.line() + "true\n")
    see(re.fullmatch(r"\d+\n", done.stdout), done.stdout)


@job_option("wait", seen="sbatch ends with the job, with its exit code", commands=("sbatch",))
def wait_option(run):
    run.submit("sleep 0.5; exit 3", wait=False, ok=False)


@job_option("quiet", seen="nothing is printed", commands=("sbatch",), forms=("option",))
def quiet(run):
    done = run.run("sbatch", *run.words(), env=run.environment(), stdin="#!/bin/bash\n" + run.line() + "true\n")
    see(done.stdout == "", done.stdout)


@job_option("propagate", "CORE", seen="the caller's other limits stay away", commands=("sbatch", "srun"))
def propagate(run):
    limited, shown = ("sh", "-c", 'ulimit -S -n 321; exec "$@"', "sh"), "ulimit -S -n"
    if run.command == "sbatch":
        run.run(*limited, "sbatch", "--wait", "-o", "limits", *run.words(), stdin=f"#!/bin/bash\n{run.line()}{shown}\n")
        see(run.file("limits") != "321\n")
    else:
        see(run.out(*limited, "srun", *run.words(), "bash", "-c", shown) != "321\n")
