// How facts change the state: the dispatch, and the facts about the controller, its configuration
// and its nodes.
#include <algorithm>

#include "berth/base/overloaded.h"
#include "berth/engine/state/cluster_state_change.h"
#include "berth/engine/state/keep_ids.h"
#include "berth/engine/state/other_tiers.h"

namespace berth {

void ClusterState::apply(Time now, const Fact& fact) {
    std::visit([&](const auto& kind) { take(now, kind); }, fact);
}

// A new controller treats every node as unknown until the node's agent has reported everything
// again.
void ClusterState::take(Time, const ControllerStarted& fact) {
    BERTH_ASSERT(fact.epoch > epoch_);
    set_counters(fact.epoch, next_job_id_);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        if (!nodes_.condition(node).registered && !nodes_.condition(node).responding) continue;
        change_condition(node, [](NodeCondition& condition) {
            condition.registered = false;
            condition.responding = false;
        });
    }
}

void ClusterState::take(Time now, const SpecInstalled& fact) {
    const PartitionTiers tiers = tiers_of(spec());
    install(now, keep_ids(spec(), fact.spec));
    for (const JobId id : jobs_in_other_order(*this, tiers)) set_planned(id, std::nullopt);
}

void ClusterState::take(Time now, const NodeDescribed& fact) {
    if (describe_in_place(fact)) return;
    const auto known = spec().find_node(fact.node.name);
    const bool comes_again = known && spec().node(*known).gone && !fact.node.gone;
    install(now, configuration_.with(fact));
    if (!comes_again) return;
    // Possibly another machine of the same name.
    nodes_.change_condition(*known, undo_, [](NodeCondition& condition) { condition = {}; });
    nodes_.follow_drained(*known, node_sources(), undo_);
}

// False: the node is not all that changes.
bool ClusterState::describe_in_place(const NodeDescribed& fact) {
    remember_configuration();
    const std::optional<NodeId> node = configuration_.describe_in_place(fact);
    if (!node) return false;
    nodes_.follow_spec(*node, node_sources(), undo_);
    if (!spec().flavors.empty()) rebuild_quota();  // It may be of another one.
    touches_.add_spec(undo_);
    touch(*node);
    return true;
}

void ClusterState::remember_configuration() {
    if (!undo_.recording()) return;
    undo_.record(ConfigurationBefore{std::make_shared<const Configuration>(configuration_)});
}

// REQUIRES: `kept` uses the ids of the current specification.
void ClusterState::install(Time now, ClusterSpec kept) {
    remember_configuration();
    settle_usage(now);
    configuration_.install(std::move(kept));
    nodes_.follow_spec(node_sources(), undo_);
    usage_.set_rates(rates_from_scratch());
    rebuild_quota();
    touches_.add_all(undo_);
    const std::uint32_t first = spec().scheduling.first_job_id;
    if (next_job_id_.value() < first) set_counters(epoch_, id_after(JobId(first - 1)));
}

void ClusterState::take(Time, const NodeRegistered& fact) {
    change_condition(fact.node, [&](NodeCondition& condition) {
        condition.registered = true;
        condition.responding = true;
        condition.boot_id = fact.boot_id;
        condition.booted_at = fact.booted_at;
        condition.agent_started_at = fact.agent_started_at;
        condition.agent_version = fact.agent_version;
        condition.os = fact.os;
        condition.arch = fact.arch;
        condition.fence_failure.clear();
    });
}

void ClusterState::take(Time, const NodeFenced& fact) {
    change_condition(fact.node, [&](NodeCondition& condition) {
        condition.fence_failure = fact.failure;
        if (fact.failure.empty()) condition.fenced_boot = fact.boot_id;
    });
}

void ClusterState::take(Time, const NodeNotResponding& fact) {
    change_condition(fact.node, [](NodeCondition& condition) { condition.responding = false; });
}

