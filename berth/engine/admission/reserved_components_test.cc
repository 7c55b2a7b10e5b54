// Heterogeneous jobs in reservations: components without a time limit get what is left of theirs.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/engine/plan/plan_check.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

using std::chrono::hours, std::chrono::minutes, std::chrono::seconds;

class ReservedComponents : public ::testing::Test {
protected:
    ReservedComponents() {
        ClusterSpec spec = testing::make_cluster(3);
        spec.partitions[0].default_time = hours(1);
        spec.scheduling.kill_wait = Duration{};
        engine_ = testing::make_engine(std::move(spec), began_);
    }

    // The first two nodes, for half an hour.
    void reserve(Duration from_now) {
        Reservation reservation{.name = "class", .start = now_ + from_now};
        reservation.end = reservation.start + minutes(30);
        for (const std::uint32_t node : {0U, 1U}) {
            reservation.amounts.emplace_back(NodeId(node),
                                             engine_.state().spec().nodes[node].capacity);
        }
        reservation.users = {"ann"};
        engine_.apply(now_, ReservationSet{reservation});
    }
    // One component of four GPUs for each reservation. Returns the first.
    JobId submit(const std::vector<std::string>& reservations,
                 std::optional<Duration> limit = std::nullopt) {
        const JobId first = engine_.state().next_job_id();
        const auto size = static_cast<std::uint32_t>(reservations.size());
        for (std::uint32_t i = 0; i < size; ++i) {
            JobSpec spec = testing::make_job({.gpus = 4});
            spec.request.edit().time_limit = limit;
            spec.request.edit().reservation = reservations[i];
            const Principal ann{.uid = 1000, .gid = 100, .user = "ann", .role = Role::user};
            Job job = std::get<Job>(admit(engine_.state(), now_, ann, spec));
            job.het = HetComponent{first, i, size};
            engine_.apply(now_, JobSubmitted{job});
        }
        cycle();
        return first;
    }
    void wait(Duration time) {
        now_ += time;
        cycle();
    }
    void cycle() {
        while (!engine_.cycle(now_, 1000).complete) {
        }
        engine_.state().check_invariants();
        EXPECT_EQ(check_plan(engine_.state(), now_), std::nullopt);
    }
    const Job& component(JobId first, std::uint32_t offset) const {
        return *engine_.state().find_job(JobId(first.value() + offset));
    }
    void expect_running(JobId first, std::vector<Duration> limits) const {
        for (std::uint32_t i = 0; i < limits.size(); ++i) {
            ASSERT_EQ(component(first, i).state, JobState::running) << i;
            EXPECT_EQ(component(first, i).time_limit, limits[i]) << i;
        }
    }
    void expect_pending(JobId first) const {
        for (const std::uint32_t i : {0U, 1U})
            EXPECT_EQ(component(first, i).state, JobState::pending) << i;
    }

    const Time began_ = from_seconds(1'000'000);
    Time now_ = began_;
    Engine engine_;
};

TEST_F(ReservedComponents, StartWithWhatItHasLeft) {
    reserve(Duration{});
    expect_running(submit({"class", "class"}), {minutes(30), minutes(30)});
    wait(minutes(10) + seconds(30));
    expect_running(submit({"class", "class"}), {minutes(19), minutes(19)});
    const JobId third = submit({"class", "class"});
    expect_pending(third);
    wait(minutes(9));
    expect_pending(third);
}

TEST_F(ReservedComponents, LeaveTheOthersTheirOwnLimits) {
    reserve(Duration{});
    wait(minutes(10));
    expect_running(submit({"class", ""}), {minutes(20), hours(1)});
    expect_running(submit({"", "class"}), {hours(1), minutes(20)});
    const JobId third = submit({"class", ""});
    expect_pending(third);  // The node outside is full.
}

TEST_F(ReservedComponents, StartTogetherWhenSomethingIsReleased) {
    reserve(Duration{});
    const JobId first = submit({"class", "class"});
    expect_running(submit({"class", "class"}), {minutes(30), minutes(30)});
    const JobId third = submit({"class", "class"});
    wait(minutes(5));
    testing::finish(engine_, now_, first);
    cycle();
    expect_pending(third);  // One of them could start, but not both.
    testing::finish(engine_, now_, JobId(first.value() + 1));
    cycle();
    expect_running(third, {minutes(25), minutes(25)});
}

TEST_F(ReservedComponents, ArePlannedForALaterReservation) {
    reserve(hours(2));
    const JobId first = submit({"class", "class"});
    expect_pending(first);
    for (const std::uint32_t i : {0U, 1U}) {
        const PlannedStart* const planned =
            engine_.state().schedule().planned(component(first, i).id);
        ASSERT_NE(planned, nullptr);
        EXPECT_EQ(planned->start, began_ + hours(2));
    }
    wait(hours(2));
    expect_running(first, {minutes(30), minutes(30)});
}

// The cycle came a little late.
TEST_F(ReservedComponents, StartThoughTheReservationHasBegunAlready) {
    reserve(hours(2));
    const JobId first = submit({"class", "class"});
    wait(hours(2) + seconds(5));
    expect_running(first, {minutes(29), minutes(29)});
}

TEST_F(ReservedComponents, WaitIfTheirOwnLimitIsTooLong) {
    reserve(Duration{});
    expect_pending(submit({"class", "class"}, minutes(35)));
    expect_running(submit({"class", "class"}, minutes(30)), {minutes(30), minutes(30)});
}

}  // namespace
}  // namespace berth
