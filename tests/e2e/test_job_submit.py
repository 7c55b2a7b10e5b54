"""JobSubmitPlugins=lua: a site's job_submit.lua sees what is submitted and changed, as with Slurm."""

import tempfile
import unittest
from pathlib import Path

from cluster import Cluster, main

CONF = """ClusterName=ruled
GresTypes=gpu
JobSubmitPlugins=lua
NodeName=n[1-2] CPUs=8 Gres=gpu:a100:4
PartitionName=cpu Nodes=n[1-2] Default=YES MaxTime=7-0
PartitionName=gpu Nodes=n[1-2] MaxTime=2-0
"""

SCRIPT = """-- Rules of a site, in the manner of those that sites publish.
local MAX_MINUTES = 24 * 60

local function wants_gpus(job_desc)
    for _, field in ipairs({"tres_per_node", "tres_per_job", "tres_per_task", "gres"}) do
        local value = job_desc[field]
        if value ~= nil and string.find(value, "gpu") then return true end
    end
    return false
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.name == "loop" then while true do end end
    if job_desc.name == "bomb" then local t = {} for i = 1, 1e9 do t[i] = i end end
    if job_desc.name == "broken" then return job_desc.nothing.there end
    if job_desc.name == "admin" then job_desc.admin_comment = "x" end
    if job_desc.time_limit == slurm.NO_VAL then
        slurm.log_user("Please give a time limit: --time")
        return slurm.ESLURM_MISSING_TIME_LIMIT
    end
    if wants_gpus(job_desc) and job_desc.partition == nil then
        job_desc.partition = "gpu"
        slurm.log_user("A job with GPUs: it goes to partition gpu.")
    end
    if job_desc.time_limit > MAX_MINUTES then
        job_desc.time_limit = MAX_MINUTES
        slurm.log_user("The time limit is lowered to %d minutes.", MAX_MINUTES)
    end
    if job_desc.script ~= nil then
        job_desc.environment["SITE_SAW"] = tostring(submit_uid)
    end
    if job_desc.name == "first" then job_desc.priority = 4000 end
    slurm.log_info("uid %u: partition %s", submit_uid, tostring(job_desc.partition))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    if job_desc.priority == 0 then
        slurm.log_user("Job %d stays as it is.", job_rec.job_id)
        return slurm.ESLURM_ACCESS_DENIED
    end
    if job_desc.time_limit ~= slurm.NO_VAL and job_desc.time_limit > MAX_MINUTES then
        job_desc.time_limit = MAX_MINUTES
        slurm.log_user("Job %d gets %d minutes.", job_rec.job_id, MAX_MINUTES)
    end
    if job_desc.priority == slurm.INFINITE then slurm.log_user("Released.") end
    return slurm.SUCCESS
end

return slurm.SUCCESS
"""


