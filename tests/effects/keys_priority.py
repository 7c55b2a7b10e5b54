"""Keys of slurm.conf that say which job comes first: Priority*, PriorityFlags, usage."""

from effect import same, see
from keys_case import PARTITIONS, USER, key

DAY = 86400
PEOPLE = {"accounts": [{"name": "bio", "shares": 3, "priority": 20, "users": [{"name": "root", "priority": 5}]},
                       {"name": "physics", "shares": 1, "users": ["backup"]}],
          "qos": [{"name": "high", "priority": 50}, {"name": "top", "priority": 100}]}
OLD_AND_NEW = {"accounts": [{"name": "all", "users": ["ann", "bob", "nobody"]}]}


# ---- The terms, as sprio has them for a waiting job.

def older_or_better(run, *lines):
    """1: the older job is first; 2: the one with the better QOS, which came five minutes later."""
    return run.first("PriorityWeightQOS=1000", *lines, yaml={"qos": [{"name": "top", "priority": 100}]}, jobs=[{}, {"at": 300, "QOS": "top"}])


@key("slurm.conf", "PriorityWeightAge", "6000000", seen="a job that has waited for longer passes one with a better QOS")
def weight_age(run):
    same(older_or_better(run), 1)


@key("slurm.conf", "PriorityMaxAge", "10", seen="five minutes' waiting is half of what can be waited for")
def max_age(run):
    same(older_or_better(run, "PriorityWeightAge=60000"), 1)


@key("slurm.conf", "PriorityCalcPeriod", "1-0", seen="what a job has waited for is not known before")
def calc_period(run):
    same(older_or_better(run, "PriorityWeightAge=6000000"), 2)


@key("slurm.conf", "PriorityWeightAssoc", "1000", seen="the user's priority counts")
def weight_assoc(run):
    run.configure(yaml=PEOPLE)
    see(int(run.priority(what="%B")) > 0)


@key("slurm.conf", "PriorityWeightFairShare", "1000", seen="the user's share counts")
def weight_fair_share(run):
    run.configure(yaml=PEOPLE)
    see(int(run.priority(what="%F")) > 0)


@key("slurm.conf", "PriorityWeightJobSize", "1000", seen="the job's size counts")
def weight_job_size(run):
    run.configure()
    same(run.priority("-N2", "-n16", what="%J"), "500")


@key("slurm.conf", "PriorityFavorSmall", "YES", seen="a quarter of the cluster counts three quarters")
def favor_small(run):
    run.configure("PriorityWeightJobSize=1000")
    same(run.priority("-n8", what="%J"), "750")


@key("slurm.conf", "PriorityWeightPartition", "1000", seen="the partition's factor counts")
def weight_partition(run):
    run.configure(partitions=[PARTITIONS[0] + " PriorityJobFactor=5"])
    same(run.priority(what="%P"), "1000")


@key("slurm.conf", "PriorityWeightQOS", "1000", seen="the QOS's priority counts")
def weight_qos(run):
    run.configure(yaml=PEOPLE)
    same(run.priority("--qos=high", what="%Q"), "500")


@key("slurm.conf", "PriorityWeightTRES", "cpu=1600", seen="what the job asks for counts")
def weight_tres(run):
    run.configure()
    see("400" in run.priority("-n4", what="%T"))


@key("slurm.conf", "PriorityType", "priority/basic", seen="who came first starts first, whatever the weights say")
def priority_type(run):
    same(run.first("PriorityWeightQOS=1000", yaml=PEOPLE | {"accounts": []}, jobs=[{}, {"QOS": "top"}]), 1)


# ---- Usage: how it is counted, and how long it is remembered.

def less_used(run, *lines, first, second, **more):
    """Of two users one had much in the beginning, the other a little ten days later: which of their next jobs is first?"""
    then = 10 * DAY
    return run.first("PriorityWeightFairShare=100000", *lines, yaml=OLD_AND_NEW, jobs=[{"at": then, "User": first}, {"at": then, "User": second}],
                     before=[{"User": "ann", "runs": 20 * 3600, "limit": 30 * 60}, {"User": "bob", "at": then - 4 * 3600, "runs": 2 * 3600, "limit": 30 * 60}],
                     **more)


@key("slurm.conf", "PriorityDecayHalfLife", "1-0", seen="what was used ten days ago hardly counts")
def decay_half_life(run):
    same(less_used(run, first="bob", second="ann"), 2)


@key("slurm.conf", "PriorityUsageResetPeriod", "WEEKLY", seen="what was used before Sunday does not count")
def usage_reset(run):
    same(less_used(run, "PriorityDecayHalfLife=0", first="bob", second="ann"), 2)


@key("slurm.conf", "FairShareDampeningFactor", "5", seen="the same usage costs less of the share")
def dampening(run):
    run.configure("PriorityFlags=NO_FAIR_TREE", yaml=PEOPLE)
    usage = "Account|User|RawUsage\nbio|root|1000\nphysics|backup|1000\n"
    run.run("berth", "usage", "clear", ok=None)
    run.run("berth", "usage", "import", stdin=usage)
    rows = [row.split("|") for row in run.out("sshare", "-a", "-P", "-h", "-o", "Account,User,FairShare").splitlines()]
    share = next(float(row[2]) for row in rows if row[1] == "root" and row[0].strip() == "bio")
    see(share > 0.85, share)


# ---- PriorityFlags.

