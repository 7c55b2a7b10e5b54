// A pending job moves into another account of its owner, which admits it as if it were submitted
// there.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

constexpr Time kUpdatedAt{std::chrono::hours(1)};

// top (at most 2 jobs submitted) over physics and biology (1), and chemistry beside them.
ClusterSpec accounts_tree() {
    ClusterSpec spec = testing::make_cluster(1);
    spec.qos.push_back({.name = "high"});
    spec.accounts = {{.name = "top", .parent = "root", .limits = {.group_submitted = 2}},
                     {.name = "physics", .parent = "top"},
                     {.name = "biology", .parent = "top", .limits = {.group_submitted = 1}},
                     {.name = "chemistry", .parent = "root", .qos = {"high"}}};
    for (const char* const name : {"physics", "biology", "chemistry"})
        spec.associations.push_back({.account = name, .user = "news"});
    spec.scheduling.enforce_accounts = spec.scheduling.enforce_limits = true;
    return spec;
}

class AccountUpdate : public ::testing::Test {
protected:
    AccountUpdate() { state_.apply(kUpdatedAt, SpecInstalled{accounts_tree()}); }

    JobId submit(const char* account) {
        JobSpec spec = testing::make_job({});
        spec.account = account;
        spec.qos = "high";
        auto job = std::get<Job>(admit(state_, kUpdatedAt, owner_, spec));
        const JobId id = job.id;
        state_.apply(kUpdatedAt, JobSubmitted{std::move(job)});
        return id;
    }
    // Why it may not move; empty: it has moved.
    std::string move(JobId id, const char* account) {
        const auto answer =
            admit_update(state_, kUpdatedAt, {.job = id, .account = account}, false, {});
        if (const auto* no = std::get_if<Refusing>(&answer)) return no->message;
        state_.apply(kUpdatedAt, std::get<JobUpdated>(answer));
        state_.check_invariants();
        return "";
    }
    const std::string& account_of(JobId id) const { return *state_.find_job(id)->spec.account; }

    const Principal owner_{.uid = 9, .gid = 9, .user = "news", .group = "news", .role = Role::user};
    ClusterState state_;
};

TEST_F(AccountUpdate, CountsTheJobWhereItIsNow) {
    const JobId first = submit("physics"), second = submit("physics");
    EXPECT_EQ(move(first, "Biology"), "") << "and top counts it once";
    EXPECT_EQ(account_of(first), "biology") << "as the account is written";
    EXPECT_EQ(move(second, "biology"),
              "account biology allows 1 submitted jobs; it asks for 1, and 1 are in use");
    EXPECT_EQ(account_of(second), "physics");
    EXPECT_EQ(move(first, "biology"), "") << "it is there already";
    EXPECT_EQ(move(first, "chemistry"), "");
    EXPECT_EQ(move(second, "biology"), "");
}

TEST_F(AccountUpdate, IsRefusedWhereASubmissionWouldBe) {
    const JobId id = submit("physics");
    EXPECT_EQ(move(id, "geology"), "there is no account 'geology'");
    EXPECT_EQ(move(id, "top"), "user news is not in account top");
    const auto normal = state_.spec().find_qos("normal");
    ASSERT_TRUE(normal.has_value());
    state_.apply(kUpdatedAt, JobUpdated{.job = id, .qos = normal});
    EXPECT_EQ(move(id, "chemistry"),
              "QOS normal is not open to user news in account chemistry; open are: high");
}

TEST_F(AccountUpdate, MayTakeAQosThatIsOpenInTheNewAccountAlone) {
    const JobId id = submit("physics");
    const auto normal = state_.spec().find_qos("normal");
    state_.apply(kUpdatedAt, JobUpdated{.job = id, .qos = normal});
    const JobUpdated both{.job = id, .qos = state_.spec().find_qos("high"), .account = "chemistry"};
    EXPECT_TRUE(
        std::holds_alternative<JobUpdated>(admit_update(state_, kUpdatedAt, both, false, {})));
}

TEST_F(AccountUpdate, IsUndone) {
    const JobId id = submit("physics");
    const std::uint64_t before = state_.hash();
    const auto mark = state_.checkpoint();
    state_.apply(kUpdatedAt, JobUpdated{.job = id, .account = "chemistry"});
    EXPECT_NE(state_.hash(), before);
    state_.rollback(mark);
    EXPECT_EQ(state_.hash(), before);
    state_.check_invariants();
}

TEST_F(AccountUpdate, LetsOperatorsAloneSetAnAdminComment) {
    const JobId id = submit("physics");
    const JobUpdated update{.job = id, .admin_comment = "odd"};
    const auto refused = admit_update(state_, kUpdatedAt, update, false, {});
    EXPECT_EQ(std::get<Refusing>(refused).message, "only operators set an AdminComment");
    state_.apply(kUpdatedAt,
                 std::get<JobUpdated>(admit_update(state_, kUpdatedAt, update, true, {})));
    EXPECT_EQ(state_.find_job(id)->spec.command->admin_comment, "odd");
    const JobUpdated longer{.job = id, .admin_comment = std::string(20'000, 'x')};
    EXPECT_TRUE(
        std::holds_alternative<Refusing>(admit_update(state_, kUpdatedAt, longer, true, {})));
}

}  // namespace
}  // namespace berth
