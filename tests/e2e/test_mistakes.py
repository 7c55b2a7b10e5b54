"""Mistakes of a beginner: each answer names what was wrong and what would be right.

    tests/e2e/test_mistakes.py --print    the table: what was typed and what was answered
"""

import sys
import unittest

from cluster import Cluster, main

SCRIPTS = {
    "noshebang.sh": "echo hi\n",
    "crlf.sh": "#!/bin/bash\r\necho hi\r\n",
    "unknown.sh": "#!/bin/bash\n#SBATCH --gpus 1\n#SBATCH --nosuch=1\ntrue\n",
    "valueless.sh": "#!/bin/bash\n#SBATCH --time\ntrue\n",
    "empty.sh": "",
}

# What is typed, words of the mistake that the answer must have, and words of the remedy, which do not
# stand in what was typed.
MISTAKES = [
    ("sbatch nosuch.sh", ["nosuch.sh"], "--wrap"),
    ("sbatch empty.sh", ["empty"], "#!/bin/bash"),
    ("sbatch --gpus=9 --wrap true", ["9"], "8 per node"),
    ("sbatch --gpus=a100:x --wrap true", ["--gpus"], "a100:2"),
    ("sbatch --gpus=h100:1 --wrap true", ["type of GPU"], "gpu:a100"),
    ("sbatch --gres=gpus:1 --wrap true", ["gpus"], "gpu:a100"),
    ("sbatch --gres=gpu:9 --wrap true", ["9"], "8 per node"),
    ("sbatch -N3-1 --wrap true", ["1", "3"], "2-4"),
    ("sbatch -N0 --wrap true", ["Node count"], "2-4"),
    ("sbatch -n17 --wrap true", ["17"], "16 per node"),
    ("sbatch -c100 --wrap true", ["100"], "largest has 16"),
    ("sbatch --mem=10T --wrap true", ["Memory", "10T"], "the largest has"),
    ("sbatch --mem=lots --wrap true", ["--mem"], "4G"),
    ("sbatch -t soon --wrap true", ["--time"], "1:30:00"),
    ("sbatch -t 1:2:3:4 --wrap true", ["--time"], "2-12"),
    ("sbatch -p gpu --wrap true", ["gpu"], "there are: main"),
    ("sbatch -q high --wrap true", ["high"], "there are: normal"),
    ("sbatch -d afterok:9999 --wrap true", ["9999"], "ended less than"),
    ("sbatch -d after-ok:1 --wrap true", ["dependency"], "afterok:12"),
    ("sbatch -a 5-1 --wrap true", ["array"], "1,3,5-7"),
    ("sbatch -a 0-99999999 --wrap true", ["array"], "1,3,5-7"),
    ("sbatch --begin=someday --wrap true", ["--begin"], "now+1hour"),
    ("sbatch --deadline=2020-01-01 --wrap true", ["deadline"], "name a later one"),
    ("sbatch -w nosuch --wrap true", ["nosuch"], "there are: "),
    ("sbatch -C nosuch --wrap true", ["nosuch"], "there are: none"),
    ("sbatch --reservation=nosuch --wrap true", ["nosuch"], "open to this job: none"),
    ("sbatch -L matlab:1 --wrap true", ["matlab"], "there are: none"),
    ("sbatch -D /nosuch --wrap true", ["/nosuch", "No such file"], "unless the job's node can"),
    ("sbatch -o /nosuch/dir/out --wrap true", ["/nosuch/dir", "No such file"], "unless the job's node can"),
    ("sbatch --gpu --wrap true", ["is ambiguous"], "--gpus-per-node"),
    ("sbatch --tme=5 --wrap true", ["--tme"], "--time"),
    ("sbatch --wrap true script.sh", ["--wrap"], "either a script or"),
    ("sbatch noshebang.sh", ["batch script"], "#!/bin/sh"),
    ("sbatch crlf.sh", ["DOS"], "dos2unix"),
    ("sbatch unknown.sh", ["--nosuch", "line 3"], "sbatch --help"),
    ("sbatch valueless.sh", ["--time", "line 2", "requires an argument"], "1:30:00"),
    ("sbatch --signal=HELLO@60 --wrap true", ["signal"], "USR1@60"),
    ("sbatch --open-mode=w --wrap true", ["open-mode"], "append or truncate"),
    ("sbatch --gpu-bind=blah --gpus=1 --wrap true", ["gpu-bind"], "closest"),
    ("srun nosuchprogram", ["nosuchprogram"], "No such file"),
    ("srun -n20 hostname", ["20"], "16 per node"),
    ("srun --gpus=9 hostname", ["9"], "8 per node"),
    ("srun", ["command"], "srun -n2 hostname"),
    ("squeue -j abc", ["abc"], "12_3"),
    ("squeue -t RUNING", ["RUNING"], "RUNNING"),
    ("squeue -w nosuch", ["nosuch"], "the nodes are"),
    ("squeue --formt=%i", ["--formt"], "--format"),
    ("scancel", ["job"], "--user"),
    ("scancel abc", ["abc"], "12_3"),
    ("scontrol show job 99999", ["Invalid job id"], "sacct"),
    ("scontrol show jb 1", ["jb"], "mean job?"),
    ("scontrol update JobId=1 TimeLimt=5", ["TimeLimt"], "TimeLimit"),
    ("scontrol update NodeName=nosuch State=DRAIN", ["node name"], "the nodes are"),
    ("sacct --format=JobIDD", ["JobIDD"], "mean JobID?"),
    ("sacctmgr show nosuch", ["QOS"], "Account"),
    ("berth quue", ["quue"], "queue"),
    ("berth queue --jsn", ["--jsn"], "--json"),
    ("berth why 99999", ["99999"], "berth queue --all"),
    ("berth cancel abc", ["abc"], "12_3"),
    ("berth up --simulate-gpus foo", ["foo"], "a100:8"),
    ("berth up --simulate-gpus a100:-3", ["a100:-3"], "a100:8"),
    ("berth up --simulate-gpus a100:4", ["--simulate-gpus"], "--replace-config"),
    ("berth sim run --trace nosuch --cluster nosuch.yaml", ["nosuch"], "slurm.conf"),
    ("berth submit --gpus", ["--gpus"], "a100:2"),
]
# These are warned of and taken: the file may be there by the time the job starts.
TAKEN = ("sbatch -D /nosuch --wrap true", "sbatch -o /nosuch/dir/out --wrap true")


