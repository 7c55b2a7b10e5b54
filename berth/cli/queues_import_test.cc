// What `berth queues import --apply` sends, as the controller takes it.
#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

#include "berth/config/kube_queues.h"
#include "berth/config/load.h"
#include "berth/engine/admission/accounting_admission.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

// A queue of Volcano with these keys in its spec.
std::string volcano_yaml(const std::string& name, const std::string& spec) {
    return "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: " + name +
           "}\nspec: {" + spec + "}\n---\n";
}

class ImportedEdits : public ::testing::Test {
protected:
    ImportedEdits() {
        config::ConfigFiles files;
        files.slurm = config::ConfigText{
            "slurm.conf",
            "ClusterName=lab\nGresTypes=gpu\nAccountingStorageEnforce=limits\n"
            "NodeName=n[1-4] CPUs=64 Sockets=2 CoresPerSocket=32 RealMemory=2000000 "
            "Gres=gpu:a100:8\nPartitionName=main Nodes=ALL Default=YES\n"};
        files.berth = config::ConfigText{
            "berth.yaml",
            "accounts:\n"
            "  - {name: lab, shares: 3, grp_jobs: 7, description: ours}\n"
            "  - {name: vision, parent: lab, users: [ada]}\n"
            "queues:\n"
            "  vision: {nominal: 'cpu=9', limit: 'cpu=9', grace_period: 45, max_jobs: 5, "
            "priority_range: [1, 5]}\n"};
        config::Loaded loaded = config::load(files);
        EXPECT_FALSE(loaded.has_errors);
        engine = testing::make_engine(std::move(loaded.spec));
    }

    // What the import would send; an error's text is a failure.
    AccountingEdits edits_of(const std::string& yaml) {
        const auto found = config::import_queues({{.name = "q.yaml", .text = yaml}});
        for (const config::Finding& finding : found.findings) {
            EXPECT_NE(finding.severity, config::Severity::error) << to_string(finding);
        }
        const auto edits = config::edits_of_import(found, accounts(), queues());
        EXPECT_TRUE(edits.ok()) << edits.error().message;
        return edits.value_or({});
    }

    // Empty: the controller takes it.
    std::string apply(const AccountingEdits& edits) {
        auto answer = admit_edits(engine.state(), edits);
        if (const auto* no = std::get_if<Refusing>(&answer)) return no->message;
        engine.apply(Time{}, AccountingEdited{std::get<AccountingEdits>(answer)});
        engine.state().check_invariants();
        return {};
    }

    std::vector<AccountSpec> accounts() const {
        const auto& all = engine.state().spec().accounts;
        return {all.begin(), all.end()};
    }
    std::vector<QueueSpec> queues() const {
        const auto& all = engine.state().spec().queues;
        return {all.begin(), all.end()};
    }
    QueueSpec queue(const std::string& name) const {
        for (const QueueSpec& one : engine.state().spec().queues)
            if (one.name == name) return one;
        return {};
    }
    AccountSpec account(const std::string& name) const {
        for (const AccountSpec& one : engine.state().spec().accounts)
            if (one.name == name) return one;
        return {};
    }

    Engine engine;
};

TEST_F(ImportedEdits, MakeAccountsAndTheirQuotas) {
    // The files' order of resources is not that of the controller.
    EXPECT_EQ(apply(edits_of(volcano_yaml("deep",
                                          "parent: speech, capability: {nvidia.com/gpu: 4, "
                                          "memory: 1536Gi, cpu: 16}") +
                             volcano_yaml("speech",
                                          "weight: 5, deserved: {memory: 2Ti, "
                                          "nvidia.com/gpu: 8, cpu: 32}, guarantee: "
                                          "{resource: {nvidia.com/gpu: 2}}"))),
              "");
    EXPECT_EQ(account("speech").parent, "root");
    EXPECT_EQ(account("speech").shares, 5);
    EXPECT_EQ(account("deep").parent, "speech");
    EXPECT_EQ(queue("speech").nominal,
              (TresLimits{{"cpu", 32}, {"mem", 2 * 1024 * 1024}, {"gres/gpu", 8}}));
    EXPECT_EQ(queue("deep").limit,
              (TresLimits{{"cpu", 16}, {"mem", 1536 * 1024}, {"gres/gpu", 4}}));
    // Once more, and nothing would change.
    EXPECT_TRUE(edits_of(volcano_yaml("deep",
                                      "parent: speech, capability: {cpu: 16, memory: "
                                      "1536Gi, nvidia.com/gpu: 4}") +
                         volcano_yaml("speech",
                                      "weight: 5, deserved: {memory: 2Ti, cpu: 32, "
                                      "nvidia.com/gpu: 8}, guarantee: {resource: "
                                      "{nvidia.com/gpu: 2}}"))
                    .empty());
}

