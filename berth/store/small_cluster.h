// For tests of the store: a temporary directory, and a cluster of two nodes whose facts are applied
// and appended as a controller would, without a scheduler.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "berth/store/store.h"

namespace berth::testing {

class Folder {
public:
    Folder() {
        // In memory if possible: these tests make thousands of syncs.
        const bool in_memory = std::filesystem::is_directory("/dev/shm");
        std::string pattern =
            (in_memory ? "/dev/shm/" : ::testing::TempDir()) + std::string("berth-store-XXXXXX");
        path_ = mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

inline Time at(std::int64_t second) { return from_seconds(1'700'000'000 + second); }

inline ClusterSpec two_nodes() {
    ClusterSpec spec;
    spec.name = "small";
    const DimensionId gpu = *spec.dimensions.intern("gpu", "a100");
    for (const char* const name : {"gpu1", "gpu2"}) {
        NodeSpec node{.name = name, .hostname = name, .cores_per_socket = 16, .memory = gib(64)};
        for (std::uint32_t i = 0; i < 4; ++i) {
            node.devices.push_back({.dimension = gpu, .index = i});
        }
        node.capacity.set_cpu(cores(16));
        node.capacity.set_memory(gib(64));
        node.capacity[gpu] = 4;
        spec.nodes.push_back(node);
    }
    spec.partitions.push_back(
        {.name = "main", .nodes = {NodeId(0), NodeId(1)}, .is_default = true});
    spec.qos.push_back({.name = "normal"});
    return spec;
}

inline StoreSettings small_settings() {
    StoreSettings settings;
    settings.reserve_bytes = 1 << 16;
    return settings;
}

inline Job pending_job(std::uint32_t id, Time submitted, std::string name = "train") {
    Job job;
    job.id = JobId(id);
    job.owner = Owner{.uid = 1000, .gid = 1000, .user = "ada", .group = "ada"};
    job.spec.name = std::move(name);
    job.spec.account = "physics";
    job.time_limit = std::chrono::hours(1);
    job.submitted_at = submitted;
    return job;
}

// One core and one GPU (index n) of each given node.
inline Allocation share_of_nodes(const ClusterSpec& spec, const std::vector<NodeId>& nodes,
                                 unsigned n) {
    Allocation allocation;
    for (const NodeId node : nodes) {
        NodeShare share{.node = node,
                        .cores = BitSet(16),
                        .memory = gib(1),
                        .devices = bit(static_cast<int>(n)),
                        .cpus = 1};
        share.cores.set(n);
        share.amount.set_cpu(cores(1));
        share.amount.set_memory(gib(1));
        share.amount[*spec.dimensions.find("gpu", "a100")] = 1;
        allocation.shares.push_back(share);
    }
    return allocation;
}

class SmallCluster {
public:
    explicit SmallCluster(const std::string& folder, StoreSettings settings = small_settings()) {
        Result<Opened> opened = Store::open(folder, std::move(settings), log_);
        if (!opened.ok()) {
            error = opened.error().message;
            return;
        }
        opened_.emplace(std::move(opened).value());
        next_sequence = opened_->next_sequence;
    }

    bool ok() const { return opened_.has_value(); }
    Store& store() { return opened_->store; }
    ClusterState& state() { return opened_->state; }
    const Opened& opened() const { return *opened_; }

    Status record(Time now, std::vector<Fact> facts,
                  std::vector<std::pair<JobId, JobPayload>> payloads = {}) {
        Record record{.sequence = next_sequence,
                      .epoch = opened_->epoch,
                      .now = now,
                      .facts = std::move(facts),
                      .payloads = std::move(payloads)};
        for (const Fact& fact : record.facts) state().apply(now, fact);
        BERTH_CHECK(store().append(record, state()));
        ++next_sequence;
        return Done{};
    }
    Status become_leader(Time now) {
        std::vector<Fact> facts{ControllerStarted{opened_->epoch}};
        if (state().spec().nodes.empty()) facts.push_back(SpecInstalled{two_nodes()});
        return record(now, std::move(facts));
    }
    Status submit(std::uint32_t id, Time now, JobPayload payload = {.script = "#!/bin/sh\n"}) {
        return record(now, {JobSubmitted{pending_job(id, now)}}, {{JobId(id), std::move(payload)}});
    }
    Status start(std::uint32_t id, Time now, std::uint32_t attempt,
                 const std::vector<NodeId>& nodes, unsigned n = 0) {
        return record(now, {StartJob{.job = JobId(id),
                                     .attempt = Attempt(attempt),
                                     .allocation = share_of_nodes(state().spec(), nodes, n)}});
    }

    std::string error;
    std::uint64_t next_sequence = 0;

private:
    SilentLog log_;
    std::optional<Opened> opened_;
};

}  // namespace berth::testing
