"""A user's day: batch scripts, arrays, steps, dependencies, holding, cancelling, on real processes."""

import json
import os
import pwd
import subprocess
import time
import unittest

from cluster import BIN, Cluster, main


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:8"))

    def test_a_script_runs_and_its_end_is_in_sacct(self):
        c = self.cluster
        job = c.sbatch(script="#SBATCH -J hello\n#SBATCH --gres=gpu:2\necho gpus $CUDA_VISIBLE_DEVICES; exit 3")
        c.wait_state(job, "FAILED")
        self.assertRegex(c.output(job), r"gpus \d,\d\n")
        row = c.run("sacct", "-n", "-P", "-X", "-j", job, "-o", "JobName,State,ExitCode,AllocTRES").stdout.strip()
        name, state, code, tres = row.split("|")
        self.assertEqual((name, state, code), ("hello", "FAILED", "3:0"))
        self.assertIn("gres/gpu=2", tres)

    @unittest.skipUnless(os.geteuid() == 0, "only root runs other users' jobs")
    def test_every_user_runs_as_themselves(self):
        nobody = pwd.getpwnam("nobody")
        done = subprocess.run([str(BIN / "sbatch"), "--parsable", "--wrap", "id -un; srun id -un"], cwd=self.cluster.work,
                              env=self.cluster.environment(), user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.cluster.wait_state(done.stdout.strip(), "COMPLETED")
        self.assertEqual(self.cluster.output(done.stdout.strip()).split(), ["nobody", "nobody"])

    def test_the_history_says_what_another_configuration_would_have_changed(self):
        c = self.cluster
        c.wait_state(c.sbatch("--gres=gpu:1", script="true"), "COMPLETED")
        told = c.run("berth", "sim", "compare", "--b", str(c.state / "etc"), "--from-history").stdout
        self.assertRegex(told, r"^[1-9]\d* jobs, .*\n")
        self.assertRegex(told, r"mean waiting, s +\d+ +\d+ +same\n")

    def test_wait_waits_and_ends_as_the_job_did(self):
        c = self.cluster
        for command, code in (("sleep 0.5", 0), ("exit 7", 7), ("kill -9 $$", 1)):
            with self.subTest(command):
                done = c.run("sbatch", "--wait", "--parsable", "--wrap", command, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(c.state_of(done.stdout.strip()), ("COMPLETED", "FAILED"))
        done = c.run("sbatch", "-W", "--parsable", "--array=0-3", "--wrap", "exit $SLURM_ARRAY_TASK_ID", check=False)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(set(c.states(done.stdout.strip()).values()), {"COMPLETED", "FAILED"})

    def test_scontrol_waits_for_a_job_and_writes_its_script(self):
        c = self.cluster
        body = "until [ -e waited ]; do sleep 0.1; done"
        job = c.sbatch("--begin=now+1", script=body)
        self.assertIn(f"ready for job {job}", c.run("scontrol", "wait_job", job).stderr)
        (c.work / "waited").touch()
        self.assertEqual(c.run("scontrol", "write", "batch_script", job, "-").stdout, "#!/bin/bash\n" + body)
        c.run("scontrol", "write", "batch_script", job, "copy.sh")
        self.assertEqual((c.work / "copy.sh").read_text(), "#!/bin/bash\n" + body)
        self.assertEqual(c.run("scontrol", "wait_job", "999999", check=False).returncode, 1)

    def test_the_processes_of_a_job_are_listed_on_its_node(self):
        c = self.cluster
        job = c.sbatch(script="echo $$ >pid; srun -n1 sh -c 'echo $$ >task; exec sleep 60'")
        c.wait("the task", lambda: (c.work / "task").exists() and (c.work / "task").read_text())
        script, task = ((c.work / name).read_text().strip() for name in ("pid", "task"))
        rows = {words[0]: words[1:] for words in map(str.split, c.run("scontrol", "listpids", job).stdout.splitlines())}
        self.assertEqual(rows["PID"], ["JOBID", "STEPID", "LOCALID", "GLOBALID"])
        self.assertEqual(rows[script][:2], [job, "batch"])
        self.assertEqual(rows[task], [job, "0", "0", "0"])
        self.assertNotIn(script, c.run("scontrol", "listpids", f"{job}.0").stdout.split())
        told = c.run("scontrol", "pidinfo", task).stdout
        self.assertRegex(told, rf"^Slurm job id {job} ends at \w+ \w+ +\d+ [\d:]+ \d+\nslurm_get_rem_time is \d+\n$")
        c.run("scancel", job)
        c.wait_state(job, "CANCELLED")
        gone = f"Job {job} does not exist on this node.\n"
        c.wait("the node to forget the job", lambda: c.run("scontrol", "listpids", job, check=False).stderr == gone)
        self.assertIn("is of no job on this node", c.run("scontrol", "pidinfo", "1", check=False).stderr)

    def test_json_lists_what_the_tables_do(self):
        c = self.cluster
        job = c.sbatch("--gres=gpu:1", script="sleep 0.2")
        c.wait_state(job, "COMPLETED")
        for command in (["squeue", "--json", "-t", "all"], ["sacct", "--json"], ["scontrol", "show", "jobs", "--json"]):
            with self.subTest(command):
                read = json.loads(c.run(*command).stdout)
                self.assertIn(int(job), [one["job_id"] for one in read["jobs"]])
                self.assertEqual(read["errors"], [])
        self.assertEqual(c.run("squeue", "-h", "-t", "all", "-j", job, "-O", "jobid:12,state").stdout.split(), [job, "COMPLETED"])

    def test_a_signal_comes_before_the_end(self):
        c = self.cluster
        catch = "bash -c 'trap \"echo step; exit 0\" USR1; while :; do sleep 0.1; done'"
        # Twenty seconds after the start: the traps are set by then, on a machine with much else to do too.
        tasks = c.sbatch("-t1", "--signal=USR1@40", script=f"trap 'echo script' USR1; srun {catch}")
        batch = c.sbatch("-t1", "--signal=B:USR1@40", script="trap 'echo script; exit 4' USR1; while :; do sleep 0.1; done")
        c.wait_state(tasks, "COMPLETED")
        lines = c.output(tasks).splitlines()
        self.assertIn("step", lines)
        self.assertNotIn("script", lines)
        # The step's shell may say what ended its sleep, before or after: that is another stream.
        self.assertLessEqual(set(lines), {"step", "User defined signal 1"})
        c.wait_state(batch, "FAILED")
        self.assertEqual(c.output(batch), "script\n")

    def test_a_signal_that_is_due_before_the_script_runs_is_not_lost(self):
        c = self.cluster
        # Due at once, mostly while the script starts; its shell has no trap yet, or just has.
        job = c.sbatch("-t1", "--signal=B:USR1@60", script="trap 'exit 4' USR1; while :; do sleep 0.1; done")
        c.wait_state(job, "FAILED")

    def test_a_job_sees_the_environment_that_slurm_promises(self):
        c = self.cluster
        job = c.sbatch("-c", "2", "--gres=gpu:1", script="env | grep -E '^(SLURM|CUDA)' | sort")
        c.wait_state(job, "COMPLETED")
        seen = dict(line.split("=", 1) for line in c.output(job).splitlines())
        self.assertEqual(seen["SLURM_JOB_ID"], job)
        self.assertEqual(seen["SLURM_CPUS_PER_TASK"], "2")
        self.assertEqual(seen["SLURM_JOB_NUM_NODES"], "1")
        self.assertEqual(seen["SLURM_CPUS_ON_NODE"], "2")
        self.assertIn("SLURM_JOB_GPUS", seen)
        self.assertNotIn("SLURM_NTASKS", seen)  # Nobody asked.

    def test_a_job_without_gpus_sees_none(self):
        c = self.cluster
        job = c.sbatch(script='echo "[${CUDA_VISIBLE_DEVICES-unset}]"')
        c.wait_state(job, "COMPLETED")
        self.assertEqual(c.output(job), "[unset]\n")

    def test_an_array_keeps_to_its_limit_and_runs_each_task_once(self):
        c = self.cluster
        job = c.sbatch("--array=1-6%2", "-o", "arr-%a.out", script="echo task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT; sleep 0.3")
        most = 0
        while (rows := c.run("squeue", "-h", "-j", job, "-t", "RUNNING,PENDING", "-o", "%T").stdout.split()):
            most = max(most, rows.count("RUNNING"))
        self.assertLessEqual(most, 2)
        c.wait_all_done()
        for task in range(1, 7):
            self.assertEqual(c.output("", f"arr-{task}.out"), f"task {task} of 6\n")
        self.assertEqual({s for j, s in c.states(job).items() if "." not in j}, {"COMPLETED"})

    def test_dependencies_hold_until_they_are_met(self):
        c = self.cluster
        first = c.sbatch(script="until [ -e met ]; do sleep 0.1; done; exit 1")
        after_ok = c.sbatch(f"--dependency=afterok:{first}", script="true")
        after_any = c.sbatch(f"--dependency=afterany:{first}", script="true")
        c.wait("its reason", lambda: "Dependency" in c.run("squeue", "-h", "-j", after_any, "-o", "%R").stdout)
        (c.work / "met").touch()
        c.wait_state(after_any, "COMPLETED")
        c.wait("no hope", lambda: "DependencyNeverSatisfied" in c.run("squeue", "-h", "-j", after_ok, "-o", "%R").stdout)
        c.run("scancel", after_ok)
        c.wait_state(after_ok, "CANCELLED")

    def test_a_held_job_waits_for_its_release(self):
        c = self.cluster
        job = c.sbatch("-H", script="true")
        time.sleep(0.3)
        self.assertIn("(JobHeldUser)", c.run("squeue", "-h", "-j", job, "-o", "%R").stdout)
        c.run("scontrol", "release", job)
        c.wait_state(job, "COMPLETED")

    def test_scancel_ends_a_job_that_will_not_hear_term(self):
        c = self.cluster
        (c.work / "stubborn.conf").touch()
        job = c.sbatch(script="trap '' TERM; for i in $(seq 600); do sleep 0.1; done")
        c.wait_state(job, "RUNNING")
        c.run("scancel", "-s", "KILL", "-f", job)
        c.wait_state(job, "CANCELLED", "FAILED")

    def test_a_job_past_its_limit_is_ended(self):
        c = self.cluster
        job = c.sbatch("-t", "1", script="sleep 300")
        c.wait_state(job, "RUNNING")
        c.run("scontrol", "show", "job", job)
        c.run("scancel", job)
        c.wait_state(job, "CANCELLED")

    def test_usage_grows_while_a_job_runs_and_sshare_and_sprio_show_it(self):
        c = self.cluster
        def usage():
            rows = [line.split("|") for line in c.run("sshare", "-anPU", "-o", "User,RawUsage").stdout.splitlines()]
            return sum(int(used) for _, used in rows)
        before = usage()
        runs = c.sbatch("--gres=gpu:8", script="sleep 300")
        waits = c.sbatch("--gres=gpu:8", script="sleep 300")
        c.wait_state(runs, "RUNNING")
        c.wait("usage of a job that still runs", lambda: usage() > before)
        c.wait("a line of sprio", lambda: c.run("sprio", "-h", "-o", "%i").stdout.split() == [waits])
        weights = c.run("sprio", "-w", "-h").stdout.split()
        self.assertEqual(weights, ["Weights", "1", "1000", "10000", "100", "1000"])
        c.run("scancel", runs, waits)
        c.wait_state(runs, "CANCELLED")
        c.run("berth", "usage", "clear")
        self.assertEqual(usage(), 0)

    def test_requeue_runs_a_job_again(self):
        c = self.cluster
        job = c.sbatch("--open-mode=append", script="echo run $SLURM_RESTART_COUNT; sleep 30")
        c.wait("its first line", lambda: (c.work / f"slurm-{job}.out").exists() and c.output(job))
        c.run("scontrol", "requeue", job)
        c.wait("its second run", lambda: "run 1" in c.output(job))
        c.run("scancel", job)
        c.wait_state(job, "CANCELLED")
        why = [line for line in c.output(job).splitlines() if "***" in line]
        for said, because in zip(why, (" DUE TO JOB REQUEUE", ""), strict=True):
            self.assertRegex(said, rf"^slurmstepd: error: \*\*\* JOB {job} ON \S+ CANCELLED AT 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d{because} \*\*\*$")

    def test_requeue_takes_its_options(self):
        c = self.cluster
        runs, over = c.sbatch(script="sleep 60"), c.sbatch(script="true")
        c.wait_state(runs, "RUNNING")
        c.wait_state(over, "COMPLETED")
        c.run("scontrol", "requeuehold", "Incomplete", "State=SpecialExit", f"{runs},{over}")
        c.wait("the first to be held", lambda: c.run("squeue", "-h", "-j", runs, "-o", "%t").stdout.strip() == "SE")
        self.assertEqual(c.run("squeue", "-h", "-t", "all", "-j", over, "-o", "%t").stdout.strip(), "CD")
        states = json.loads(c.run("scontrol", "show", "job", runs, "--json").stdout)["jobs"][0]["job_state"]
        self.assertEqual(states, ["PENDING", "SPECIAL_EXIT"])
        c.run("scontrol", "release", runs)
        c.wait_state(runs, "RUNNING")
        c.run("scancel", runs)

    def test_prompts_run_each_line(self):
        c = self.cluster
        done = c.run("scontrol", stdin="show hostnames n[1-2]\nall\nfoo\n!!\nquit\nping\n", check=False)
        self.assertEqual(done.stdout, "scontrol: show hostnames n[1-2]\nn1\nn2\nscontrol: all\nscontrol: foo\nscontrol: !!\nscontrol: quit\n")
        self.assertEqual((done.returncode, done.stderr.count("invalid keyword: foo\n")), (1, 2))
        done = c.run("sacctmgr", stdin="parsable\nlist account format=account\n")
        self.assertIn("\nAccount|\n", done.stdout)
        done = c.run("sreport", stdin="parsable2\ncluster utilization format=cluster,allocated\n")
        self.assertIn("\nCluster|Allocated\n", done.stdout)

    def test_output_goes_where_the_patterns_say(self):
        c = self.cluster
        job = c.sbatch("-J", "name", "-o", "%x-%5j.o", "-e", "%j.e", script="echo out; echo err >&2")
        c.wait_state(job, "COMPLETED")
        self.assertEqual((c.work / f"name-{int(job):05}.o").read_text(), "out\n")
        self.assertEqual((c.work / f"{job}.e").read_text(), "err\n")

    def test_berth_run_returns_the_exit_code(self):
        done = self.cluster.run("berth", "run", "--", "sh", "-c", "echo here; exit 7", check=False)
        self.assertIn("here\n", done.stdout)
        self.assertEqual(done.returncode, 7)


if __name__ == "__main__":
    main()