TEST_F(ImportedEdits, KeepWhatTheFilesDoNotSay) {
    EXPECT_EQ(apply(edits_of(volcano_yaml("lab", "weight: 8") +
                             volcano_yaml("vision", "parent: lab, deserved: {cpu: 4}"))),
              "");
    EXPECT_EQ(account("lab").shares, 8);
    EXPECT_EQ(account("lab").limits.group_jobs, 7U);
    EXPECT_EQ(account("lab").description, "ours");
    const QueueSpec vision = queue("vision");
    EXPECT_EQ(vision.nominal, (TresLimits{{"cpu", 4}}));
    EXPECT_TRUE(vision.limit.empty());
    EXPECT_EQ(vision.grace_period, std::chrono::seconds(45));
    EXPECT_EQ(vision.jobs_max, 5U);
    EXPECT_EQ(vision.priorities, (PriorityRange{1, 5}));
    // Closed, and open again.
    const std::string closed = "status: {state: Closed}\n";
    std::string yaml = volcano_yaml("vision", "parent: lab, reclaimable: false");
    yaml.insert(yaml.rfind("---"), closed);
    EXPECT_EQ(apply(edits_of(volcano_yaml("lab", "") + yaml)), "");
    EXPECT_EQ(queue("vision").jobs_max, 0U);
    EXPECT_EQ(queue("vision").allow_preempt_from, (std::vector<std::string>{"vision"}));
    EXPECT_TRUE(queue("vision").nominal.empty());
    EXPECT_EQ(apply(edits_of(volcano_yaml("lab", "") + volcano_yaml("vision", "parent: lab"))), "");
    EXPECT_EQ(queue("vision").jobs_max, std::nullopt);
    EXPECT_TRUE(queue("vision").allow_preempt_from.empty());
    EXPECT_EQ(account("lab").shares, 8);
}

TEST_F(ImportedEdits, TakeAwayAQuotaThatTheFilesDoNotHave) {
    EXPECT_EQ(apply(edits_of(volcano_yaml("speech", "deserved: {cpu: 4}"))), "");
    EXPECT_EQ(queue("speech").nominal, (TresLimits{{"cpu", 4}}));
    const AccountingEdits edits = edits_of(volcano_yaml("speech", ""));
    EXPECT_EQ(edits.removed_queues, (std::vector<std::string>{"speech"}));
    EXPECT_EQ(apply(edits), "");
    EXPECT_EQ(queue("speech"), QueueSpec{});
}

TEST_F(ImportedEdits, MoveNoAccount) {
    const auto found =
        config::import_queues({{.name = "q.yaml", .text = volcano_yaml("vision", "weight: 2")}});
    const auto edits = config::edits_of_import(found, accounts(), queues());
    ASSERT_FALSE(edits.ok());
    EXPECT_EQ(edits.error().message,
              "account vision lies beneath lab, and not beneath root; right would be: sacctmgr "
              "modify account vision set parent=root");
}

// What only the cluster can know is the controller's to refuse.
TEST_F(ImportedEdits, AreRefusedWhereTheClusterHasNoSuchThing) {
    EXPECT_EQ(apply(edits_of(volcano_yaml("speech", "deserved: {example.com/tpu: 4}"))),
              "nominal: gres/tpu=4 names gres/tpu, which this cluster does not have");
    EXPECT_EQ(apply(edits_of(volcano_yaml("speech", "guarantee: {resource: {cpu: 1000}}"))),
              "guarantees of cpu add up to 1000 (1000 of speech), above what the cluster has, 256");
}

}  // namespace
}  // namespace berth
