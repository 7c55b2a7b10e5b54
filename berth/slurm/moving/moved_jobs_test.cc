#include "berth/slurm/moving/moved_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

const Time kJobsMovedAt = Time(std::chrono::hours(24 * 365 * 50));

// As Slurm 22.05 prints it, with parts that a case replaces.
std::string job_record(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    std::string text =
        "JobId=7 JobName=train it UserId=games(5) GroupId=games(60) MCS_label=N/A Priority=4 "
        "Nice=0 Account=physics QOS=high JobState=PENDING Reason=Resources Dependency=(null) "
        "Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0 RunTime=00:00:00 "
        "TimeLimit=01:30:00 TimeMin=N/A SubmitTime=2019-11-20T23:41:52 "
        "EligibleTime=2019-11-20T23:41:52 StartTime=Unknown EndTime=Unknown Deadline=N/A "
        "Partition=main AllocNode:Sid=vm:4505 ReqNodeList=(null) ExcNodeList=(null) NodeList= "
        "NumNodes=2-2 NumCPUs=8 NumTasks=4 CPUs/Task=2 ReqB:S:C:T=0:0:*:* "
        "TRES=cpu=8,mem=16000M,node=2,billing=8,gres/gpu=2 Socks/Node=* NtasksPerN:B:S:C=2:0:*:* "
        "CoreSpec=* MinCPUsNode=4 MinMemoryCPU=2000M MinTmpDiskNode=0 Features=a100 "
        "DelayBoot=00:00:00 OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null) "
        "Command=/home/games/train.sh 3 four WorkDir=/home/games StdErr=/home/games/slurm-7.out "
        "StdIn=/dev/null StdOut=/home/games/slurm-7.out Power= TresPerNode=gres:gpu:1 "
        "MailUser=games MailType=END,FAIL \n";
    for (const auto& [from, to] : changes) {
        const std::size_t where = text.find(from);
        EXPECT_NE(where, std::string::npos) << from;
        text.replace(where, from.size(), to);
    }
    return text;
}

JobTexts texts_with(std::string_view records) {
    const std::string script = "#!/bin/sh\n#SBATCH --signal=TERM\ntrue\n";
    return {.records = records,
            .owners = {{7, "games"}, {8, "games"}, {9, "news"}},
            .scripts = {{7, script}, {8, script}, {9, "#!/bin/sh\n#SBATCH -G2 -o x.%j\n"}}};
}

MovedJobs moved_of(const std::string& records, MovedState state = MovedState::jobs) {
    return read_moved_jobs(texts_with(records), state, kJobsMovedAt);
}

std::string said_of(const MovedJobs& moved) {
    std::string text;
    for (const Remark& one : moved.remarks) text += one.message + "\n";
    return text;
}

TEST(MovedJobs, ReadsWhatSlurmPrints) {
    const MovedJobs moved = moved_of(job_record());
    EXPECT_EQ(said_of(moved), "");
    ASSERT_EQ(moved.jobs.size(), 1U);
    const MovedJob& job = moved.jobs.front();
    EXPECT_EQ(job.id, 7U);
    EXPECT_EQ(job.user, "games");
    EXPECT_EQ(job.uid, 5U);
    EXPECT_EQ(job.script_name, "train.sh");
    EXPECT_EQ(job.arguments, (std::vector<std::string>{"3", "four"}));
    EXPECT_EQ(
        job.options(),
        (std::vector<std::string>{
            "--job-name=train it", "--account=physics", "--qos=high", "--partition=main",
            "--chdir=/home/games", "--constraint=a100", "--mail-user=games", "--time=01:30:00",
            "--nodes=2-2", "--ntasks=4", "--cpus-per-task=2", "--ntasks-per-node=2",
            "--mem-per-cpu=2000M", "--gres=gpu:1", "--requeue", "--mail-type=END,FAIL"}));
}

