#include "berth/engine/state/cluster_state.h"

namespace berth {

ClusterState::ClusterState() = default;

ClusterState::ClusterState(DurableState durable)
    : configuration_(std::move(durable.spec), std::move(durable.edits),
                     std::move(durable.cluster_edits)),
      epoch_(durable.epoch),
      next_job_id_(durable.next_job_id),
      jobs_(std::move(durable.jobs)),
      schedule_(std::move(durable.planned), std::move(durable.holds), std::move(durable.rests)),
      past_requests_(std::move(durable.past_requests)),
      usage_(std::move(durable.usage)),
      run_history_(std::move(durable.run_history)),
      reservations_(std::move(durable.reservations)),
      parts_(std::move(durable.parts)) {
    for (const auto& [id, job] : jobs_) index_.add(job);
    nodes_.load(std::move(durable.conditions), node_sources());
    for (const auto& [id, job] : jobs_) {  // Older snapshots had no usage.
        if (is_final(job.state)) continue;
        usage_index(job.started_at.value_or(Time{}), job.spec.account, job.owner->user);
    }
    usage_.set_rates(rates_from_scratch());
    rebuild_quota();
    touches_ = {};
    touches_.add_all(undo_);
    touches_.add_reservations(undo_);
}

}  // namespace berth
