#include "berth/engine/explain/explain_advice.h"

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/explain/start_search.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/placement/resolved_demand.h"
#include "berth/engine/plan/trial.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

constexpr std::size_t kAdviceMax = 3;
constexpr auto kMinute = std::chrono::minutes(1);
// Bounds the node examinations over all searches for one job, since they block the controller.
constexpr std::size_t kLooksMax = 100'000;

class Advising {
public:
    Advising(Engine& engine, Time now, const PendingJob& pending, bool may_plan)
        : state_(engine.state()),
          spec_(state_.spec()),
          derived_(engine.derived()),
          now_(now),
          kind_(*pending.shape->kind),
          job_(*state_.find_job(pending.id)),
          view_(state_, derived_, now),
          preference_{derived_.policy.placement(state_.spec().partition(pending.partition)),
                      view_,
                      pending.id,
                      &derived_.domains,
                      &state_,
                      &derived_.topologies},
          search_(state_, derived_, now, preference_),
          trial_(engine.trial()) {
        const PlannedStart* planned = state_.schedule().planned(job_.id);
        known_ = planned != nullptr ? planned->start
                 : may_plan         ? after(now, spec_.scheduling.plan_window) + Duration(1)
                                    : now + Duration(1);
        if (derived_.book.planned_start(job_.id) != nullptr) trial_.lift(job_.id);
    }

    std::vector<Advice> run() {
        if (kind_.depends_on_running || kind_.relaxed || known_ <= now_) return {};
        if (start_of(job_) == now_) return {};  // It starts as it is.
        try_shorter();
        try_fewer_gpus();
        try_fewer_nodes();
        try_other_types();
        try_other_partitions();
        std::ranges::stable_sort(found_, {}, &Advice::start);
        if (found_.size() > kAdviceMax) found_.resize(kAdviceMax);
        return std::move(found_);
    }

private:
    Demand demand_of_changed(const Job& job) const {
        Demand demand = plain_demand_of(spec_, job);
        const Reservation* own = state_.reservations().find(job.spec.request->reservation);
        if (own != nullptr) keep_to(demand, *own);
        return demand;
    }

    // If only the limit changes, the job's own requirements apply and the free-slot index can be
    // used.
    const ClassRequirements* requirements_of(const Job& job) const {
        const bool is_same = job.partition == job_.partition &&
                             job.spec.request->gpus == job_.spec.request->gpus &&
                             job.spec.request->gpus_per_node == job_.spec.request->gpus_per_node &&
                             job.spec.request->gpus_per_task == job_.spec.request->gpus_per_task &&
                             job.spec.request->gres_per_node == job_.spec.request->gres_per_node &&
                             job.spec.request->nodes_min == job_.spec.request->nodes_min;
        const ClassRequirements& known = kind_.requirements;
        return is_same && known.generation == derived_.book.generation() ? &known : nullptr;
    }

    // The earliest start of the changed job if it is before the known one; nullopt: it is not.
    std::optional<Time> start_of(const Job& job) {
        const ClassRequirements* known = requirements_of(job);
        const std::size_t looks = known != nullptr && known->known ? 1 : 2 * spec_.nodes.size();
        if (looks_ + looks > kLooksMax) return std::nullopt;
        looks_ += looks;
        const Demand demand = demand_of_changed(job);
        const LimitRequest asked = limit_request_of(state_, job.partition, demand);
        if (limit_reason_on_start(state_, job, demand, asked).reason != PendingReason::none)
            return std::nullopt;
        const StartSearch::Wanted wanted{demand, job.time_limit, known,
                                         kind_.has_affinities ? &job : nullptr};
        if (search_.immediate(wanted)) return now_;
        Time latest = known_ - Duration(1);
        if (job.spec.deadline && job.time_limit >= *job.spec.deadline - now_) return std::nullopt;
        if (job.spec.deadline) latest = std::min(latest, *job.spec.deadline - job.time_limit);
        const auto later = search_.earliest(wanted, now_ + Duration(1), latest);
        if (!later) return std::nullopt;
        return later->start;
    }

