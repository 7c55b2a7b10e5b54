#include "berth/engine/plan/plan_check.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "berth/engine/plan/check_lent.h"
#include "berth/engine/plan/check_limits.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

struct Interval {
    Time start, end;
    Resources amount;
    JobId job{0};
    DeviceMask devices = 0;  // Of running jobs; planned starts have no devices yet.
};
using Intervals = std::vector<Interval>;

// A drained device is unavailable once its last user has ended.
void add_drained(const ClusterState& state, Time now, std::size_t n, Intervals& node) {
    const NodeSpec& spec = state.spec().nodes[n];
    for_each_bit(state.nodes().free(NodeId::from_index(n)).drained, [&](int device) {
        const DeviceMask mask = bit(device);
        Time from = now;
        for (const Interval& one : node) {
            if ((one.devices & mask) != 0) from = std::max(from, one.end);
        }
        if (from == kNever) return;
        Resources amount;
        amount[spec.devices[static_cast<std::size_t>(device)].dimension] = 1;
        node.push_back({from, kNever, amount, JobId(0), mask});
    });
}

std::vector<Intervals> running_intervals(const ClusterState& state, const CheckedLoans& loans,
                                         Time now) {
    std::vector<Intervals> nodes(state.spec().nodes.size());
    std::map<std::pair<NodeId, std::uint32_t>, std::pair<Time, JobId>> shared;  // Shared GPUs.
    for (const JobId id : state.index().holding()) {
        const Job& job = *state.find_job(id);
        const Time end = loans.end_of(job);
        if (end <= now) continue;
        for (const NodeShare& share : job.allocation->shares) {
            nodes[share.node.index()].push_back(
                {now, end, loans.own_part(job, share), id, share.whole_devices()});
            if (!share.device_share) continue;
            auto& last = shared[{share.node, share.device_share->device}];
            last = std::max(last, std::pair(end, id));
        }
    }
    for (const auto& [gpu, last] : shared) {  // Each is held whole until its last user ends.
        Resources one;
        one[state.spec().node(gpu.first).devices[gpu.second].dimension] = 1;
        nodes[gpu.first.index()].push_back(
            {now, last.first, one, last.second, DeviceMask{1} << gpu.second});
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) add_drained(state, now, n, nodes[n]);
    return nodes;
}

std::vector<Intervals> all_intervals(const ClusterState& state, Time now) {
    const CheckedLoans loans(state);
    auto nodes = running_intervals(state, loans, now);
    for (const auto& [id, planned] : state.schedule().planned_starts()) {
        for (const auto& [node, amount] : planned.amounts) {
            nodes[node.index()].push_back({std::max(planned.start, now), planned.end,
                                           loans.taken_besides(id, node, amount), id});
        }
    }
    for (Intervals& node : nodes) {
        std::ranges::stable_sort(node, {}, &Interval::start);
    }
    return nodes;
}

std::string moment(Time at) { return std::to_string(at.time_since_epoch().count()) + " ms"; }

// ---- The sums.

std::optional<std::string> check_sums(const NodeSpec& node, const Intervals& intervals) {
    std::vector<std::pair<Time, const Interval*>> ends;  // A heap, the earliest end on top.
    const auto later = [](const auto& a, const auto& b) { return a.first > b.first; };
    Resources sum;
    for (const Interval& one : intervals) {  // The sum only grows where an interval begins.
        while (!ends.empty() && ends.front().first <= one.start) {
            sum -= ends.front().second->amount;
            std::ranges::pop_heap(ends, later);
            ends.pop_back();
        }
        sum += one.amount;
        ends.emplace_back(one.end, &one);
        std::ranges::push_heap(ends, later);
        if (fits(sum, node.capacity)) continue;
        std::string jobs;
        for (const auto& [end, other] : ends) jobs += " " + to_string(other->job);
        return node.name + " is booked twice at " + moment(one.start) + ", by" + jobs;
    }
    return std::nullopt;
}

