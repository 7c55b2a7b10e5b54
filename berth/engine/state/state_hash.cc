// The hash of everything durable.
#include "berth/base/codec.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

std::uint64_t ClusterState::hash() const {
    StateHash hash;
    hash.add(hash_of(spec()));
    hash.add(epoch_);
    hash.add(next_job_id_);
    hash.add(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        hash.add(hash_of(nodes_.condition(NodeId::from_index(i))));
    }
    hash.add(jobs_.size());
    for (const auto& [id, job] : jobs_) hash.add(hash_of(job));
    hash.add(schedule_.planned_starts().size());
    for (const auto& [id, planned] : schedule_.planned_starts()) {
        hash.add(id);
        hash.add(hash_of(planned));
    }
    hash.add(past_requests_.all().size());
    for (const auto& [age, request] : past_requests_.all()) hash.add(hash_of(request));
    for (const RunSamples& samples : run_history_.slots()) {
        if (!samples.runs.empty()) hash.add(hash_of(samples));
    }
    hash.add(usage_.records().size());
    for (UsageRecord record : usage_.records()) {
        // Not the time of runs: earlier programs did not count it, so that in a store of theirs it
        // begins with the snapshot from which it is read.
        record.used.wall = record.rate.wall = {};
        hash.add(hash_of(record));
    }
    for (const auto& [name, reservation] : reservations_) hash.add(hash_of(reservation));
    const AccountingEdits& accounting = configuration_.accounting_edits();
    const ClusterEdits& cluster = configuration_.cluster_edits();
    if (!accounting.empty()) hash.add(hash_of(accounting));
    if (!cluster.empty()) hash.add(hash_of(cluster));
    for (const auto& [id, until] : schedule_.preemptor_holds()) {
        hash.add(id);
        hash.add(hash_of(until));
    }
    for (const auto& [id, rest] : schedule_.preemptor_rests()) {
        hash.add(id);
        hash.add(hash_of(rest));
    }
    return hash.value();
}

}  // namespace berth