void ClusterState::take(Time now, const NodeUpdated& fact) {
    change_condition(fact.node, [&](NodeCondition& condition) {
        condition.drained = fact.drained.value_or(condition.drained);
        condition.down = fact.down.value_or(condition.down);
        if (!condition.drained && !condition.down) {
            condition.reason.clear();
            condition.reason_by.clear();
            condition.reason_at.reset();
        } else if (!fact.reason.empty()) {
            condition.reason = fact.reason;
            condition.reason_by = fact.by;
            condition.reason_at = now;
        }
        if (fact.reboot) condition.reboot = *fact.reboot;
    });
}

void ClusterState::take(Time now, const DevicesDrained& fact) {
    change_condition(fact.node, [&](NodeCondition& condition) {
        if (!fact.instance.empty()) {
            condition.fault_instance = fact.instance;
            condition.fault_number = fact.number;
        }
        std::vector<DrainedDevice>& all = condition.drained_devices;
        std::erase_if(all, [&](const DrainedDevice& one) {
            return (fact.devices & bit(static_cast<int>(one.device))) != 0;
        });
        if (!fact.drained) return;
        for_each_bit(fact.devices, [&](int device) {
            all.push_back({static_cast<std::uint32_t>(device), fact.reason, fact.by, now});
        });
        std::ranges::sort(all, {}, &DrainedDevice::device);
    });
    nodes_.follow_drained(fact.node, node_sources(), undo_);
}

// ---- Checkpoint and rollback.

ClusterState::Mark ClusterState::checkpoint() { return {undo_.open()}; }

void ClusterState::commit(Mark mark) { undo_.close(mark.at); }

void ClusterState::rollback(Mark mark) {
    while (undo_.has_after(mark.at)) undo(undo_.take_last());
    undo_.close(mark.at);
}

void ClusterState::undo(Before before) {
    std::visit(Overloaded{
                   [&](const JobBefore& was) {
                       const Job* const job = find_job(was.id);
                       if (job != nullptr) remove_from_indexes(*job);
                       const bool other_account = job != nullptr && was.job != nullptr &&
                                                  job->spec.account != was.job->spec.account;
                       if (was.job == nullptr || other_account) leaves_.erase(was.id);
                       if (was.job == nullptr) {
                           jobs_.erase(was.id);
                       } else {
                           add_to_indexes(jobs_.put(*was.job));
                       }
                   },
                   [&](const CountersBefore& was) {
                       epoch_ = was.epoch;
                       next_job_id_ = was.next_job_id;
                   },
                   [&](const RequestsBefore& was) { past_requests_ = *was.requests; },
                   [&](const UsageBefore& was) {
                       if (was.record != nullptr) {
                           usage_.restore(was.index, *was.record);
                       } else {
                           usage_.drop_last();
                           if (quota_.enforced()) quota_.drop_last_leaf();
                       }
                   },
                   [&](const RunsBefore& was) { run_history_.restore(was.slot, *was.samples); },
                   [&](const UsagesBefore& was) { usage_.restore(*was.records); },
                   [&](const ConfigurationBefore& was) {
                       configuration_ = *was.configuration;
                       rebuild_quota();
                   },
                   [&](const PlanBefore& was) { schedule_.undo(was); },
                   [&](const StandingBefore& was) { schedule_.undo(was); },
                   [&](const HoldBefore& was) { schedule_.undo(was); },
                   [&](const RestBefore& was) { schedule_.undo(was); },
                   [&](const ConditionBefore& was) { nodes_.undo(was); },
                   [&](const FreeBefore& was) { nodes_.undo(was); },
                   [&](const NodesBefore& was) { nodes_.undo(was); },
                   [&](const ReservationBefore& was) { reservations_.undo(was); },
                   [&](const JobTouched& was) { touches_.undo(was); },
                   [&](const NodeTouched& was) { touches_.undo(was); },
                   [&](const UsageTouched& was) { touches_.undo(was); },
                   [&](const WholesTouched& was) { touches_.undo(was); },
               },
               before);
}

}  // namespace berth