// Options that one change of the record adds, or takes away.
TEST(MovedJobs, ReadsEachField) {
    struct Case {
        std::pair<std::string, std::string> change;
        std::string option;
        bool is_there = true;
    };
    const std::string later = local_time(kJobsMovedAt + std::chrono::hours(1), "");
    const Case cases[] = {
        {{"TimeLimit=01:30:00", "TimeLimit=UNLIMITED"}, "--time=UNLIMITED"},
        {{"TimeMin=N/A", "TimeMin=00:10:00"}, "--time-min=00:10:00"},
        {{"Reason=Resources", "Reason=JobHeldUser"}, "--hold"},
        {{"Requeue=1", "Requeue=0"}, "--no-requeue"},
        {{"Nice=0", "Nice=30"}, "--nice=30"},
        {{"OverSubscribe=OK", "OverSubscribe=NO"}, "--exclusive"},
        {{"C=2:0:*:*", "C=2:0:4:*"}, "--ntasks-per-socket=4"},
        {{"C=2:0:*:*", "C=2:0:*:1"}, "--ntasks-per-core=1"},
        {{"Contiguous=0", "Contiguous=1"}, "--contiguous"},
        {{"ReqNodeList=(null)", "ReqNodeList=gpu[1-2]"}, "--nodelist=gpu[1-2]"},
        {{"ExcNodeList=(null)", "ExcNodeList=gpu3"}, "--exclude=gpu3"},
        {{"NumNodes=2-2", "NumNodes=2"}, "--nodes=2-2", false},
        {{"MinMemoryCPU=2000M", "MinMemoryNode=8G"}, "--mem=8G"},
        {{"Power=", "Power= Comment=it is late"}, "--comment=it is late"},
        {{"JobName=", "ArrayJobId=7 ArrayTaskId=1-9%2 ArrayTaskThrottle=2 JobName="},
         "--array=1-9%2"},
        {{"TresPerNode=gres:gpu:1", "TresPerJob=gres/gpu:a100:4"}, "--gpus=a100:4"},
        {{"TresPerNode=gres:gpu:1", "TresPerTask=cpu=2,gres/gpu=1"}, "--gpus-per-task=1"},
        {{"StdOut=/home/games/slurm-7.out", "StdOut=/data/7.log"}, "--output=/data/7.log"},
        {{"Reason=Resources", "Reason=Dependency"}, "--hold", false},
        {{"EligibleTime=2019-11-20T23:41:52", "EligibleTime=" + later}, "--begin=" + later, false},
    };
    for (const Case& one : cases) {
        const MovedJobs moved = moved_of(job_record({one.change}));
        EXPECT_EQ(said_of(moved), "") << one.option;
        ASSERT_EQ(moved.jobs.size(), 1U) << one.option;
        const auto options = moved.jobs.front().options();
        const bool is_there = std::ranges::find(options, one.option) != options.end();
        EXPECT_EQ(is_there, one.is_there) << one.option;
    }
    const MovedJobs on_sockets =
        moved_of(job_record({{"TresPerNode=gres:gpu:1", "TresPerSocket=gres/gpu:2"},
                             {"Socks/Node=*", "Socks/Node=2"}}));
    ASSERT_EQ(on_sockets.jobs.size(), 1U);
    EXPECT_EQ(said_of(on_sockets), "");
    const auto near = on_sockets.jobs.front().options();
    EXPECT_NE(std::ranges::find(near, "--gpus-per-socket=2"), near.end());
    EXPECT_NE(std::ranges::find(near, "--sockets-per-node=2"), near.end());
    const MovedJobs begun =
        moved_of(job_record({{"EligibleTime=2019-11-20T23:41:52", "EligibleTime=" + later},
                             {"Reason=Resources", "Reason=BeginTime"}}));
    ASSERT_EQ(begun.jobs.size(), 1U);
    const auto options = begun.jobs.front().options();
    EXPECT_NE(std::ranges::find(options, "--begin=" + later), options.end());
}

