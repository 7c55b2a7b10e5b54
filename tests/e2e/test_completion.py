"""Completion by bash, zsh and fish, and --help: every option is there, and names come from the cluster that runs."""

import os
import shlex
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "effects"))
import names
from cluster import Cluster, main

COMPLETIONS = Path(__file__).resolve().parents[2] / "deploy/completions"
COMPLETION = COMPLETIONS / "berth.bash"
COMMANDS = ("sbatch", "srun", "salloc", *names.COMMANDS)


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster("a100:2", nodes=2))

    def complete(self, *words):
        """What Tab offers behind these words, the last of which is being typed."""
        line = " ".join(shlex.quote(word) for word in words)
        script = f"source {COMPLETION}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _berth_complete; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        return self.cluster.run("bash", "-c", script).stdout.split()

    def test_help_names_each_option(self):
        accepted = {command: {option for one, option in names.command_options() if one == command} for command in names.COMMANDS}
        for option, rows in names.job_options().items():
            for row in rows:
                for command in row["commands"] if row["built"] else ():
                    accepted.setdefault(command, set()).add(option)
        for command in COMMANDS:
            shown = self.cluster.run(command, "--help").stdout
            missing = [option for option in sorted(accepted[command]) if f"--{option}" not in shown]
            self.assertEqual(missing, [], command)

    def test_options_complete(self):
        self.assertEqual(self.complete("sbatch", "--parti"), ["--partition="])
        self.assertEqual(self.complete("squeue", "--star"), ["--start"])
        self.assertIn("--hint=", self.complete("sbatch", "--"))
        self.assertIn("--quit-on-interrupt", self.complete("srun", "--"))
        self.assertNotIn("--container=", self.complete("sbatch", "--"))  # Refused.
        self.assertEqual(self.complete("berth", "submit", "--max-w"), ["--max-wait"])

    def test_names_complete_from_the_cluster(self):
        job = self.cluster.sbatch("--wrap", "sleep 300")
        self.assertEqual(self.complete("scancel", ""), [job])
        self.assertEqual(self.complete("squeue", "-j", ""), [job])
        self.cluster.run("scancel", job)
        self.assertEqual(self.complete("sbatch", "-p", ""), ["main"])
        self.assertEqual(self.complete("sbatch", "--partition", "=", "ma"), ["main"])
        self.assertEqual(self.complete("srun", "-w", "n"), ["node1", "node2"])
        self.assertEqual(self.complete("sbatch", "--qos", "="), ["normal"])
        self.assertIn("root", self.complete("squeue", "-u", "roo"))

    def test_words_complete(self):
        self.assertEqual(self.complete("scontrol", "rel"), ["release"])
        self.assertEqual(self.complete("scontrol", "show", "par"), ["partition"])
        self.assertEqual(self.complete("sacctmgr", "add", "us"), ["user"])
        self.assertEqual(self.complete("sreport", "cl"), ["cluster"])
        self.assertEqual(self.complete("sreport", "user", "T"), ["TopUsage"])
        self.assertEqual(self.complete("berth", "que"), ["queue", "queues"])

    def test_nothing_is_said_where_no_controller_answers(self):
        environment = {"BERTH_SOCKET": str(self.cluster.root / "nothing")}
        script = f"source {COMPLETION}; COMP_WORDS=(sbatch -p ''); COMP_CWORD=2; _berth_complete; echo \"${{COMPREPLY[*]}}\""
        done = self.cluster.run("bash", "-c", script, env=environment)
        self.assertEqual((done.stdout.strip(), done.stderr), ("", ""))

    def check_shell(self, complete):
        """`complete`: of words, the last of which is being typed, [(word, its text)]."""
        job = self.cluster.sbatch("-J", "tabbed", "--wrap", "sleep 300")
        self.addCleanup(self.cluster.run, "scancel", job)
        self.assertEqual(complete("sbatch", "--parti"), [("--partition=", "the partition")])
        self.assertEqual(complete("squeue", "--star"), [("--start", "when waiting jobs are planned to start, and where")])
        self.assertEqual(complete("berth", "submit", "--max-w")[0][0], "--max-wait")
        self.assertIn(("--label", "write the task's number before each line"), complete("srun", "--la"))
        self.assertEqual(complete("sbatch", "-p", "m"), [("main", "")])
        self.assertEqual(complete("sbatch", "--partition=m"), [("--partition=main", "")])
        self.assertEqual(complete("srun", "-w", "n"), [("node1", ""), ("node2", "")])
        self.assertEqual(complete("scancel", ""), [(job, "tabbed")])
        self.assertEqual(complete("scontrol", "rel"), [("release", "")])
        self.assertEqual(complete("scontrol", "show", "par"), [("partition", "")])
        self.assertEqual(complete("sacctmgr", "add", "us"), [("user", "")])
        self.assertEqual(complete("sreport", "user", "T"), [("TopUsage", "")])
        self.assertEqual([word for word, _ in complete("berth", "que")], ["queue", "queues"])

    @unittest.skipUnless(shutil.which("fish"), "SKIPPED: needs fish")
    def test_fish_offers_words_with_their_texts(self):
        def complete(*words):
            line = shlex.quote(" ".join(words))
            said = self.cluster.run("fish", "--no-config", "-c", f"source {COMPLETIONS}/berth.fish; complete -C {line}").stdout
            return [tuple((line + "\t").split("\t")[:2]) for line in said.splitlines()]

        self.check_shell(complete)

    @unittest.skipUnless(shutil.which("zsh"), "SKIPPED: needs zsh")
    def test_zsh_offers_words_with_their_texts(self):
        def complete(*words):
            given = " ".join(shlex.quote(word) for word in words)
            said = self.cluster.run("zsh", "-f", "-c", f"source {COMPLETIONS}/berth.zsh; words=({given}); CURRENT={len(words)}; _berth_candidates").stdout
            found = [tuple((line + ":").split(":")[:2]) for line in said.splitlines()]
            return [(word, text) for word, text in found if word.startswith(words[-1])]  # Zsh itself leaves the others out.

        self.check_shell(complete)


if __name__ == "__main__":
    main()