@key("slurm.conf", "PriorityFlags", "NO_NORMAL_QOS", seen="a QOS's priority is not divided by the highest")
def flags(run):
    run.configure("PriorityWeightQOS=100", yaml=PEOPLE)
    same(run.priority("--qos=high", what="%Q"), "5000")


@key("PriorityFlags", "NO_NORMAL_QOS", "", seen="a QOS's priority is not divided by the highest")
def no_normal_qos(run):
    flags(run)


@key("PriorityFlags", "NO_NORMAL_ALL", "", seen="a QOS's priority is not divided by the highest")
def no_normal_all(run):
    flags(run)


@key("PriorityFlags", "NO_NORMAL_ASSOC", "", seen="an association's priority is not divided by the highest")
def no_normal_assoc(run):
    run.configure("PriorityWeightAssoc=100", yaml=PEOPLE)
    same(run.priority(what="%B"), "500")


@key("PriorityFlags", "NO_NORMAL_PART", "", seen="a partition's factor is not divided by the highest")
def no_normal_part(run):
    run.configure("PriorityWeightPartition=100", partitions=[PARTITIONS[0] + " PriorityJobFactor=5"])
    same(run.priority(what="%P"), "500")


@key("PriorityFlags", "NO_NORMAL_TRES", "", seen="what is asked for is not divided by what there is")
def no_normal_tres(run):
    run.configure("PriorityWeightTRES=cpu=100")
    see("400" in run.priority("-n4", what="%T"))


@key("PriorityFlags", "ACCRUE_ALWAYS", "", seen="a job that is put back into the queue is as old as its submission")
def accrue_always(run):
    jobs = [{"runs": 10 * 3600}, {"at": 3600, "runs": 600}, {"at": 5000, "runs": 600}, {"at": 3500, "runs": 600}]
    done = run.simulated("PriorityWeightAge=1000000", "SchedulerParameters=bf_max_job_test=1",
                         jobs=[job | {"limit": 24 * 60, "tres": ",gres/gpu=4"} for job in jobs],
                         nodes=["NodeName=n1 CPUs=8 RealMemory=16000 Gres=gpu:a100:4"], partitions=["PartitionName=main Nodes=n1 Default=YES"],
                         options=("--time-slice", "1:00:00", "--checkpoint", "0:10:00"))
    see(float(done[3]["first_start_s"]) > float(done[2]["end_s"]), done)  # The first, which made room for the second, goes on.


@key("PriorityFlags", "CALCULATE_RUNNING", "", seen="sprio knows running jobs")
def calculate_running(run):
    run.configure()
    job = run.fill()
    see(job in run.out("sprio", "-h", "-o", "%i").split())


@key("PriorityFlags", "INCR_ONLY", "", seen="a priority does not fall with its QOS's")
def incr_only(run):
    run.configure("PriorityWeightQOS=1000", yaml=PEOPLE)
    run.fill()
    job = run.sbatch("--qos=high")
    run.wait("its priority", lambda: int(run.squeue(job, "%Q")) >= 500, 2)
    run.run("scontrol", "update", f"JobId={job}", "QOS=normal")
    see(int(run.squeue(job, "%Q")) >= 500, run.squeue(job, "%Q"))


@key("PriorityFlags", "SMALL_RELATIVE_TO_TIME", "", seen="size is divided by the limit's minutes")
def small_relative_to_time(run):
    run.configure("PriorityWeightJobSize=1000")
    same(run.priority("-N2", "-n16", "-t", "10", what="%J"), "50")


BILLED = [PARTITIONS[0] + " TRESBillingWeights=CPU=1,Mem=1G,GRES/gpu=10"]


def billing(run):
    run.configure(partitions=BILLED)
    return run.output("scontrol show job $SLURM_JOB_ID | grep AllocTRES | grep -o 'billing=[0-9]*'", "-c2", "--mem=3G", "--gpus=1")


@key("PriorityFlags", "MAX_TRES", "", seen="only the most expensive resource is billed")
def max_tres(run):
    same(billing(run), "billing=10")


@key("PriorityFlags", "MAX_TRES_GRES", "", seen="the most expensive of a node's resources is billed, and all GRES")
def max_tres_gres(run):
    same(billing(run), "billing=13")


TREE = {"accounts": [{"name": "big", "shares": 10}, {"name": "team", "parent": "big", "shares": 1, "users": ["root"]},
                     {"name": "rest", "parent": "big", "shares": 9, "users": ["backup"]}, {"name": "small", "shares": 1, "users": [USER]}]}
TREE_USED = f"Account|User|RawUsage\nteam|root|3000\nrest|backup|100\nsmall|{USER}|1000\n"


def fair_shares(run, *lines):
    run.configure(*lines, yaml=TREE)
    run.run("berth", "usage", "clear", ok=None)
    run.run("berth", "usage", "import", stdin=TREE_USED)
    rows = [row.split("|") for row in run.out("sshare", "-a", "-P", "-h", "-o", "User,FairShare").splitlines()]
    return {user: float(share) for user, share in rows if user and share}


@key("PriorityFlags", "NO_FAIR_TREE", "", seen="who has used far more than his share has next to nothing, and not the last rank")
def no_fair_tree(run):
    see(fair_shares(run)["root"] < 0.01)


@key("PriorityFlags", "DEPTH_OBLIVIOUS", "", seen="who is deep in the tree has more than without it")
def depth_oblivious(run):
    see(fair_shares(run, "PriorityFlags=NO_FAIR_TREE")["backup"] > 0.6)
