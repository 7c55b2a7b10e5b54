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

TEST_F(Edits, GiveQueuesQuotasAndTakeThemAway) {
    const auto queue = [](const std::string& name, std::int64_t nominal) {
        return QueueSpec{.name = name, .nominal = {{"cpu", nominal}}};
    };
    ASSERT_EQ(edit({.queues = {queue("Science", 8), queue("physics", 4)}}), std::nullopt);
    EXPECT_EQ(spec().queues, (std::vector{queue("science", 8), queue("physics", 4)}));
    ASSERT_EQ(edit({.queues = {queue("physics", 6)}}), std::nullopt);
    EXPECT_EQ(spec().queues.back(), queue("physics", 6));
    ClusterSpec again = testing::make_cluster(1);
    again.accounts = {{.name = "science", .parent = "root"},
                      {.name = "physics", .parent = "science"}};
    again.queues = {queue("science", 2)};
    engine.apply(Time{}, SpecInstalled{again});
    EXPECT_EQ(spec().queues, (std::vector{queue("science", 8), queue("physics", 6)}));
    ASSERT_EQ(edit({.removed_queues = {"science"}}), std::nullopt);
    engine.apply(Time{}, SpecInstalled{again});
    EXPECT_EQ(spec().queues, (std::vector{queue("physics", 6)}));
    EXPECT_EQ(edit({.removed_queues = {"science"}}), Refusal::invalid_request);
    ASSERT_EQ(edit({.queues = {queue("science", 1)}}), std::nullopt);
    EXPECT_EQ(spec().queues.size(), 2U);
}

TEST_F(Edits, OfQueuesAreRefusedWhereTheyContradict) {
    const auto why = [&](const QueueSpec& queue) {
        const auto answer = admit_edits(engine.state(), {.queues = {queue}});
        const auto* const no = std::get_if<Refusing>(&answer);
        return no == nullptr ? std::string() : no->message;
    };
    EXPECT_EQ(why({.name = "nosuch", .nominal = {{"cpu", 1}}}),
              "a queue is an account, and there is no account 'nosuch'");
    EXPECT_EQ(why({.name = "physics", .nominal = {{"cpu", 2}}, .guarantee = {{"cpu", 3}}}),
              "queue physics: its guarantee of cpu, 3, is above its nominal quota, 2");
    EXPECT_EQ(why({.name = "physics", .nominal = {{"gres/tpu", 2}}}),
              "nominal: gres/tpu=2 names gres/tpu, which this cluster does not have");
    EXPECT_EQ(why({.name = "physics", .allow_preempt_from = {"nobody"}}),
              "allow_preempt_from: there is no queue and no account nobody");
    EXPECT_EQ(why({.name = "physics", .nominal = {{"cpu", -2}}}),
              "queue physics: nominal: cpu=-2 should be a list like "
              "'cpu=64,mem=512G,gres/gpu=8'");
    EXPECT_EQ(
        why({.name = "physics", .grace_period = std::chrono::seconds(-5)}),
        "queue physics: grace_period: -5 should be a whole number of seconds, at most a year");
    EXPECT_EQ(why({.name = "physics", .grace_period = std::chrono::milliseconds(1500)}),
              "queue physics: its options should be as berth.yaml has them");
    EXPECT_EQ(why({.name = "physics"}), "queue physics: no option is set");
    ASSERT_EQ(edit({.queues = {{.name = "science", .nominal = {{"cpu", 2}}}}}), std::nullopt);
    EXPECT_EQ(why({.name = "physics", .nominal = {{"cpu", 3}}, .guarantee = {{"cpu", 3}}}),
              "guarantees of cpu add up to 3 (3 of physics), above the nominal quota of queue "
              "science, 2");
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
