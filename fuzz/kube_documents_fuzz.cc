// Whatever the files of Volcano, Kueue and Kubernetes: no crash, no hang, every finding names its
// file, and what is printed for berth.yaml is the same queues when it is read.
#include <string>
#include <vector>

#include "berth/base/assert.h"
#include "berth/config/kube_queues.h"
#include "berth/config/load.h"
#include "berth/model/queue_options.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
    using berth::config::ConfigFiles;
    using berth::config::ConfigText;
    using berth::config::ImportedQueue;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    const auto found = berth::config::import_queues({{.name = "a.yaml", .text = text}});
    for (const auto& finding : found.findings) BERTH_ASSERT(!finding.file.empty());
    if (found.has_errors) return 0;
    const auto edits = berth::config::edits_of_import(found, {}, {});
    BERTH_ASSERT(edits.ok() && edits->accounts.size() == found.queues.size());
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf", "NodeName=a CPUs=8\nPartitionName=p Nodes=ALL\n"};
    files.berth = ConfigText{"berth.yaml", found.text};
    const auto loaded = load(files);
    BERTH_ASSERT(loaded.spec.accounts.size() == found.queues.size());
    std::vector<berth::QueueSpec> queues;
    for (const ImportedQueue& one : found.queues) {
        if (!options_of(one.quota).empty()) queues.push_back(one.quota);
    }
    BERTH_ASSERT(loaded.spec.queues == queues);
    return 0;
}
