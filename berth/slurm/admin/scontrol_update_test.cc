#include "berth/slurm/admin/scontrol_update.h"

#include <gtest/gtest.h>

#include <sstream>

#include "berth/client/toy_server.h"
#include "berth/slurm/admin/admin_commands.h"

namespace berth::slurm {
namespace {

using Strings = std::vector<std::string>;

TEST(ScontrolUpdate, KnowsWhatIsToBeChanged) {
    struct Case {
        Strings words;
        Updated updated;
    };
    const Case cases[] = {
        {{"JobId=7", "ReservationName=r1"}, Updated::job_or_node},
        {{"ReservationName=r1", "JobId=7"}, Updated::job_or_node},
        {{"partition=debug", "job=7"}, Updated::job_or_node},
        {{"State=DRAIN", "NodeName=n1"}, Updated::job_or_node},
        {{"ReservationName=r1", "Duration=60"}, Updated::reservation},
        {{"PartitionName=main", "Reservation=r1"}, Updated::reservation},
        {{"PartitionName=main", "State=DOWN"}, Updated::partition},
        {{"State=DOWN", "PartitionName=main"}, Updated::partition},
        {{"partition", "main"}, Updated::partition},
        {{"TimeLimit=5"}, Updated::job_or_node},  // For parse_update to refuse.
    };
    for (const Case& one : cases)
        EXPECT_EQ(what_is_updated(one.words), one.updated) << one.words.front();
}

TEST(ScontrolUpdate, AJobMovesToAReservationWhicheverIsNamedFirst) {
    for (const Strings& words :
         {Strings{"JobId=7", "ReservationName=r1"}, Strings{"ReservationName=r1", "JobId=7"}}) {
        const auto update = parse_update(words, Time{});
        ASSERT_TRUE(update.ok()) << update.error().message;
        EXPECT_EQ(update->names, Strings{"7"});
        EXPECT_EQ(update->job.patch.reservation, "r1");
    }
}

TEST(ScontrolUpdate, RefusesWordsThatNameNothing) {
    const auto update = parse_update({"TimeLimit=5"}, Time{});
    ASSERT_FALSE(update.ok());
    EXPECT_EQ(update.error().message,
              "No valid entity in update command; begin with JobId=, JobName=, StepId= "
              "or NodeName=");
}

// What one word changes of a job; where it is refused, the error.
std::string change_by(const std::string& word) {
    const auto update = parse_update({"JobId=7", word}, Time(std::chrono::hours(1000)));
    if (!update.ok()) return update.error().message;
    std::string changed;
    api::JobPatch::fields(update->job.patch, [&](std::string_view name, const auto& value) {
        if (value) changed += (changed.empty() ? "" : " ") + std::string(name);
    });
    if (update->job.end) changed += "end";
    return changed;
}

TEST(ScontrolUpdate, TakesSlurmsKeysOfJobs) {
    const std::pair<const char*, const char*> cases[] = {
        {"Account=lab", "account"},
        {"WorkDir=/tmp", "work_dir"},
        {"WCKey=x", "wckey"},
        {"EndTime=now+1hour", "end"},
        {"Gres=gpu:2", "gres"},
        {"gres=", "gres"},
        {"Gres=gpu:a:x", "Invalid Gres value: gpu:a:x"},
        {"TasksPerNode=2", "tasks_per_node"},
        {"TasksPerNode=0", "Invalid TasksPerNode value: 0"},
        {"MinTmpDiskNode=10G", "tmp_disk"},
        {"ReqSockets=0", "sockets"},
        {"ReqCores=4", "cores_per_socket"},
        {"ReqThreads=2", "threads_per_core"},
        {"OverSubscribe=YES", "oversubscribe"},
        {"Shared=0", "oversubscribe"},
        {"Shared=maybe", "Invalid Shared value: maybe"},
        {"Prefer=ib&ssd", "prefer"},
        {"Prefer=", "prefer"},
        {"Prefer=ib|ssd",
         "--prefer=ib|ssd is not supported: it takes features with & between them"},
        {"wait-for-switch=60", "switches_wait"},
        {"ReqNodes=2-4", "nodes_min nodes_max"},
    };
    for (const auto& [word, changed] : cases) EXPECT_EQ(change_by(word), changed) << word;
}

TEST(ScontrolUpdate, TakesKeysThatAreShortened) {
    EXPECT_EQ(change_by("timel=5"), "time_limit");
    EXPECT_EQ(change_by("excn=n1"), "exclude");
    EXPECT_EQ(change_by("Name=x"), "name");
    EXPECT_EQ(change_by("Ti=5"), "Update of this parameter is not supported: Ti=5");
    EXPECT_EQ(change_by("Time=5"), "Update of this parameter is not supported: Time=5");
    EXPECT_EQ(change_by("Req=5"), "Update of this parameter is not supported: Req=5");
}

TEST(ScontrolUpdate, NamesWhatToUseInsteadOfKeysThatAreSlurmsAlone) {
    EXPECT_EQ(change_by("NumCPUs=4"), "NumCPUs=4 is not supported: use NumTasks and CPUsPerTask");
    EXPECT_EQ(change_by("AdminComment=x"), "admin_comment");
    EXPECT_EQ(change_by("Nonsense=1"), "Update of this parameter is not supported: Nonsense=1");
}

// The first line of what scontrol with these words asks for.
std::string asked_by(const Strings& words) {
    std::string asked;
    ToyServer server([&](int fd, int) {
        for (std::string one; !(one = ToyServer::read_request(fd)).empty();) {
            asked += one.substr(0, one.find(" HTTP"));
            ToyServer::respond(fd, 200, "{}");
        }
    });
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    run_scontrol(
        {.name = "scontrol", .arguments = words, .environment = {{"BERTH_SOCKET", server.path()}}},
        streams);
    server.stop();
    return asked.empty() ? err.str() : asked;
}

TEST(ScontrolUpdate, ChoosesJobsByTheirNameWithoutAnId) {
    const auto asked = [](const Strings& words) {
        Strings all = {"update"};
        all.insert(all.end(), words.begin(), words.end());
        return asked_by(all);
    };
    EXPECT_EQ(asked({"JobName=train", "Nice=5"}).substr(0, 13), "GET /v1/jobs?");
    const std::string of_ann = asked({"JobName=train", "UserID=ann", "Nice=5"});
    EXPECT_NE(of_ann.find("name=train"), std::string::npos) << of_ann;
    EXPECT_NE(of_ann.find("user=ann"), std::string::npos) << of_ann;
    EXPECT_EQ(asked({"JobId=12", "JobName=train"}).substr(0, 5), "PATCH") << "its new name";
    EXPECT_NE(asked({"JobId=12", "UserID=ann", "Nice=5"}).find("goes with JobName="),
              std::string::npos);
    EXPECT_NE(asked({"UserID=ann", "Nice=5"}).find("No valid entity"), std::string::npos);
}

TEST(ScontrolCreate, AReservationMayBeOfAPartition) {
    const Strings rest = {"StartTime=now", "Duration=60", "Nodes=ALL", "Users=root"};
    const auto with = [&](Strings words) {
        words.insert(words.begin(), "create");
        words.insert(words.end(), rest.begin(), rest.end());
        return words;
    };
    EXPECT_EQ(asked_by(with({"reservation", "PartitionName=main"})), "POST /v1/reservations");
    EXPECT_EQ(asked_by(with({"ReservationName=r", "PartitionName=main"})), "POST /v1/reservations");
    EXPECT_EQ(asked_by(with({"PartitionName=main", "ReservationName=r"})), "POST /v1/reservations");
    EXPECT_EQ(asked_by({"create", "PartitionName=main", "Nodes=n1"}), "POST /v1/partitions");
}

TEST(Update, ReadsItsKeys) {
    const auto job =
        parse_update({"JobId=3,4", "TimeLimit=+10", "priority=5", "ArrayTaskThrottle=2"}, Time{});
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(job.value().names, (std::vector<std::string>{"3", "4"}));
    EXPECT_EQ(job.value().job.time_limit_by, std::chrono::minutes(10));
    EXPECT_EQ(job.value().job.patch.priority, 5U);
    EXPECT_EQ(parse_update({"JobId=3", "Requeue=0"}, Time{})->job.patch.requeue, false);
    EXPECT_EQ(parse_update({"JobId=3", "requeue=1"}, Time{})->job.patch.requeue, true);
    const auto node =
        parse_update({"NodeName=gpu[1-2]", "state=undrain", "Reason=bad fan"}, Time{});
    ASSERT_TRUE(node.ok());
    EXPECT_EQ(node.value().names.size(), 2U);
    EXPECT_EQ(node.value().node->state, "RESUME");
    for (const auto& wrong :
         std::vector<std::vector<std::string>>{{},
                                               {"TimeLimit=5"},
                                               {"JobId=1"},
                                               {"JobId=1", "Colour=red"},
                                               {"JobId=1", "nice"},
                                               {"JobId=1", "Requeue=soon"},
                                               {"NodeName=a", "State=HAPPY"},
                                               {"PartitionName=p", "State=UP"}}) {
        EXPECT_FALSE(parse_update(wrong, Time{}).ok());
    }
}

TEST(Update, ReadsWhatAWaitingJobAsksFor) {
    const auto update = parse_update(
        {"JobId=3", "Licenses=matlab:2", "TimeMin=10", "ReservationName=course", "Switches=2@1:00",
         "Features=ib", "NumNodes=2-4", "NumTasks=8", "MinMemoryNode=4G", "ExcNodeList=gpu[1-2]",
         "Contiguous=yes", "Deadline=2026-01-01T00:00"},
        Time{});
    ASSERT_TRUE(update.ok()) << update.error().message;
    const api::JobPatch& job = update.value().job.patch;
    EXPECT_EQ(job.licenses, "matlab:2");
    EXPECT_EQ(job.time_min, "10");
    EXPECT_EQ(job.reservation, "course");
    EXPECT_EQ(job.switches, 2U);
    EXPECT_EQ(job.switches_wait, std::chrono::minutes(1));
    EXPECT_EQ(job.features, "ib");
    EXPECT_EQ(job.nodes_min, 2U);
    EXPECT_EQ(job.nodes_max, 4U);
    EXPECT_EQ(job.tasks, 8U);
    EXPECT_EQ(job.memory_per_node, std::int64_t{4} << 30);
    EXPECT_EQ(job.exclude, (std::vector<std::string>{"gpu1", "gpu2"}));
    EXPECT_EQ(job.contiguous, true);
    EXPECT_TRUE(job.deadline);
    for (const char* wrong : {"Licenses=:2", "TimeMin=soon", "Switches=-1", "Switches=1@x",
                              "NumNodes=none", "NumTasks=0", "MinMemoryCPU=much", "Deadline=never",
                              "Contiguous=perhaps", "TresPerNode=gpu:2"}) {
        EXPECT_FALSE(parse_update({"JobId=3", wrong}, Time{}).ok()) << wrong;
    }
}

}  // namespace
}  // namespace berth::slurm