TEST(MovedJobs, LeavesToTheScriptWhatItSays) {
    const MovedJobs moved =
        moved_of(job_record({{"JobId=7", "JobId=9"},
                             {"games(5)", "news(9)"},
                             {"StdOut=/home/games/slurm-7.out", "StdOut=/home/games/x.9"}}));
    ASSERT_EQ(moved.jobs.size(), 1U) << said_of(moved);
    for (const std::string& option : moved.jobs.front().options()) {
        EXPECT_FALSE(option.starts_with("--gres")) << "the script has -G2";
        EXPECT_FALSE(option.starts_with("--output")) << "and -o";
    }
}

// The record shows it, and no option takes it over: a line of its own says so.
TEST(MovedJobs, NamesWhatIsLeftToTheScript) {
    struct Case {
        std::pair<std::string, std::string> change;
        std::string says;
    };
    const std::string left = " counts as far as its script asks for it\n";
    const Case cases[] = {
        {{"Reboot=0", "Reboot=1"}, "Reboot=1" + left},
        {{"Network=(null)", "Network=sn_all"}, "Network=sn_all" + left},
        {{"Socks/Node=*", "Socks/Node=2"}, "Socks/Node=2" + left},
        {{"DelayBoot=00:00:00", "DelayBoot=00:05:00"}, "DelayBoot=00:05:00" + left},
        {{"ReqB:S:C:T=0:0:*:*", "ReqB:S:C:T=0:2:4:*"}, "ReqB:S:C:T=0:2:4:*" + left},
        {{"C=2:0:*:*", "C=2:2:*:*"}, "NtasksPerN:B:S:C=2:2:*:*" + left},
        {{"C=2:0:*:*", "C=2:0:*:1"}, ""},
        {{"MinCPUsNode=4", "MinCPUsNode=5"}, "MinCPUsNode=5" + left},
        {{"MinCPUsNode=4", "MinCPUsNode=2"}, ""},
        {{"TresPerNode=gres:gpu:1", "TresPerJob=license/x:1"}, "TresPerJob=license/x:1" + left},
        {{"TresPerNode=gres:gpu:1", "TresPerTask=cpu=2,gres/nic=1"},
         "TresPerTask=gres/nic=1" + left},
        {{"Power=", "Extra=rack"}, "Extra=rack is left out\n"},
        {{"MCS_label=N/A", "MCS_label=secret"}, "MCS_label=secret is left out\n"},
    };
    for (const Case& one : cases) {
        const MovedJobs moved = moved_of(job_record({one.change}));
        const std::string says = one.says.empty() ? "" : "job 7 (games, train it): " + one.says;
        EXPECT_EQ(said_of(moved), says) << one.change.second;
        EXPECT_EQ(moved.jobs.size(), 1U) << one.change.second;
    }
}

TEST(MovedJobs, NamesEachJobThatDoesNotMove) {
    struct Case {
        std::vector<std::pair<std::string, std::string>> changes;
        std::string says;
    };
    const std::string name = "job 7 (games, train it): ";
    const Case cases[] = {
        {{{"JobState=PENDING", "JobState=COMPLETED"}}, ""},
        {{{"JobState=PENDING", "JobState=RUNNING"}},
         name + "it runs: it stays with Slurm until it ends\n"},
        {{{"JobId=7", "JobId=70"}}, "job 70: the file of owners does not have it\n"},
        {{{"games(5)", "root(0)"}}, "job 7: its owner is games, and its record says root(0)\n"},
        {{{"games(5)", "games"}}, "job 7: its owner is games, and its record says games\n"},
        {{{"train it", "x UserId=root(0)"}},
         "job 7: UserId stands in it twice: a name or a comment looks like another key\n"},
        {{{"train it", std::string("x\0y", 3)}}, "job 7: it has a zero byte\n"},
        {{{"BatchFlag=1", "BatchFlag=0"}},
         name + "it has no script: its owner calls srun or salloc again\n"},
        {{{"JobName", "HetJobId=7 HetJobOffset=0 JobName"}},
         name + "a heterogeneous job is submitted again by hand\n"},
        {{{"CoreSpec=*", "CoreSpec=2"}}, name + "CoreSpec=2 is not supported\n"},
        {{{"Dependency=(null)", "Dependency=afterok:3(unfulfilled)"}},
         "job 7 (games): it waits for job 3, which does not move\n"},
        {{{"Dependency=(null)", "Dependency=afterok:x"}},
         "job 7 (games): Dependency=afterok:x should be a kind and numbers of jobs\n"},
        {{{"JobId=7", "JobId=none"}}, "job: a job has a number\n"},
    };
    for (const Case& one : cases) {
        const MovedJobs moved = moved_of(job_record(one.changes));
        EXPECT_EQ(said_of(moved), one.says);
        EXPECT_TRUE(moved.jobs.empty()) << one.says;
    }
    const std::string wrong_array =
        said_of(moved_of(job_record({{"JobName=", "ArrayJobId=7 ArrayTaskId=1,2,... JobName="}})));
    EXPECT_TRUE(wrong_array.starts_with(name + "--array=1,2,...: ")) << wrong_array;
    EXPECT_EQ(said_of(moved_of(job_record() + job_record())),
              "job 7: its number stands in the file twice\n"
              "job 7: its number stands in the file twice\n");
    JobTexts without = texts_with("");
    const std::string records = job_record();
    without.records = records;
    without.scripts.clear();
    EXPECT_EQ(said_of(read_moved_jobs(without, MovedState::jobs, kJobsMovedAt)),
              name + "its script is not there: job-7.sh\n");
}