def all_typed(typed):
    """The command line, and the scripts that it names."""
    return "\n".join([typed, *(text for name, text in SCRIPTS.items() if name in typed.split())])


def answer(cluster, typed):
    for name, text in SCRIPTS.items():
        (cluster.work / name).write_text(text, newline="")
    words = typed.split(" ")
    return cluster.run(*words, check=False, env={"BERTH_ADVICE": "yes"})


class Mistakes(unittest.TestCase):
    def test_no_remedy_stands_in_what_was_typed(self):
        for typed, _, remedy in MISTAKES:
            with self.subTest(typed):
                self.assertNotIn(remedy.lower(), all_typed(typed).lower())

    def test_each_is_answered_by_what_was_wrong_and_what_would_be_right(self):
        with Cluster("a100:8") as cluster:
            for typed, mistake, remedy in MISTAKES:
                with self.subTest(typed):
                    done = answer(cluster, typed)
                    said = done.stdout + done.stderr
                    self.assertEqual(done.returncode != 0, typed not in TAKEN, said)
                    missing = [words for words in [*mistake, remedy] if words.lower() not in said.lower()]
                    self.assertEqual(missing, [], said)


def print_all():
    with Cluster("a100:8") as cluster:
        for typed, _, _ in MISTAKES:
            done = answer(cluster, typed)
            print(f"$ {typed}\n{done.stdout}{done.stderr}[exit {done.returncode}]")


if __name__ == "__main__":
    print_all() if "--print" in sys.argv else main()
