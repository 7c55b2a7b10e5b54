// How facts change the state: the dispatch, and the facts about the controller, its configuration
// and its nodes.
#include <algorithm>

#include "berth/base/overloaded.h"
#include "berth/engine/state/cluster_state_change.h"

namespace berth {

void ClusterState::apply(Time now, const Fact& fact) {
    std::visit([&](const auto& kind) { take(now, kind); }, fact);
}

// A new controller treats every node as unknown until the node's agent has reported everything
// again.
void ClusterState::take(Time, const ControllerStarted& fact) {
    BERTH_ASSERT(fact.epoch > epoch_);
    set_counters(fact.epoch, next_job_id_);
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
        if (!conditions_[i].registered && !conditions_[i].responding) continue;
        change_condition(NodeId::from_index(i), [](NodeCondition& condition) {
            condition.registered = false;
            condition.responding = false;
        });
    }
}

void ClusterState::take(Time now, const SpecInstalled& fact) {
    install(now, keep_ids(spec_, fact.spec));
}

// A node that joins, or is described anew: all else stays, so a thousand nodes may join one after
// the other. False: that is not all that changes.
bool ClusterState::describe_in_place(const NodeDescribed& fact) {
    if (fact.node.gone || !cluster_edits_.partitions.empty()) return false;
    if (!(fact.dimensions == spec_.dimensions)) return false;
    const auto known = spec_.find_node(fact.node.name);
    if (known && spec_.node(*known).gone) return false;
    remember_spec();
    remember_all_nodes();
    const NodeId id = known.value_or(NodeId::from_index(spec_.nodes.size()));
    if (!known) {
        spec_.nodes.emplace_back();
        conditions_.emplace_back();
        free_.emplace_back();
    }
    spec_.nodes[id.index()] = fact.node;
    apply_node_edits(spec_, cluster_edits_.nodes, id);
    free_[id.index()] = free_of(id);
    touches_.spec = true;
    touch(id);
    return true;
}

void ClusterState::take(Time now, const NodeDescribed& fact) {
    if (describe_in_place(fact)) return;
    ClusterSpec with_it = spec_;
    with_it.dimensions = fact.dimensions;
    const auto known = with_it.find_node(fact.node.name);
    const NodeId id = known.value_or(NodeId::from_index(with_it.nodes.size()));
    if (!known) with_it.nodes.emplace_back();
    const bool comes_again = known && with_it.node(id).gone && !fact.node.gone;
    with_it.nodes[id.index()] = fact.node;
    if (fact.node.gone) {
        for (PartitionSpec& partition : with_it.partitions) std::erase(partition.nodes, id);
    }
    install(now, std::move(with_it));
    if (comes_again) {  // Possibly another machine of the same name.
        conditions_[id.index()] = {};
        recompute_free();
    }
}

// REQUIRES: `kept` uses the ids of the current specification.
void ClusterState::install(Time now, ClusterSpec kept) {
    remember_spec();
    remember_all_nodes();
    settle_usage(now);
    spec_ = std::move(kept);
    apply_edits(spec_, edits_);
    apply_edits(spec_, cluster_edits_);
    conditions_.resize(spec_.nodes.size());
    recompute_free();
    usage_.set_rates(rates_from_scratch());
    rebuild_quota();
    touches_.spec = touches_.all = true;
    const std::uint32_t first = spec_.scheduling.first_job_id;
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
    NodeFree& free = free_[fact.node.index()];
    if (undo_.recording()) {
        undo_.record(FreeBefore{fact.node, std::make_shared<const NodeFree>(free)});
    }
    free = free_of(fact.node);
}

// ---- Checkpoint and rollback.

ClusterState::Mark ClusterState::checkpoint() { return {undo_.open()}; }

void ClusterState::commit(Mark mark) { undo_.close(mark.at); }

void ClusterState::rollback(Mark mark) {
    while (undo_.has_after(mark.at)) undo(undo_.take_last());
    undo_.close(mark.at);
}

namespace {

template <class Map, class Key, class Value>
void restore(Map& map, const Key& key, const std::shared_ptr<const Value>& before) {
    if (before == nullptr) {
        map.erase(key);
    } else {
        map[key] = *before;
    }
}

}  // namespace

void ClusterState::undo(Before before) {
    std::visit(
        Overloaded{
            [&](const JobBefore& was) {
                if (const Job* job = find_job(was.id)) remove_from_indexes(*job);
                if (was.job == nullptr) {
                    jobs_.erase(was.id);
                    standings_.erase(was.id);
                } else {
                    add_to_indexes(jobs_.put(*was.job));
                }
            },
            [&](const PlanBefore& was) { restore(planned_, was.id, was.planned); },
            [&](const StandingBefore& was) { restore(standings_, was.id, was.standing); },
            [&](const ConditionBefore& was) { conditions_[was.id.index()] = *was.condition; },
            [&](const FreeBefore& was) { free_[was.id.index()] = *was.free; },
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
            [&](const SpecBefore& was) {
                spec_ = *was.spec;
                rebuild_quota();
                touches_.spec = was.touched;
                touches_.all = was.touched_all;
            },
            [&](const EditsBefore& was) { edits_ = *was.edits; },
            [&](const ClusterEditsBefore& was) { cluster_edits_ = *was.edits; },
            [&](const ReservationBefore& was) {
                restore(reservations_, was.name, was.reservation);
                touches_.reservations = was.touched;
            },
            [&](const HoldBefore& was) {
                holds_.erase(was.id);
                if (was.until) holds_.emplace(was.id, *was.until);
            },
            [&](const NodesBefore& was) {
                conditions_ = *was.conditions;
                free_ = *was.free;
            },
            [&](const JobTouched& was) { touches_.undo(was); },
            [&](const NodeTouched& was) { touches_.undo(was); },
            [&](const UsageTouched& was) { touches_.undo(was); },
        },
        before);
}

}  // namespace berth