// ---- Device by device: each planned start gets devices of its own for all of its time.

std::optional<std::string> check_devices(const NodeSpec& node, const Intervals& intervals) {
    std::vector<Time> free_from(node.devices.size(), Time::min());
    for (const Interval& one : intervals) {
        for (std::size_t d = 0; d < node.devices.size(); ++d) {
            if (((one.devices >> d) & 1U) == 0) continue;
            if (free_from[d] > one.start) return node.name + " lends one device to two";
            free_from[d] = one.end;
        }
    }
    for (const Interval& one : intervals) {
        if (one.devices != 0) continue;
        Resources left = one.amount;
        for (std::size_t d = 0; d < node.devices.size(); ++d) {
            std::int64_t& count = left[node.devices[d].dimension];
            if (count <= 0 || free_from[d] > one.start) continue;
            free_from[d] = one.end;
            --count;
        }
        for (const Device& device : node.devices) {
            if (left[device.dimension] <= 0) continue;
            return "on " + node.name + " no device is free for " + to_string(one.job) + " at " +
                   moment(one.start);
        }
    }
    return std::nullopt;
}

// ---- The order.

// What is free on a node over time: each step lasts until the next begins.
class Free {
public:
    explicit Free(const Resources& capacity) : steps_{{Time::min(), capacity}} {}

    void take(const Interval& one) {
        const std::size_t first = cut(one.start);
        const std::size_t last = one.end == kNever ? steps_.size() : cut(one.end);
        for (std::size_t i = first; i < last; ++i) steps_[i].second -= one.amount;
    }

    // Visits the spans of time within which a run of this length could start, up to `latest`.
    template <class Visit>
    void each_feasibility(Time earliest, Time latest, Duration length, const Resources& need,
                          Visit visit) const {
        std::size_t i = 0;
        while (i < steps_.size() && (i + 1 < steps_.size() && steps_[i + 1].first <= earliest)) ++i;
        while (i < steps_.size() && steps_[i].first <= latest) {
            if (!fits(need, steps_[i].second)) {
                ++i;
                continue;
            }
            const Time begin = std::max(steps_[i].first, earliest);
            while (i < steps_.size() && fits(need, steps_[i].second)) ++i;
            const Time end = i < steps_.size() ? steps_[i].first : kNever;
            if (end == kNever) {
                visit(begin, latest);
            } else if (end - begin >= length) {
                visit(begin, std::min(end - length, latest));
            }
        }
    }

private:
    std::size_t cut(Time at) {
        const auto next =
            std::ranges::upper_bound(steps_, at, {}, &std::pair<Time, Resources>::first);
        const auto i = static_cast<std::size_t>(next - steps_.begin()) - 1;
        if (steps_[i].first == at) return i;
        const Resources free = steps_[i].second;
        steps_.insert(next, {at, free});
        return i + 1;
    }

    std::vector<std::pair<Time, Resources>> steps_;
};

bool is_plain(const Job& job, const PlannedStart& planned) {
    const JobRequest& request = job.spec.request;
    if (request.nearness != TopologyConstraint{}) return false;
    if (!request.nodelist.empty() || !request.exclude.empty() || !request.constraint.empty()) {
        return false;
    }
    return std::ranges::all_of(planned.amounts, [&](const auto& part) {
        return part.second == planned.amounts.front().second;
    });
}

