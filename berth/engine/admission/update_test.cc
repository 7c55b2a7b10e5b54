// What may be changed of a job, on the cluster of admission_rig.h.
#include "berth/engine/admission/admission_rig.h"

namespace berth {
namespace {

using std::chrono::hours, std::chrono::minutes;

class Update : public Admission {
protected:
    std::optional<Refusal> why_not(const JobUpdated& update, bool by_operator = false) const {
        const auto answer = admit_update(state_, kNow, update, by_operator);
        const auto* no = std::get_if<Refusing>(&answer);
        return no == nullptr ? std::nullopt : std::optional(no->why);
    }
    void start(JobId id) {
        const NodeShare share{.node = NodeId(0), .cores = BitSet(32), .amount = {}};
        state_.apply(kNow, StartJob{.job = id, .attempt = Attempt(1), .allocation = {{share}}});
    }
    static constexpr std::optional<Refusal> kFine = std::nullopt;
};

TEST_F(Update, UsersLowerWhatTheyWereGrantedAndOperatorsRaiseIt) {
    const JobId id = submit({});
    state_.set_priority(id, 100);
    EXPECT_EQ(why_not({.job = id, .time_limit = minutes(30)}), kFine);
    EXPECT_EQ(why_not({.job = id, .time_limit = hours(2)}), Refusal::not_allowed);
    EXPECT_EQ(why_not({.job = id, .time_limit = hours(2)}, true), kFine);
    EXPECT_EQ(why_not({.job = id, .priority = 0}), kFine);
    EXPECT_EQ(why_not({.job = id, .priority = 100}), kFine);
    EXPECT_EQ(why_not({.job = id, .priority = 101}), Refusal::not_allowed);
    EXPECT_EQ(why_not({.job = id, .priority = 101}, true), kFine);
    EXPECT_EQ(why_not({.job = id, .nice = 10}), kFine);
    EXPECT_EQ(why_not({.job = id, .nice = -10}), Refusal::not_allowed);
    EXPECT_EQ(why_not({.job = id, .nice = -10}, true), kFine);
}

TEST_F(Update, OfARunningJobChangesItsLimitAndNamesOnly) {
    const JobId id = submit({});
    start(id);
    EXPECT_EQ(why_not({.job = id, .time_limit = minutes(30)}), kFine);
    EXPECT_EQ(why_not({.job = id, .name = "new", .comment = "c"}), kFine);
    EXPECT_EQ(why_not({.job = id, .partition = PartitionId(1)}, true), Refusal::job_not_pending);
    EXPECT_EQ(why_not({.job = id, .nodelist = {{}}}, true), Refusal::job_not_pending);
    EXPECT_EQ(why_not({.job = id, .priority = 1}, true), Refusal::job_not_pending);
    state_.apply(kNow, EndJob{.job = id, .outcome = JobState::cancelled});
    EXPECT_EQ(why_not({.job = id, .name = "late"}, true), Refusal::job_finished);
    EXPECT_EQ(why_not({.job = JobId(99)}), Refusal::unknown_job);
}

TEST_F(Update, MustLeaveAJobThatCanRun) {
    const JobId id = submit({});
    EXPECT_EQ(why_not({.job = id, .partition = PartitionId(1)}), kFine);
    EXPECT_EQ(why_not({.job = id, .partition = PartitionId(9)}), Refusal::unknown_partition);
    EXPECT_EQ(why_not({.job = id, .nodelist = {{"gpu9"}}}), Refusal::invalid_node_list);
    EXPECT_EQ(why_not({.job = id, .partition = PartitionId(1), .nodelist = {{"gpu1"}}}),
              Refusal::node_configuration_unavailable);
    EXPECT_EQ(why_not({.job = id, .qos = QosId(1)}), Refusal::unknown_qos);
    EXPECT_EQ(why_not({.job = id, .array_max_running = 2}), Refusal::invalid_array);
    EXPECT_EQ(why_not({.job = id, .begin = Time::max()}), Refusal::invalid_time);
}

TEST_F(Update, ComesBackReadyToRecord) {
    const JobId id = submit({});
    const auto answer = admit_update(state_, kNow,
                                     {.job = id,
                                      .time_limit = std::chrono::seconds(90),
                                      .nodelist = {{"gpu[1-2]"}},
                                      .dependencies = {{{.job = JobId(99)}}}},
                                     true);
    const auto& ready = std::get<JobUpdated>(answer);
    EXPECT_EQ(ready.time_limit, minutes(2));
    EXPECT_EQ(ready.nodelist, (std::vector<std::string>{"gpu1", "gpu2"}));
    EXPECT_TRUE(ready.dependencies->empty());
    EXPECT_TRUE(ready.by_operator);
    state_.apply(kNow, ready);
    EXPECT_EQ(state_.find_job(id)->time_limit, minutes(2));
    state_.check_invariants();
}

TEST_F(Update, ChangesWhatAWaitingJobAsksForAsIfItWereSubmittedThatWay) {
    const JobId id = submit({});
    const auto with = [&](auto change) {
        JobUpdated update{.job = id};
        update.request = state_.find_job(id)->spec.request;
        change(*update.request);
        return update;
    };
    EXPECT_EQ(why_not(with([](JobRequest& r) { r.constraint = "nosuchthing"; })),
              Refusal::invalid_feature);
    EXPECT_EQ(why_not(with([](JobRequest& r) { r.licenses.edit().counts = {{"nosuch", 1}}; })),
              Refusal::invalid_license);
    EXPECT_EQ(why_not(with([](JobRequest& r) { r.reservation = "nosuch"; })),
              Refusal::unknown_reservation);
    EXPECT_EQ(why_not(with([](JobRequest& r) { r.tasks = 100'000; })),
              Refusal::node_configuration_unavailable);
    for (const int seconds : {0, -1}) {
        EXPECT_EQ(why_not(with([&](JobRequest& r) { r.max_wait = std::chrono::seconds(seconds); })),
                  Refusal::invalid_request);
    }
    EXPECT_EQ(why_not({.job = id, .deadline = kNow}), Refusal::deadline_too_soon);
    EXPECT_EQ(why_not({.job = id, .deadline = kNow + minutes(500)}), kFine);
    EXPECT_EQ(why_not({.job = id, .time_min = std::chrono::hours(24 * 400)}),
              Refusal::invalid_time_min);
    const auto answer =
        admit_update(state_, kNow, with([](JobRequest& r) { r.exclude = {"gpu[1-2]"}; }), false);
    const auto& ready = std::get<JobUpdated>(answer);
    EXPECT_EQ(ready.request->exclude, (std::vector<std::string>{"gpu1", "gpu2"}));
    state_.apply(kNow, ready);
    EXPECT_EQ(state_.find_job(id)->spec.request->exclude.size(), 2U);
    state_.check_invariants();
}

TEST_F(Update, CannotLetAJobBeginTooLateForItsDeadline) {
    JobSpec spec{.deadline = kNow + minutes(60)};
    spec.request.edit().time_limit = minutes(30);
    const JobId id = submit(spec);
    EXPECT_EQ(why_not({.job = id, .begin = kNow + minutes(30)}), kFine);
    EXPECT_EQ(why_not({.job = id, .begin = kNow + minutes(31)}), Refusal::time_limit_too_long);
    EXPECT_EQ(why_not({.job = id, .begin = kNow + minutes(300)}), Refusal::deadline_too_soon);
    // Terms that change together are judged together.
    EXPECT_EQ(why_not({.job = id, .time_limit = minutes(10), .begin = kNow + minutes(50)}), kFine);
    EXPECT_EQ(why_not({.job = id, .time_limit = minutes(10), .begin = kNow + minutes(51)}),
              Refusal::time_limit_too_long);
    EXPECT_EQ(why_not({.job = id, .begin = kNow + minutes(300), .deadline = kNow + minutes(330)}),
              kFine);
}

TEST_F(Update, CannotMakeJobsWaitForEachOther) {
    const JobId first = submit({});
    const JobId second = submit({.dependencies = {{.job = first}}});
    const JobId third = submit({.dependencies = {{.job = second}}});
    EXPECT_EQ(why_not({.job = first, .dependencies = {{{.job = third}}}}),
              Refusal::circular_dependency);
    EXPECT_EQ(why_not({.job = first, .dependencies = {{{.job = first}}}}),
              Refusal::invalid_dependency);
    EXPECT_EQ(why_not({.job = third, .dependencies = {{{.job = first}}}}), kFine);
}

TEST_F(Update, APriorityOfZeroHoldsAndAnyOtherReleases) {
    const JobId id = submit({});
    state_.apply(kNow, JobUpdated{.job = id, .priority = 0, .by_operator = true});
    EXPECT_EQ(state_.find_job(id)->hold, Hold::admin);
    EXPECT_EQ(why_not({.job = id, .priority = 1}), Refusal::not_allowed);
    state_.apply(kNow, JobUpdated{.job = id, .priority = 7, .by_operator = true});
    EXPECT_EQ(state_.find_job(id)->hold, Hold::none);
    EXPECT_EQ(state_.find_job(id)->spec.priority, 7U);
    state_.apply(kNow, JobUpdated{.job = id, .priority = 0});
    EXPECT_EQ(state_.find_job(id)->hold, Hold::user);
    state_.apply(kNow, JobHeld{.job = id, .hold = Hold::none});
    EXPECT_FALSE(state_.find_job(id)->spec.priority.has_value());
}

}  // namespace
}  // namespace berth
