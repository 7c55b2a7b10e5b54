// FixedView: what a rule may look at, set by hand. For the table tests of single rules.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/assert.h"
#include "berth/policy/policy.h"

namespace berth::testing {

class FixedView : public View {
public:
    Time at{};
    ClusterSpec cluster;
    JobSize job_size;
    TresCounts job_tres;
    AssociationStanding job_association;
    std::map<std::string, Factor> account_usages;
    std::vector<Job> jobs_running;
    std::vector<Duration> services_over;
    std::vector<WorkShape> work;
    std::uint64_t gpu_counts = 0;      // On every node.
    std::optional<NodeReadings> seen;  // Likewise.

    Time now() const override { return at; }
    const ClusterSpec& spec() const override { return cluster; }
    const ClusterTotals& totals() const override {
        totals_ = totals_of(cluster);
        return totals_;
    }
    const TresCounts& total(PartitionId partition) const override {
        partitions_ = partition_totals_of(cluster);
        return partitions_[partition.index()];
    }
    const Resources& free(NodeId node) const override { return cluster.node(node).capacity; }
    const Job* find_job(JobId) const override { return nullptr; }
    JobSize size(const Job&) const override { return job_size; }
    TresCounts tres(const Job& job) const override {
        return job.nodes.empty() ? job_tres : held_by(job);
    }
    std::vector<const Job*> running() const override {
        std::vector<const Job*> all;
        all.reserve(jobs_running.size());
        for (const Job& job : jobs_running) all.push_back(&job);
        return all;
    }
    std::span<const Duration> services() const override { return services_over; }
    AssociationStanding association(const Job&) const override { return job_association; }
    Factor account_usage(const std::string& account) const override {
        const auto found = account_usages.find(account);
        return found == account_usages.end() ? Factor{} : found->second;
    }
    std::span<const WorkShape> usual_work() const override { return work; }
    std::uint64_t gpu_counts_on(NodeId) const override { return gpu_counts; }
    const NodeReadings* readings(NodeId) const override { return seen ? &*seen : nullptr; }

private:
    mutable ClusterTotals totals_;
    mutable std::vector<TresCounts> partitions_;
};

// The rule of this name with these settings. REQUIRES: there is one.
template <class Rule>
std::unique_ptr<Rule> make_rule(std::span<const RuleDef<Rule>> known, std::string_view name,
                                std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
    for (const RuleDef<Rule>& def : known) {
        if (def.name != name) continue;
        const RuleSpec spec{.name = std::string(name), .settings = std::move(settings)};
        return def.make(Params::check(spec, def.settings).value());
    }
    BERTH_ASSERT(!"no such rule");
    return nullptr;
}

}  // namespace berth::testing