class JobSubmit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="berth-e2e-job-submit.")))
        (folder / "slurm.conf").write_text(CONF)
        (folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Type=a100 Count=4\n")
        (folder / "job_submit.lua").write_text(SCRIPT)
        cls.cluster = cls.enterClassContext(Cluster(conf=folder / "slurm.conf"))

    def refused(self, *command):
        done = self.cluster.run(*command, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    def shown(self, job, key):
        text = self.cluster.run("scontrol", "show", "job", job).stdout
        return text.split(f"{key}=", 1)[1].split()[0]

    def log(self):
        return (self.cluster.state / "log" / "berthd.log").read_text()

    def test_a_job_without_a_limit_is_refused_on_every_way_in(self):
        says = "error: Please give a time limit: --time\n"
        reason = "Time limit specification required, but not provided\n"
        self.assertEqual(self.refused("sbatch", "--wrap", "true"),
                         f"sbatch: {says}sbatch: error: Batch job submission failed: {reason}")
        self.assertIn(f"srun: {says}", self.refused("srun", "true"))
        self.assertIn(f"salloc: {says}", self.refused("salloc", "true"))
        self.assertIn(f"sbatch: {says}", self.refused("sbatch", "--test-only", "--wrap", "true"))
        self.assertIn(f"sbatch: {says}", self.refused("sbatch", "--array=1-3", "--wrap", "true"))

    def test_a_job_is_routed_and_its_limit_lowered(self):
        c = self.cluster
        done = c.run("sbatch", "-H", "-t", "3-0", "--gpus=1", "--wrap", "true")
        self.assertEqual(done.stderr, "sbatch: A job with GPUs: it goes to partition gpu.\n"
                                      "sbatch: The time limit is lowered to 1440 minutes.\n")
        job = done.stdout.split()[-1]
        self.assertEqual(self.shown(job, "Partition"), "gpu")
        self.assertEqual(self.shown(job, "TimeLimit"), "1-00:00:00")
        self.assertIn("partition gpu", self.log())
        self.assertEqual(c.run("sbatch", "-Q", "-H", "-t", "3-0", "--wrap", "true").stderr, "")
        c.run("scancel", "-n", "wrap")

    def test_what_it_sets_reaches_the_job(self):
        c = self.cluster
        job = c.sbatch("-t1", script="echo saw $SITE_SAW")
        c.wait_state(job, "COMPLETED")
        self.assertEqual(c.output(job), f"saw {c.run('id', '-u').stdout}")
        self.assertEqual(c.run("srun", "-t1", "echo", "ran").stdout, "ran\n")

    def test_the_sites_priority_is_allowed(self):
        c = self.cluster
        job = c.sbatch("-t1", "-J", "first", "--begin=now+1hour", script="true")
        self.assertEqual(self.shown(job, "Priority"), "4000")
        c.run("scancel", job)

    def test_a_failing_script_refuses_the_job_and_the_next_is_taken(self):
        for name, says in (("loop", "stopped after 10000000 instructions"), ("bomb", "not enough memory"),
                           ("broken", "attempt to index a nil value"),
                           ("admin", "job_desc.admin_comment cannot be set: use comment")):
            text = self.refused("sbatch", "-t1", "-J", name, "--wrap", "true")
            self.assertIn("sbatch: error: job_submit.lua:", text)
            self.assertIn(says, text)
            self.assertIn("Batch job submission failed: Unspecified error", text)
            self.assertIn(says, self.log())
        self.cluster.wait_state(self.cluster.sbatch("-t1", script="true"), "COMPLETED")

    def test_changes_and_holds_are_seen(self):
        c = self.cluster
        job = c.sbatch("-t10", "--begin=now+1hour", script="true")
        done = c.run("scontrol", "update", f"JobId={job}", "TimeLimit=3-0")
        self.assertEqual(done.stderr, f"scontrol: Job {job} gets 1440 minutes.\n")
        self.assertEqual(c.run("scontrol", "release", job).stderr, "scontrol: Released.\n")
        self.assertEqual(self.shown(job, "TimeLimit"), "1-00:00:00")
        done = c.run("scontrol", "hold", job, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"scontrol: error: Job {job} stays as it is.\nAccess/permission denied", done.stderr)
        c.run("scancel", job)

    def test_a_wrong_script_changes_nothing(self):
        c = self.cluster
        script = c.state / "etc" / "job_submit.lua"
        try:
            script.write_text("function slurm_job_submit(\n")
            self.assertIn("job_submit.lua:", c.run("scontrol", "reconfigure", check=False).stderr)
            self.refused("sbatch", "--wrap", "true")
            script.unlink()
            self.assertIn("job_submit.lua", c.run("scontrol", "reconfigure", check=False).stderr)
            self.refused("sbatch", "--wrap", "true")
            script.write_text(SCRIPT.replace("Please give", "You must give"))
            c.run("scontrol", "reconfigure")
            self.assertIn("You must give a time limit", self.refused("sbatch", "--wrap", "true"))
        finally:
            script.write_text(SCRIPT)
            c.run("scontrol", "reconfigure")


if __name__ == "__main__":
    main()