    void note(const Job& job, std::string change) {
        if (const auto start = start_of(job)) found_.push_back({std::move(change), *start, job});
    }

    // The longest limit with which it would start at once; failing that, one with which it would
    // start sooner.
    void try_shorter() {
        for (const bool at_once : {true, false}) {
            Job job = job_;
            const auto helps = [&](Duration length) {
                job.time_limit = length;
                job.spec.request.edit().time_limit = length;
                const auto start = start_of(job);
                return start && (!at_once || *start == now_);
            };
            Duration low = std::max<Duration>(job_.spec.time_min.value_or(kMinute), kMinute);
            Duration high = std::min<Duration>(job_.time_limit, std::chrono::hours(24 * 365));
            if (high <= low || !helps(low)) continue;
            while (high - low > kMinute) {
                const Duration middle = low + (high - low) / kMinute / 2 * kMinute;
                if (middle == low) break;
                (helps(middle) ? low : high) = middle;
            }
            if (helps(low)) return note(job, "--time=" + format_duration(low));
        }
    }

    // The largest number with which it would start at once; failing that, one with which it would
    // start sooner.
    template <class Change>
    void try_fewer(std::int64_t count, const std::string& option, Change change) {
        std::optional<Advice> sooner;
        for (std::int64_t some = count - 1; some > 0; some = count <= 8 ? some - 1 : some / 2) {
            Job job = job_;
            change(job.spec.request.edit(), some);
            const auto start = start_of(job);
            if (!start) continue;
            Advice advice{option + std::to_string(some) + " instead of " + std::to_string(count),
                          *start, std::move(job)};
            if (*start <= now_) return found_.push_back(std::move(advice));
            if (!sooner) sooner = std::move(advice);
        }
        if (sooner) found_.push_back(*std::move(sooner));
    }

    using GresList = Shared<std::vector<GresRequest>> JobRequest::*;
    static constexpr std::pair<GresList, std::string_view> kGpuOptions[] = {
        {&JobRequest::gpus, "--gpus="},
        {&JobRequest::gpus_per_node, "--gpus-per-node="},
        {&JobRequest::gpus_per_task, "--gpus-per-task="},
        {&JobRequest::gres_per_node, "--gres=gpu:"},
    };

    void try_fewer_gpus() {
        for (const auto& [list, option] : kGpuOptions) {
            const std::vector<GresRequest>& asked = (*job_.spec.request).*list;
            if (asked.size() != 1 || asked.front().name != "gpu") continue;
            const std::string& type = asked.front().type;
            try_fewer(asked.front().count, std::string(option) + (type.empty() ? "" : type + ":"),
                      [member = list](JobRequest& request, std::int64_t some) {
                          (request.*member).edit().front().count = some;
                      });
        }
    }

    // With -n, the number of tasks stays the same, on fewer nodes.
    void try_fewer_nodes() {
        const JobRequest& request = job_.spec.request;
        if (!request.nodes_given || request.nodes_min <= 1 || !request.nodelist.empty()) return;
        try_fewer(request.nodes_min, "--nodes=", [](JobRequest& changed, std::int64_t some) {
            changed.nodes_min = static_cast<std::uint32_t>(some);
            if (changed.nodes_max) changed.nodes_max = changed.nodes_min;
        });
    }

    // "a100" where "h100" was asked for.
    void try_other_types() {
        for (const DimensionId d : spec_.dimensions.of_name("gpu")) {
            const std::string& type = spec_.dimensions.at(d).type;
            Job job = job_;
            std::string before;
            for (const auto& [list, option] : kGpuOptions) {
                for (GresRequest& one : (job.spec.request.edit().*list).edit()) {
                    if (one.name != "gpu" || one.type.empty() || one.type == type) continue;
                    before = one.type;
                    one.type = type;
                }
            }
            if (!before.empty() && !type.empty()) {
                note(job, ("GPUs of type " + type).append(" instead of ").append(before));
            }
        }
    }

