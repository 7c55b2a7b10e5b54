// The hash of everything durable.
#include "berth/base/codec.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

std::uint64_t ClusterState::hash() const {
    StateHash hash;
    hash.add(hash_of(spec_));
    hash.add(epoch_);
    hash.add(next_job_id_);
    hash.add(conditions_.size());
    for (const NodeCondition& condition : conditions_) hash.add(hash_of(condition));
    hash.add(jobs_.size());
    for (const auto& [id, job] : jobs_) hash.add(hash_of(job));
    hash.add(planned_.size());
    for (const auto& [id, planned] : planned_) {
        hash.add(id);
        hash.add(hash_of(planned));
    }
    hash.add(past_requests_.all().size());
    for (const auto& [age, request] : past_requests_.all()) hash.add(hash_of(request));
    for (const RunSamples& samples : run_history_.slots()) {
        if (!samples.runs.empty()) hash.add(hash_of(samples));
    }
    hash.add(usage_.records().size());
    for (const UsageRecord& record : usage_.records()) hash.add(hash_of(record));
    for (const auto& [name, reservation] : reservations_) hash.add(hash_of(reservation));
    if (!edits_.empty()) hash.add(hash_of(edits_));
    if (!cluster_edits_.empty()) hash.add(hash_of(cluster_edits_));
    for (const auto& [id, until] : holds_) {
        hash.add(id);
        hash.add(hash_of(until));
    }
    return hash.value();
}

}  // namespace berth
