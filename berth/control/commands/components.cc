#include "berth/control/commands/components.h"

#include "berth/control/requests/size_limits.h"
#include "berth/engine/limits/flavor_choices.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

Refusing cannot(const std::string& what) {
    return {Refusal::not_supported, what + " is not supported yet in a heterogeneous job", {}};
}

std::optional<Refusing> objection(const JobSpec& spec) {
    if (spec.array) return cannot("--array");
    if (names_several_partitions(spec)) return cannot("a list of partitions");
    if (spec.deadline) return cannot("--deadline");
    if (spec.time_min) return cannot("--time-min");
    if (!spec.command->checkpoint.empty()) return cannot("--berth-checkpoint");
    if (spec.command->restart_cost != Duration{}) return cannot("--berth-restart-cost");
    const TopologyConstraint& near = spec.request->nearness;
    if (!near.affinities.empty()) return cannot("affinity");
    if (near.switches) return cannot("--switches");
    // Whatever the partition: its nodes need not stay exclusive.
    if (near.layout.per_socket > 0) return cannot("--ntasks-per-socket");
    if (near.layout.gpus_per_socket > 0) return cannot("--gpus-per-socket");
    return std::nullopt;
}

std::optional<Refusing> objection(const ClusterState& state, const Job& job) {
    const Demand demand = plain_demand_of(state.spec(), job);
    if (!flavor_choices_of(state, job).empty()) {
        return cannot("a choice between the flavors of queue " + job.spec.account +
                      " (name the nodes' features and the type of GPU)");
    }
    if (demand.share) return cannot("a share of a GPU (mps, shard)");
    if (demand.linked > 0) return cannot("--berth-pack");
    return std::nullopt;
}

// Whether these consecutive ids are free. The first one stands for the whole job.
bool are_free(const ClusterState& state, JobId first, std::size_t count) {
    const std::uint64_t last = std::uint64_t{first.value()} + count - 1;
    if (last > state.spec().scheduling.max_job_id) return false;
    for (std::uint64_t id = first.value(); id <= last; ++id) {
        if (state.find_job(JobId(static_cast<std::uint32_t>(id))) != nullptr) return false;
    }
    return true;
}

std::variant<Job, Refusing> admit_one(const ClusterState& state, Time now,
                                      const Principal& principal, JobSpec spec,
                                      const HetComponent& place, PriorityBy set_by) {
    if (auto no = objection(spec)) return *std::move(no);
    if (place.offset > 0) {
        spec.request_id.clear();                 // The first component has it for the whole job.
        spec.command.edit().interactive = true;  // It has no script.
        if (!spec.dependencies.empty()) {
            return Refusing{Refusal::invalid_dependency,
                            "The first component's --dependency is the whole job's: give it there",
                            {}};
        }
    }
    auto admitted = admit(state, now, principal, spec, set_by);
    if (auto* refusing = std::get_if<Refusing>(&admitted)) return std::move(*refusing);
    Job& job = std::get<Job>(admitted);
    if (auto no = objection(state, job)) return *std::move(no);
    job.het = place;
    return std::move(job);
}

}  // namespace

std::variant<std::vector<Job>, Refusing> admit_components(TurnBuilder& builder,
                                                          const Principal& principal,
                                                          const std::vector<JobSpec>& specs,
                                                          PriorityBy set_by) {
    if (auto no = too_many_components(specs.size()))
        return Refusing{Refusal::invalid_request, *std::move(no), {}};
    ClusterState& tried = builder.scratch();
    const JobId first = tried.next_job_id();
    if (!are_free(tried, first, specs.size())) {
        return Refusing{Refusal::job_limit_reached,
                        "There are no " + std::to_string(specs.size()) +
                            " job ids in a row just now: try again",
                        {}};
    }
    const ClusterState::Mark mark = tried.checkpoint();
    std::vector<Job> jobs;
    std::optional<Refusing> no;
    for (std::uint32_t i = 0; !no && i < specs.size(); ++i) {
        const HetComponent place{first, i, static_cast<std::uint32_t>(specs.size())};
        auto admitted = admit_one(tried, builder.now(), principal, specs[i], place, set_by);
        if (auto* refusing = std::get_if<Refusing>(&admitted)) {
            no = std::move(*refusing);
        } else {
            jobs.push_back(std::get<Job>(std::move(admitted)));
            tried.apply(builder.now(), JobSubmitted{jobs.back()});  // So that limits count it.
        }
    }
    tried.rollback(mark);
    if (no) return *std::move(no);
    return jobs;
}

}  // namespace berth
