#include "berth/engine/admission/accounting_admission.h"
#include "berth/engine/state/snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/testing/builders.h"

namespace berth {
namespace {

class Edits : public ::testing::Test {
protected:
    Edits() {
        ClusterSpec spec = testing::make_cluster(1);
        spec.qos.push_back({.name = "gold"});
        spec.accounts = {{.name = "science", .parent = "root"},
                         {.name = "physics", .parent = "science"}};
        spec.associations = {{.account = "physics", .user = "ada", .is_default = true}};
        engine = testing::make_engine(std::move(spec));
    }
    // nullopt: the edit was made and recorded.
    std::optional<Refusal> edit(AccountingEdits edits) {
        auto answer = admit_edits(engine.state(), std::move(edits));
        if (const auto* no = std::get_if<Refusing>(&answer)) return no->why;
        engine.apply(Time{}, AccountingEdited{std::get<AccountingEdits>(answer)});
        engine.state().check_invariants();
        return std::nullopt;
    }
    const ClusterSpec& spec() const { return engine.state().spec(); }

    Engine engine;
};

TEST_F(Edits, AreKeptWhenTheConfigurationIsReadAgain) {
    ASSERT_EQ(edit({.accounts = {{.name = "chemistry", .parent = "science"}},
                    .associations = {{.account = "chemistry", .user = "bob"}},
                    .qos = {{.name = "silver", .priority = 5}}}),
              std::nullopt);
    ClusterSpec again = testing::make_cluster(1);
    again.accounts = {{.name = "science", .parent = "root"}};
    engine.apply(Time{}, SpecInstalled{again});
    EXPECT_EQ(spec().accounts.size(), 2U);
    EXPECT_EQ(spec().associations.size(), 1U);
    ASSERT_TRUE(spec().find_qos("silver"));
    const auto slices = slices_of(engine.state(), 1 << 20);
    const auto loaded = state_from(slices);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->hash(), engine.state().hash());
    EXPECT_EQ(loaded->configuration().accounting_edits(),
              engine.state().configuration().accounting_edits());
}

TEST_F(Edits, MakeAUsersFirstAccountHisDefault) {
    ASSERT_EQ(edit({.associations = {{.account = "science", .user = "bob"},
                                     {.account = "physics", .user = "bob"}}}),
              std::nullopt);
    const auto defaults = std::ranges::count_if(
        spec().associations, [](const auto& one) { return one.user == "bob" && one.is_default; });
    EXPECT_EQ(defaults, 1);
    ASSERT_EQ(edit({.associations = {{.account = "science", .user = "ada", .is_default = true}}}),
              std::nullopt);
    for (const AssociationSpec& one : spec().associations) {
        if (one.user != "ada") continue;
        EXPECT_EQ(one.is_default, one.account == "science");
    }
}

TEST_F(Edits, AreRefusedWhereTheyMakeNoSense) {
    testing::submit(engine, Time{}, [] {
        JobSpec job = testing::make_job();
        job.account = "physics";
        job.qos = "gold";
        return job;
    }());
    EXPECT_EQ(edit({}), Refusal::nothing_modified);
    EXPECT_EQ(edit({.accounts = {{.name = "x", .parent = "nosuch"}}}), Refusal::unknown_account);
    EXPECT_EQ(edit({.accounts = {{.name = "science", .parent = "physics"}}}),
              Refusal::invalid_request);
    EXPECT_EQ(edit({.accounts = {{.name = "a b", .parent = "root"}}}), Refusal::invalid_request);
    EXPECT_EQ(edit({.associations = {{.account = "nosuch", .user = "bob"}}}),
              Refusal::unknown_account);
    EXPECT_EQ(edit({.associations = {{.account = "physics", .user = "bob", .qos = {"lead"}}}}),
              Refusal::unknown_qos);
    EXPECT_EQ(edit({.removed_accounts = {"science"}}), Refusal::unknown_account);
    EXPECT_EQ(edit({.removed_accounts = {"physics"}}), Refusal::in_use);
    EXPECT_EQ(edit({.qos = {{.name = "gold", .gone = true}}}), Refusal::in_use);
    EXPECT_EQ(edit({.qos = {{.name = "normal", .gone = true}}}), Refusal::not_supported);
}

TEST_F(Edits, TakeUsersAlongWithTheirAccount) {
    ASSERT_EQ(edit({.removed_accounts = {"physics"}}), std::nullopt);
    EXPECT_TRUE(spec().associations.empty());
    EXPECT_EQ(spec().accounts.size(), 1U);
}

TEST_F(Edits, OfPreemptionNameQosAndMakeNoCircle) {
    ASSERT_EQ(edit({.qos = {{.name = "high", .preempt = {"gold", "normal"}}}}), std::nullopt);
    EXPECT_EQ(edit({.qos = {{.name = "gold", .preempt = {"nosuch"}}}}), Refusal::unknown_qos);
    EXPECT_EQ(edit({.qos = {{.name = "gold", .preempt = {"high"}}}}), Refusal::invalid_request);
    EXPECT_EQ(edit({.qos = {{.name = "gold", .preempt = {"gold"}}}}), Refusal::invalid_request);
    // One that is removed is preempted by none.
    ASSERT_EQ(edit({.qos = {{.name = "gold", .gone = true}}}), std::nullopt);
    EXPECT_EQ(spec().qos[spec().find_qos("high")->index()].preempt,
              std::vector<std::string>{"normal"});
}

}  // namespace
}  // namespace berth