TEST(MovedJobs, BeginsRunningJobsAgainIfTheyMayBeRequeued) {
    const std::string runs = job_record({{"JobState=PENDING", "JobState=RUNNING"}});
    const MovedJobs moved = moved_of(runs, MovedState::running);
    EXPECT_EQ(said_of(moved),
              "job 7 (games, train it): it runs: it begins again here, held; release it once Slurm "
              "has ended it\n");
    ASSERT_EQ(moved.jobs.size(), 1U);
    EXPECT_EQ(moved.jobs.front().options().back(), "--hold");
    const MovedJobs stays =
        moved_of(job_record({{"JobState=PENDING", "JobState=RUNNING"}, {"Requeue=1", "Requeue=0"}}),
                 MovedState::running);
    EXPECT_EQ(said_of(stays),
              "job 7 (games, train it): it runs and may not be requeued: it stays with Slurm until "
              "it ends\n");
    EXPECT_TRUE(stays.jobs.empty());
    EXPECT_TRUE(moved_of(runs, MovedState::no).jobs.empty());
}

TEST(MovedJobs, WaitsForTheJobsThatMoved) {
    const MovedJobs moved = moved_of(
        job_record({{"JobId=7", "JobId=8"},
                    {"Dependency=(null)", "Dependency=afterok:7(unfulfilled),singleton"}}) +
        job_record());
    EXPECT_EQ(said_of(moved), "");
    ASSERT_EQ(moved.jobs.size(), 2U);
    EXPECT_EQ(moved.jobs[0].id, 7U) << "what is waited for comes first";
    const auto here = moved_dependency(moved.jobs[1].dependency, {{7, "40"}});
    ASSERT_TRUE(here.ok());
    EXPECT_EQ(*here, "afterok:40,singleton");
    EXPECT_EQ(*moved_dependency("afterany:7_*(unfulfilled)?after:8_3+5", {{7, "1"}, {8, "2"}}),
              "afterany:1?after:2_3+5");
    EXPECT_EQ(*moved_dependency("", {}), "");
}

TEST(MovedJobs, ReadsWhoOwnsThem) {
    const auto owners = read_job_owners("7|games\n 8|news\n\n7|games\n");
    ASSERT_TRUE(owners.ok());
    EXPECT_EQ(*owners, (JobOwners{{7, "games"}, {8, "news"}}));
    for (const char* wrong :
         {"7\n", "7|\n", "x|games\n", "0|games\n", "7|a|b\n", "99999999999|a\n"})
        EXPECT_EQ(read_job_owners(wrong).error().message.substr(0, 8), "line 1: ") << wrong;
}

}  // namespace
}  // namespace berth::slurm
