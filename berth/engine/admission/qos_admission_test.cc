// Which QOS are open to a user, and which is the default: those of the account above, where the
// user has none. As Debian's Slurm 22.05 decides, but that a user for whom nothing is set has all.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

constexpr Time kNow{std::chrono::hours(1)};

ClusterSpec tree() {
    ClusterSpec spec = testing::make_cluster(1);
    for (const char* name : {"high", "low"}) spec.qos.push_back({.name = name});
    spec.accounts = {
        {.name = "top", .parent = "root", .qos = {"high", "low"}, .default_qos = "high"},
        {.name = "sub", .parent = "top"},
        {.name = "lab", .parent = "top", .qos = {"low"}},
        {.name = "free", .parent = "root"}};
    spec.scheduling.enforce_accounts = true;
    return spec;
}

// The QOS of the job, or why there is none. `own`: of the user in the account.
std::string answer(const char* account, std::vector<std::string> own, const char* qos,
                   ClusterSpec spec = tree()) {
    spec.associations = {{.account = account, .user = "news", .qos = std::move(own)}};
    ClusterState state;
    state.apply(kNow, SpecInstalled{std::move(spec)});
    JobSpec job = testing::make_job({});
    job.qos = qos;
    const Principal owner{.uid = 9, .gid = 9, .user = "news", .group = "news", .role = Role::user};
    const auto admitted = admit(state, kNow, owner, job);
    const Job* const taken = std::get_if<Job>(&admitted);
    return taken == nullptr ? std::get<Refusing>(admitted).message : *taken->spec.qos;
}

TEST(QosAdmission, TakesTheNearestAccountThatNamesSome) {
    EXPECT_EQ(answer("sub", {}, ""), "high");
    EXPECT_EQ(answer("sub", {}, "low"), "low");
    EXPECT_EQ(answer("sub", {}, "normal"),
              "QOS normal is not open to user news in account sub; open are: high, low");
    EXPECT_EQ(answer("lab", {}, "low"), "low");
    EXPECT_EQ(answer("lab", {}, "high"),
              "QOS high is not open to user news in account lab; open are: low");
}

TEST(QosAdmission, TakesTheUsersOwnFirst) {
    EXPECT_EQ(answer("lab", {"high"}, ""), "high") << "the default of the account above";
    EXPECT_EQ(answer("sub", {"low", "normal"}, ""), "normal") << "the default is not open";
    EXPECT_EQ(answer("sub", {"normal"}, "high"),
              "QOS high is not open to user news in account sub; open are: normal");
}

TEST(QosAdmission, TakesTheOnlyOneThatIsOpen) {
    EXPECT_EQ(answer("lab", {}, ""), "low") << "the default above is not open here";
    EXPECT_EQ(answer("free", {"high"}, ""), "high");
    EXPECT_EQ(answer("free", {"high", "low"}, ""),
              "QOS normal is not open to user news in account free; open are: high, low");
}

TEST(QosAdmission, OpensAllWhereNothingIsNamed) {
    EXPECT_EQ(answer("free", {}, ""), "normal");
    EXPECT_EQ(answer("free", {}, "high"), "high");
}

TEST(QosAdmission, EndsAtADescribedRoot) {
    ClusterSpec open = tree(), narrow = tree();
    open.accounts.push_back({.name = "root", .parent = "root"});
    narrow.accounts.push_back({.name = "root", .parent = "root", .qos = {"low"}});
    EXPECT_EQ(answer("free", {}, "high", open), "high");
    EXPECT_EQ(answer("free", {}, "", narrow), "low");
}

}  // namespace
}  // namespace berth
