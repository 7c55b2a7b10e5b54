// For the tests of `berth queues import`: files from texts, what was found as one text, and a
// cluster that has enough for what is imported.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/config/config_rig.h"
#include "berth/config/kube_queues.h"

namespace berth::config {

inline QueueImport import_text(const std::string& text) {
    return import_queues({{.name = "q.yaml", .text = text}});
}

// "q.yaml:3: error: …" a line each.
inline std::string findings_of(const QueueImport& found) {
    std::string text;
    for (const Finding& finding : found.findings) text += to_string(finding) + "\n";
    return text;
}

inline const ImportedQueue& queue_named(const QueueImport& found, const std::string& name) {
    static const ImportedQueue none;
    for (const ImportedQueue& one : found.queues)
        if (one.quota.name == name) return one;
    ADD_FAILURE() << "no queue " << name << "\n" << findings_of(found);
    return none;
}

inline constexpr const char* kImportCluster =
    "ClusterName=lab\nGresTypes=gpu,fpga\n"
    "PriorityType=priority/multifactor\nPriorityWeightAge=10\n"
    "NodeName=a[1-32] CPUs=64 Sockets=2 CoresPerSocket=32 RealMemory=2000000 "
    "Gres=gpu:a100:8,fpga:2\n"
    "NodeName=v[1-32] CPUs=64 Sockets=2 CoresPerSocket=32 RealMemory=2000000 Gres=gpu:v100:8\n"
    "PartitionName=main Nodes=ALL Default=YES MaxTime=1-0\n";

// The printed sections are read without a finding, and give the same tree.
inline void expect_same_when_read_back(const QueueImport& found) {
    ASSERT_FALSE(found.has_errors) << findings_of(found);
    const Loaded loaded = load_slurm(kImportCluster, "", "", "", found.text);
    EXPECT_EQ(text_of(loaded), "") << found.text;
    ASSERT_EQ(loaded.spec.accounts.size(), found.queues.size()) << found.text;
    std::vector<QueueSpec> queues;
    for (std::size_t i = 0; i < found.queues.size(); ++i) {
        const ImportedQueue& one = found.queues[i];
        EXPECT_EQ(loaded.spec.accounts[i].name, one.quota.name);
        EXPECT_EQ(loaded.spec.accounts[i].parent, one.parent);
        EXPECT_EQ(loaded.spec.accounts[i].shares, one.shares.value_or(1));
        if (one.quota != QueueSpec{.name = one.quota.name}) queues.push_back(one.quota);
    }
    EXPECT_EQ(loaded.spec.queues, queues) << found.text;
}

// The text is among what is said of the file.
inline void expect_says(const std::string& yaml, const std::string& says) {
    const std::string text = findings_of(import_text(yaml));
    EXPECT_NE(text.find(says), std::string::npos) << "wanted: " << says << "\n"
                                                  << yaml << "\n"
                                                  << text;
}

}  // namespace berth::config
