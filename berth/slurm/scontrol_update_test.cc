#include "berth/slurm/scontrol_update.h"

#include <gtest/gtest.h>

#include <sstream>

#include "berth/client/toy_server.h"
#include "berth/slurm/admin_commands.h"

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
        EXPECT_EQ(update->job.reservation, "r1");
    }
}

TEST(ScontrolUpdate, RefusesWordsThatNameNothing) {
    const auto update = parse_update({"TimeLimit=5"}, Time{});
    ASSERT_FALSE(update.ok());
    EXPECT_EQ(update.error().message,
              "No valid entity in update command; begin with JobId= or NodeName=");
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

}  // namespace
}  // namespace berth::slurm
