#include <gtest/gtest.h>

#include "berth/config/config_rig.h"

namespace berth::config {
namespace {

constexpr const char* kAccounts = R"(
accounts:
  - {name: lab}
  - {name: vision, parent: lab}
  - {name: speech, parent: lab}
  - {name: guests}
)";

// The small cluster of the rig, with these queues.
Loaded load_queues(const std::string& queues, const std::string& keys = "") {
    return load_slurm(std::string(kSmall) + keys, "", "", "", "queues:\n" + queues + kAccounts);
}

TEST(Queues, HaveQuotas) {
    const Loaded loaded = load_queues(R"(
  lab: {nominal: 'cpu=8,node=2'}
  Vision: {nominal: 'cpu=4', guarantee: 'cpu=2', limit: 'cpu=6', lend_max: 'cpu=1'}
  guests: {nominal: 'cpu=1', borrow_max: 'cpu=2', max_borrow_ratio: 0.25}
)");
    EXPECT_EQ(text_of(loaded), "");
    const std::vector<QueueSpec> expected = {{.name = "lab", .nominal = {{"cpu", 8}, {"node", 2}}},
                                             {.name = "vision",
                                              .nominal = {{"cpu", 4}},
                                              .guarantee = {{"cpu", 2}},
                                              .limit = {{"cpu", 6}},
                                              .lend_max = {{"cpu", 1}}},
                                             {.name = "guests",
                                              .nominal = {{"cpu", 1}},
                                              .borrow_max = {{"cpu", 2}},
                                              .borrow_ratio_max = Ppm(250'000)}};
    EXPECT_EQ(loaded.spec.queues, expected);
}

TEST(Queues, NameTheirLenders) {
    const Loaded loaded =
        load_queues("  lab: {nominal: 'cpu=8'}\n  guests: {nominal: 'cpu=0', lenders: [Lab]}\n");
    EXPECT_EQ(text_of(loaded), "");
    ASSERT_EQ(loaded.spec.queues.size(), 2U);
    EXPECT_EQ(loaded.spec.queues.back().lenders, std::vector<std::string>{"lab"});
}

TEST(Queues, SayWhoMayPreemptTheirRuns) {
    const Loaded loaded = load_queues(R"(
  lab: {allow_preemption: no}
  vision: {allow_preempt_from: [Speech, guests], grace_period: 45}
)");
    EXPECT_EQ(text_of(loaded), "");
    const std::vector<QueueSpec> expected = {{.name = "lab", .allow_preemption = false},
                                             {.name = "vision",
                                              .allow_preempt_from = {"speech", "guests"},
                                              .grace_period = std::chrono::seconds(45)}};
    EXPECT_EQ(loaded.spec.queues, expected);
}

TEST(Queues, SayWhichJobsTheyAdmit) {
    const Loaded loaded =
        load_queues("  lab: {max_jobs: 2, max_gpus_per_job: 16, priority_range: [10, 100]}\n");
    EXPECT_EQ(text_of(loaded), "");
    const std::vector<QueueSpec> expected = {{.name = "lab",
                                              .jobs_max = 2,
                                              .gpus_per_job_max = 16,
                                              .priorities = PriorityRange{10, 100}}};
    EXPECT_EQ(loaded.spec.queues, expected);
}

TEST(Queues, SayWhatIsWrongAtTheirLine) {
    struct Case {
        const char *queues, *says;
    };
    for (const auto& [queues, says] : {
             Case{"  lab: 8\n", ":2: error: queue lab should be a map with nominal"},
             Case{"  lab:\n    weight: 8\n",
                  ":3: error: there is no option weight of a queue; there are nominal, guarantee"},
             Case{"  lab:\n    nominal: 8\n",
                  ":3: error: nominal: 8 should be a list like 'cpu=64,mem=512G,gres/gpu=8'"},
             Case{"  lab: {nominal: 'cpu=-1'}\n", ":2: error: nominal: cpu=-1 should have no neg"},
             Case{"  lab: {nominal: 'billing=1'}\n", "names billing, which has no quota"},
             Case{"  lab: {nominal: 'gres/tpu=1'}\n",
                  "names gres/tpu, which this cluster does not have"},
             Case{"  lab: {nominal: 'license/matlab=1'}\n", "names license/matlab, which"},
             Case{"  lab: {nominal: 'cpu=1', max_borrow_ratio: much}\n",
                  "max_borrow_ratio: much should be a fraction of the nominal quota, like 0.25"},
             Case{"  lab: {max_borrow_ratio: 0.5}\n", "max_borrow_ratio needs a nominal quota"},
             Case{"  lab: {nominal: 'cpu=4', guarantee: 'cpu=5'}\n",
                  ":2: error: queue lab: its guarantee of cpu, 5, is above its nominal quota, 4"},
             Case{"  lab: {nominal: 'cpu=4', limit: 'cpu=3'}\n",
                  "its nominal quota of cpu, 4, is above its limit, 3"},
             Case{"  lab: {nominal: 'cpu=4', lend_max: 'cpu=5'}\n",
                  "its lend_max of cpu, 5, is above its nominal quota, 4"},
             Case{"  lab: {guarantee: 'cpu=1'}\n",
                  "queue lab: guarantee of cpu needs a nominal quota of it"},
             Case{"  lab: {borrow_max: 'cpu=1'}\n",
                  "queue lab: borrow_max of cpu needs a nominal quota of it"},
             Case{"  lab: {nominal: 'cpu=1'}\n  LAB: {nominal: 'cpu=1'}\n",
                  ":3: error: queue lab is described twice"},
             Case{"  lab: {allow_preempt_from: [vision, nobody]}\n",
                  ":2: error: allow_preempt_from: there is no queue and no account nobody"},
             Case{"  lab: {nominal: 'cpu=1', lenders: [nobody]}\n",
                  ":2: error: lenders: there is no queue and no account nobody"},
             Case{"  lab: {nominal: 'cpu=1', lenders: [lab]}\n",
                  ":2: error: lenders: lab is the queue itself or above it"},
             Case{"  vision: {nominal: 'cpu=1', lenders: [guests]}\n",
                  ":2: error: lenders: queue vision shares the quota of lab, which alone can name"},
             Case{"  lab: {nominal: 'cpu=1', lenders: [speech]}\n",
                  ":2: error: lenders: speech is below the queue, whose quota it shares"},
             Case{"  lab: {lenders: [guests]}\n",
                  ":2: error: queue lab: lenders need a nominal quota to add to"},
             Case{"  guests: {nominal: 'cpu=1', lenders: [vision]}\n",
                  ":2: error: lenders: vision shares the quota of lab: name that"},
             Case{"  lab: {allow_preemption: }\n",
                  ":2: error: allow_preemption of queue lab has no value"},
             Case{"  lab: {nominal: {cpu: 1}}\n", ":2: error: nominal of queue lab has no value"},
             Case{"  lab: {priority_range: [100, 10]}\n",
                  ":2: error: priority_range: 100,10 should be the least and the most that it"},
             Case{"  physics: {nominal: 'cpu=1'}\n",
                  ":2: warning: queue physics has no account of that name"},
         }) {
        const std::string text = text_of(load_queues(queues));
        EXPECT_NE(text.find(says), std::string::npos) << queues << text;
    }
}

TEST(Queues, ShareFewListsOfLenders) {
    std::string accounts, queues;
    for (int i = 0; i < 7; ++i) {
        const std::string n = std::to_string(i);
        accounts += "  - {name: lender" + n + "}\n  - {name: poor" + n + "}\n";
        queues += "  poor" + n + ": {nominal: 'cpu=0', lenders: [lender" + n + "]}\n";
    }
    const std::string text =
        text_of(load_slurm(kSmall, "", "", "", "queues:\n" + queues + "accounts:\n" + accounts));
    EXPECT_NE(text.find(":8: error: lenders: lender6 overlaps with those of other queues in more "
                        "than 64 ways"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find(":7: error"), std::string::npos) << text;
}

// Seed 002's example: 8 + 8 of 10.
TEST(Queues, RefuseGuaranteesThatCannotAllBeKept) {
    const std::string below = R"(
  vision: {nominal: 'cpu=8', guarantee: 'cpu=8'}
  speech: {nominal: 'cpu=8', guarantee: 'cpu=8'}
)";
    EXPECT_NE(
        text_of(load_queues("  lab: {nominal: 'cpu=10'}" + below))
            .find(":2: error: guarantees of cpu add up to 16 (8 of vision, 8 of speech), above "
                  "the nominal quota of queue lab, 10"),
        std::string::npos);
    const std::string text = text_of(load_queues(R"(
  lab: {nominal: 'node=1', guarantee: 'node=1'}
  guests: {nominal: 'node=1000', guarantee: 'node=1000'}
)"));
    EXPECT_NE(text.find("guarantees of node add up to 1001 (1 of lab, 1000 of guests), above what "
                        "the cluster has, "),
              std::string::npos)
        << text;
}

TEST(Queues, WarnOfRightsThatCannotAllBeMet) {
    const std::string text = text_of(load_queues(R"(
  lab: {nominal: 'cpu=3'}
  vision: {nominal: 'cpu=2'}
  speech: {nominal: 'cpu=2'}
)"));
    EXPECT_NE(
        text.find(":3: warning: nominal quotas of cpu add up to 4 (2 of vision, 2 of speech), "
                  "above the nominal quota of queue lab, 3: not all can be met at once"),
        std::string::npos)
        << text;
}

TEST(Queues, WarnWhereLimitsAreNotEnforced) {
    const std::string queue = "  lab: {nominal: 'cpu=3'}\n";
    const std::string says = ":2: warning: queues have no effect, because limits are not enforced";
    const auto text = [&](const std::string& keys) { return text_of(load_queues(queue, keys)); };
    EXPECT_NE(text("AccountingStorageEnforce=associations\n").find(says), std::string::npos);
    EXPECT_EQ(text("AccountingStorageEnforce=limits\n").find(says), std::string::npos);
    EXPECT_EQ(text("").find(says), std::string::npos);
}

TEST(Queues, GiveBackWhatTheyBorrowed) {
    const auto reclaim = [](const std::string& how) {
        return load_slurm(kSmall, "", "", "", "preemption: {reclaim: " + how + "}\n");
    };
    EXPECT_EQ(reclaim("requeue").spec.scheduling.preemption.reclaim, PreemptMode::requeue);
    EXPECT_EQ(reclaim("off").spec.scheduling.preemption.reclaim, PreemptMode::off);
    EXPECT_NE(text_of(reclaim("suspend"))
                  .find("reclaim: suspend should be off, cancel, requeue or checkpoint"),
              std::string::npos);
    EXPECT_TRUE(reclaim("cancel").spec.scheduling.preemption.enabled());
}

}  // namespace
}  // namespace berth::config
