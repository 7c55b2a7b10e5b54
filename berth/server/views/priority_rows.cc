#include "berth/server/views/priority_rows.h"

#include <algorithm>

#include "berth/engine/derived/derived_state.h"
#include "berth/engine/derived/fair_shares.h"
#include "berth/engine/state/job_queries.h"
#include "berth/policy/tres_points.h"
#include "berth/server/views/share_rows.h"

namespace berth {
namespace {

// What the rules see, of an edition instead of the engine's state.
class SnapshotView : public View {
public:
    SnapshotView(const Snapshot& snapshot, const Policy& policy, Time now)
        : snapshot_(snapshot),
          now_(now),
          totals_(totals_of(*snapshot.spec)),
          partitions_(partition_totals_of(*snapshot.spec)) {
        tree_ = share_tree_of(spec(), usage_of(snapshot), now);
        standings_ = policy.fairness().standings(tree_);
    }

    Time now() const override { return now_; }
    const ClusterSpec& spec() const override { return *snapshot_.spec; }
    const ClusterTotals& totals() const override { return totals_; }
    const TresCounts& total(PartitionId partition) const override {
        return partitions_[partition.index()];
    }
    const Resources& free(NodeId node) const override { return snapshot_.node(node).free.amount; }
    const Job* find_job(JobId job) const override { return snapshot_.find_job(job); }
    JobSize size(const Job& job) const override { return size_of(amounts_of(spec(), job)); }
    TresCounts tres(const Job& job) const override {
        if (job.state != JobState::pending) return held_by(job);
        return tres_of(amounts_of(spec(), job));
    }
    std::vector<const Job*> running() const override { return {}; }  // Orders alone ask.
    std::span<const Duration> services() const override { return {}; }
    AssociationStanding association(const Job& job) const override {
        const std::size_t* node = tree_.find(job.spec.account, job.owner->user);
        if (node == nullptr) return {};
        return {standings_[*node].factor, tree_.nodes()[*node].priority, tree_.priority_max()};
    }

private:
    const Snapshot& snapshot_;
    Time now_;
    ClusterTotals totals_;
    std::vector<TresCounts> partitions_;
    ShareTree tree_;
    std::vector<ShareStanding> standings_;
};

bool is_shown(const Snapshot& snapshot, const Job& job) {
    const bool running = job.state == JobState::running;
    if (running && !snapshot.spec->scheduling.prioritize_running) return false;
    if (!running && job.state != JobState::pending) return false;
    return job.hold == Hold::none && !job.spec.priority && job.eligible_at;
}

bool is_plain_tres(const ClusterSpec& spec) {
    for (const RuleSpec& rule : spec.scheduling.rules) {
        if (rule.kind == "priority" && rule.name == "tres") return !rule.settings.empty();
    }
    return false;
}

api::PriorityRow row_of(const Snapshot& snapshot, const Job& job, const Policy& policy,
                        const View& view) {
    const ClusterSpec& spec = *snapshot.spec;
    api::PriorityRow row{.job = job.id,
                         .owner = job.owner,
                         .account = job.spec.account,
                         .partition = spec.partition(job.partition).name,
                         .qos = spec.qos[job.qos.index()].name,
                         .cluster = spec.name,
                         .priority = policy.priority(job, view)};
    using Column = std::pair<std::string_view, std::int64_t*>;
    const Column columns[] = {
        {"site", &row.site},
        {"age", &row.age},
        {"association", &row.association},
        {"fair_share", &row.fair_share},
        {"size", &row.job_size},
        {"partition", &row.partition_part},
        {"qos", &row.qos_part},
    };
    for (const PriorityPart& part : policy.priority_parts(job, view)) {
        const auto column = std::ranges::find(columns, part.name, &Column::first);
        if (column != std::end(columns)) {
            *column->second = part.micropoints;
        } else if (part.name != "nice" && part.name != "tres") {
            const std::int64_t weight = policy.priority_weight(part.name);
            if (weight != 0) {
                row.other_terms.push_back({std::string(part.name), weight, part.micropoints});
            }
        }
    }
    row.nice = job.spec.nice;
    if (policy.priority_weight("tres") != 0) {
        for (TresPoints& one : tres_points(job, view, is_plain_tres(spec))) {
            row.tres.push_back({std::move(one.name), one.weight, one.micropoints});
        }
    }
    return row;
}

// As in Slurm, a job that waits in several partitions has a row for each that is asked for.
void add_rows(const Snapshot& snapshot, const JobFilter& filter, const Job& job,
              const Policy& policy, const View& view, std::vector<api::PriorityRow>& rows) {
    if (job.state != JobState::pending || !names_several_partitions(job.spec))
        return rows.push_back(row_of(snapshot, job, policy, view));
    for (const PartitionId partition : partitions_of(*snapshot.spec, job)) {
        if (!filter.takes(*snapshot.spec, partition)) continue;
        rows.push_back(row_of(snapshot, moved_to(*snapshot.spec, job, partition), policy, view));
    }
}

}  // namespace

std::vector<api::PriorityRow> priority_rows(const Snapshot& snapshot, const JobFilter& filter,
                                            Time now) {
    std::vector<api::PriorityRow> rows;
    const Result<Policy> policy = build_policy(*snapshot.spec);
    if (!policy.ok() || snapshot.spec->nodes.empty()) return rows;
    const SnapshotView view(snapshot, *policy, priority_time(*snapshot.spec, now));
    std::uint32_t next = 0;
    while (const SnapshotJob* found = filter.first_from(snapshot, next)) {
        const Job& job = *found->job;
        if (is_shown(snapshot, job)) add_rows(snapshot, filter, job, *policy, view, rows);
        if (job.id.value() == UINT32_MAX) break;
        next = job.id.value() + 1;
    }
    return rows;
}

}  // namespace berth
