"""What squeue, sinfo and sacct choose to show, and how they refuse: as Debian's Slurm does, which tests/oracle/run compares."""

import unittest

from cluster import Cluster, main


class Chosen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:2", nodes=2, cpus=4))
        cls.nodes = cls.cluster.run("sinfo", "-h", "-N", "-o", "%N").stdout.split()
        cls.cluster.run("scontrol", "create", "PartitionName=other", f"Nodes={cls.nodes[1]}", "State=UP")

    def setUp(self):
        self.cluster.wait("the jobs of the last test to end", lambda: self.shown("sinfo", "-h", "-o", "%A")[0].startswith("0/"))

    def says(self, *command):
        done = self.cluster.run(*command, check=False)
        return done.returncode, done.stdout + done.stderr

    def shown(self, *command):
        return self.cluster.run(*command).stdout.split()

    def running(self, *options, task=""):
        job = self.cluster.sbatch("-o", "/dev/null", *options)
        self.cluster.wait_state(job + task, "RUNNING")
        self.addCleanup(self.cluster.run, "scancel", job)
        return job

    def test_a_node_in_two_partitions_counts_once_unless_partitions_are_shown(self):
        self.assertEqual(self.shown("sinfo", "-h", "-o", "%F"), ["0/2/0/2"])
        self.assertEqual(self.shown("sinfo", "-h", "-o", "%C %D"), ["0/8/0/8", "2"])
        self.assertEqual(self.shown("sinfo", "-h", "-O", "NodeAIOT"), ["0/2/0/2"])
        self.assertEqual(self.shown("sinfo", "-h", "-o", "%R=%D"), ["main=2", "other=1"])
        self.assertEqual(len(self.shown("sinfo", "-h", "-o", "%g=%D")), 1)
        self.assertEqual(self.shown("sinfo", "-h", "-N", "-o", "%N"), [*self.nodes, self.nodes[1]])
        self.assertEqual(self.shown("sinfo", "-h", "-t", "down", "-o", "%D"), [])
        self.assertEqual(self.shown("sinfo", "-h", "-t", "down", "-o", "%R=%D"), ["main=0", "other=0"])

    def test_a_job_of_several_partitions_runs_in_the_one_that_has_room(self):
        c = self.cluster
        c.run("scontrol", "create", "PartitionName=first", f"Nodes={self.nodes[0]}", "State=UP")
        self.addCleanup(c.run, "scontrol", "delete", "PartitionName=first")
        filler = self.running("-p", "first", "--exclusive", "--wrap", "sleep 600")
        job = self.running("-p", "first,other", "--wrap", "sleep 600")
        self.assertEqual(self.shown("squeue", "-h", "-j", job, "-o", "%P %N"), ["other", self.nodes[1]])
        waiting = c.sbatch("-p", "first,other", "--exclusive", "-o", "/dev/null", "--wrap", "true")
        self.addCleanup(c.run, "scancel", waiting)
        self.assertEqual(self.shown("squeue", "-h", "-j", waiting, "-o", "%P"), ["first,other"])
        self.assertEqual(self.shown("squeue", "-h", "-p", "first", "-t", "PD", "-o", "%i"), [waiting])
        self.assertEqual(self.shown("squeue", "-h", "-P", "-j", waiting, "-o", "%P"), ["first", "other"])
        self.assertEqual(self.shown("squeue", "-h", "-P", "-p", "first", "-t", "PD", "-o", "%P"), ["first"])
        self.assertEqual(self.shown("sprio", "-h", "-p", "first", "-o", "%r"), ["first"])
        self.assertIn("Partition=first,other", c.run("scontrol", "show", "job", waiting).stdout)
        c.run("scontrol", "update", f"JobId={waiting}", "Partition=other,main")
        self.assertEqual(self.shown("squeue", "-h", "-j", waiting, "-o", "%P"), ["other,main"])
        self.assertIn("invalid partition specified: nosuch", self.says("sbatch", "-p", "main,nosuch", "--wrap", "true")[1])
        c.run("scancel", filler)
        c.wait_state(waiting, "COMPLETED")
        self.assertEqual(self.shown("sacct", "-n", "-P", "-X", "-j", waiting, "-o", "Partition"), ["main"])
        c.wait_state(filler, "CANCELLED")

    def test_a_node_with_some_of_its_cpus_in_use_is_allocated_too(self):
        self.running("-w", self.nodes[0], "-n1", "--wrap", "sleep 600")
        self.assertEqual(self.shown("sinfo", "-h", "-t", "alloc", "-o", "%N"), [self.nodes[0]])
        self.assertEqual(self.shown("sinfo", "-h", "-t", "mix", "-o", "%N"), [self.nodes[0]])

    def test_a_task_is_not_its_array_and_a_step_not_its_job(self):
        array = self.running("-a", "0-3%1", "--wrap", "srun sleep 600", task="_0")
        self.assertEqual(self.shown("squeue", "-h", "-o", "%i", "-j", f"{array}_0"), [f"{array}_0"])
        self.assertEqual(self.shown("squeue", "-h", "-o", "%i", "-j", f"{array}_2"), [f"{array}_2"])
        self.assertEqual(self.shown("squeue", "-h", "-o", "%i", "-j", f"{array}_1,{array}_3"), [f"{array}_[1,3]"])
        self.assertEqual(self.shown("squeue", "-h", "-o", "%i", "-j", array), [f"{array}_[1-3%1]", f"{array}_0"])
        self.assertEqual(self.shown("squeue", "-h", "-o", "%i", "-j", f"{array}_9"), [])
        self.cluster.wait("its step", lambda: f"{array}_0.0" in self.shown("squeue", "-h", "-s", "-o", "%i"))
        self.assertEqual(self.shown("squeue", "-h", "-o", "%i", "-s", f"{array}_0.0"), [f"{array}_0.0"])
        self.assertEqual(self.shown("squeue", "-h", "-o", "%i", "-s", f"{array}_0.9"), [])
        self.assertEqual(self.says("scontrol", "show", "step", f"{array}_0.9"), (1, f"Job step {array}_0.9 not found\n"))

    def test_sacct_finds_by_its_end_what_never_could_start(self):
        job = self.cluster.sbatch("--hold", "--wrap", "true")
        self.cluster.run("scancel", job)
        window = ("-S", "now-1hour", "-E", "now+1hour")
        self.cluster.wait("it to be over", lambda: job in self.shown("sacct", "-aXnP", "-o", "JobID", "-s", "CA", *window))
        self.assertNotIn(job, self.shown("sacct", "-aXnP", "-o", "JobID", *window))

    def test_sacct_refuses_what_would_find_nothing(self):
        code, said = self.says("sacct", "-S", "now+1day")
        self.assertEqual(code, 1)
        self.assertRegex(said, r"^sacct: error: Start time \([-\dT:]+\) requested is after end time \([-\dT:]+\)\.\n$")
        self.assertEqual(self.says("sacct", "-u", "nosuchuser"), (1, "sacct: error: Invalid user id: nosuchuser\n"))
        code, said = self.says("sacct", "-q", "nosuch")
        self.assertEqual((code, said.splitlines()[0]), (1, "sacct: error: You gave a bad qos 'nosuch'. Valid QOS's are normal"))

    def test_each_command_says_in_its_own_words_that_a_job_is_not_taken(self):
        for command, words in (("srun", "Unable to allocate resources"), ("salloc", "Job submit/allocate failed")):
            self.assertEqual(self.says(command, "-N0", "true"), (1, f"{command}: error: {words}: Node count specification invalid\n"))
            self.assertEqual(self.says(command, "-t", "abc", "true"), (255, f"{command}: error: Invalid --time specification\n"))
        self.assertEqual(self.says("salloc", "-D", "/nosuch", "true"), (1, "salloc: error: chdir(/nosuch): No such file or directory\n"))

    def test_words_that_name_nothing_are_told(self):
        for command, said in (("create", "too few arguments for create keyword\n"), ("delete", "too few arguments for delete keyword\n"),
                              ("update JobId= TimeLimit=5", "JobId= names no job; write JobId=12 or JobId=12,13\nRequest aborted\n"),
                              ("create nosuch=1", "scontrol: error: Invalid creation entity: nosuch=1; give PartitionName=, NodeName= or reservation\n"),
                              ("delete jobid=1", "Invalid deletion entity: jobid=1; give ReservationName=, PartitionName= or NodeName=\n"),
                              ("show daemons", "scontrol: error: scontrol show daemons is not supported: use systemctl list-units 'berth*'\n")):
            self.assertEqual(self.says("scontrol", *command.split(" ")), (1, said))
        self.assertEqual(self.says("scontrol", "show", "burstbuffer"), (0, ""))
        self.assertEqual(self.says("sstat", "-j", "abc"), (1, "sstat: fatal: Bad job/step specified: abc\n"))
        self.assertEqual(self.says("scancel", "1-"), (1, "scancel: error: Invalid job id 1-\n"))
        self.assertEqual(self.says("squeue", "-o", "%-9i"), (1, "squeue: error: Invalid job format specification: -\n"))


if __name__ == "__main__":
    main()