// A start earlier than the planned one at which enough nodes are free together, if there is one.
std::optional<Time> earlier_start(const ClusterState& state, const Job& job,
                                  const PlannedStart& planned, const std::vector<Free>& free,
                                  Time now) {
    const std::size_t wanted = planned.amounts.size();
    const Resources& need = planned.amounts.front().second;
    std::vector<std::pair<Time, int>> changes;
    for (const NodeId node : state.spec().partition(job.partition).nodes) {
        if (!state.nodes().condition(node).schedulable()) continue;
        const auto add = [&](Time from, Time to) {
            changes.emplace_back(from, 1);
            changes.emplace_back(to + Duration(1), -1);
        };
        const Time latest = planned.start - Duration(1);
        free[node.index()].each_feasibility(now + Duration(1), latest, planned.end - planned.start,
                                            need, add);
        free[node.index()].each_feasibility(now, now, job.time_limit, need, add);
    }
    std::ranges::sort(changes);
    std::size_t nodes = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (changes[i].second < 0) --nodes;
        if (changes[i].second > 0 && ++nodes >= wanted) return changes[i].first;
    }
    return std::nullopt;
}

std::vector<const Job*> in_order(const ClusterState& state) {
    std::vector<const Job*> jobs;
    for (const auto& [id, planned] : state.schedule().planned_starts())
        jobs.push_back(state.find_job(id));
    const auto place = [&](const Job* job) {
        return std::tuple(-state.spec().partition(job->partition).priority_tier,
                          -current_priority(state, job->id), job->submitted_at, job->id);
    };
    std::ranges::sort(jobs, {}, place);
    return jobs;
}

// Compares each job with those before it in the order. A long queue is sampled. Where limits are
// enforced, free nodes alone do not make an earlier start.
std::optional<std::string> check_order(const ClusterState& state, Time now) {
    if (state.quota().enforced()) return std::nullopt;
    constexpr std::size_t kLooks = 20'000'000;  // Checks of one job against one node.
    std::vector<Free> free;
    for (const NodeSpec& node : state.spec().nodes) free.emplace_back(node.capacity);
    const auto running = running_intervals(state, CheckedLoans(state), now);
    for (std::size_t n = 0; n < running.size(); ++n) {
        for (const Interval& one : running[n]) free[n].take(one);
    }
    const std::vector<const Job*> jobs = in_order(state);
    const std::size_t every = 1 + jobs.size() * free.size() / kLooks;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Job& job = *jobs[i];
        const PlannedStart& planned = *state.schedule().planned(job.id);
        if (i % every == 0 && is_plain(job, planned)) {
            if (const auto earlier = earlier_start(state, job, planned, free, now)) {
                return "job " + to_string(job.id) + " is planned for " + moment(planned.start) +
                       ", but without those behind it could start at " + moment(*earlier);
            }
        }
        for (const auto& [node, amount] : planned.amounts) {
            free[node.index()].take({planned.start, planned.end, amount, job.id});
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> check_plan(const ClusterState& state, Time now, PlanCheck wanted) {
    const auto nodes = all_intervals(state, now);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (auto wrong = check_sums(state.spec().nodes[n], nodes[n])) return wrong;
        if (auto wrong = check_devices(state.spec().nodes[n], nodes[n])) return wrong;
    }
    for (const auto& [id, planned] : state.schedule().planned_starts()) {
        if (planned.end <= planned.start) return "an empty planned start of " + to_string(id);
        for (const auto& [node, amount] : planned.amounts) {
            if (state.nodes().condition(node).schedulable()) continue;
            return "a planned start of " + to_string(id) + " on a node that takes no work";
        }
    }
    if (auto wrong = check_limits(state, now)) return wrong;
    if (wanted.nobody_later_than_without_those_behind) return check_order(state, now);
    return std::nullopt;
}

std::optional<std::string> check_kept(const ClusterState& state,
                                      const JobTable<PlannedStart>& before) {
    for (const auto& [id, planned_for] : before) {
        const Job* job = state.find_job(id);
        if (job == nullptr || job->state != JobState::pending) continue;
        const PlannedStart* now = state.schedule().planned(id);
        if (now == nullptr) return "job " + to_string(id) + " lost its planned start";
        if (now->start > planned_for.start) return "job " + to_string(id) + " was put off";
    }
    return std::nullopt;
}

}  // namespace berth