    void try_other_partitions() {
        if (!job_.spec.request->reservation.empty()) return;
        const std::vector<PartitionId> named = partitions_of(spec_, job_);
        for (std::size_t p = 0; p < spec_.partitions.size(); ++p) {
            const PartitionSpec& partition = spec_.partitions[p];
            const PartitionId id = PartitionId::from_index(p);
            if (partition.gone || partition.state != PartitionState::up) continue;
            if (id == job_.partition || partition.root_only) continue;
            if (std::ranges::count(named, id) > 0) continue;  // It moves there by itself.
            if (partition.max_time && job_.time_limit > *partition.max_time) continue;
            Job job = job_;
            job.partition = id;
            job.spec.partition = partition.name;
            const Principal owner{.uid = job.owner->uid,
                                  .gid = job.owner->gid,
                                  .user = job.owner->user,
                                  .group = job.owner->group,
                                  .role = Role::user};
            if (check_partition_access(spec_, owner, job)) continue;
            const std::uint32_t nodes = demand_of_changed(job).nodes_min;
            if (nodes > partition.max_nodes.value_or(UINT32_MAX) || nodes < partition.min_nodes) {
                continue;
            }
            note(job, "--partition=" + partition.name);
        }
    }

    const ClusterState& state_;
    const ClusterSpec& spec_;
    const DerivedState& derived_;
    Time now_;
    const Kind& kind_;
    const Job& job_;
    EngineView view_;
    PlacementPreference preference_;
    StartSearch search_;
    Trial trial_;  // Without the planned start of the job itself.
    Time known_{};
    std::size_t looks_ = 0;
    std::vector<Advice> found_;
};

std::int64_t gpus_of(const ClusterSpec& spec, const Demand& demand) {
    DimensionSet gpus = 0;
    for (const DimensionId d : spec.dimensions.of_name("gpu")) gpus |= dimension_bit(d);
    const std::int64_t tasks =
        demand.tasks ? *demand.tasks : std::int64_t{demand.nodes_min} * demand.tasks_per_node;
    std::int64_t sum = 0;
    const auto add = [&](const std::vector<GresDemand>& demands, std::int64_t times) {
        for (const GresDemand& one : demands) {
            if ((one.dimensions & gpus) != 0) sum += one.count * times;
        }
    };
    add(demand.gres_per_node, demand.nodes_min);
    add(demand.gres_per_task, tasks);
    add(demand.gres_total, 1);
    return sum;
}

}  // namespace

std::vector<Advice> advice_for(Engine& engine, Time now, const PendingJob& pending, bool may_plan) {
    return Advising(engine, now, pending, may_plan).run();
}

std::string in_words(const Advice& advice, Time now, const PlannedStart* planned) {
    const std::string text = advice.change + " would let it start ";
    if (advice.start <= now) return text + "now without delaying anyone";
    return text + "in " + format_duration(advice.start - now) +
           (planned == nullptr ? "" : " instead of " + format_duration(planned->start - now));
}

WorkAhead work_ahead(const ClusterState& state, const DerivedState& derived,
                     const PendingJob& pending) {
    WorkAhead work;
    for (const auto& [id, other] : derived.pending.all()) {
        if (id == pending.id || other.blocking.reason != PendingReason::none) continue;
        if (!(other.key < pending.key)) continue;
        ++work.jobs;
        const std::int64_t gpus = gpus_of(state.spec(), other.shape->demand());
        if (gpus == 0) continue;
        const Job& job = *state.find_job(id);
        const std::int64_t times =
            job.spec.array ? static_cast<std::int64_t>(job.spec.array->tasks.size()) : 1;
        if (job.time_limit == Duration::max()) {
            ++work.endless;
        } else {
            work.gpu_minutes += gpus * times * (job.time_limit / kMinute);
        }
    }
    return work;
}

}  // namespace berth
