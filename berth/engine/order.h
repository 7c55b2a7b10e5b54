// Order: the jobs that wait, each with what the engine knows of it beyond its record, and the order
// in which they are looked at.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "berth/engine/cluster_state.h"
#include "berth/engine/demand.h"
#include "berth/engine/plan_book.h"
#include "berth/policy/policy.h"

namespace berth {

// What jobs with the same request, partition and limit have in common. When one of them finds no
// room, its equals need not look until something is given back.
struct Shape {
    Demand demand;
    Duration length{};
    // No job of this shape without a promise of its own can start before `bound`, unless something
    // was given back after `bound_at`.
    Time bound{};
    ReleaseNumber bound_at = 0;
    // Whether it could run on the nodes that may take work, were they empty. Kept while no node's
    // condition changes.
    enum class Chance : std::uint8_t { unknown, fits, not_now, never } chance = Chance::unknown;
};

// demand_of(), with what is asked for in all of a job that has one node asked for on that node.
Demand plain_demand_of(const ClusterSpec& spec, const Job& job);

// Why a job is not even looked at, apart from resources; none: it is.
struct Gate {
    PendingReason reason = PendingReason::none;
    std::optional<Time> until;  // When that ends by itself.
    std::string detail;
};

struct PendingJob {
    JobId id{0};
    PartitionId partition{0};
    std::shared_ptr<Shape> shape;
    Gate gate;
    ReleaseNumber checked_at = 0;  // Has looked for a place, knowing all releases up to this.
    Time checked_time = Time::min();
    bool moved_in_order = false;  // By an explicit change; it may then pass promises.
    std::int64_t priority = 0;
    std::int64_t rank = 0;             // By the site's rule of order; 0 where there is none.
    std::optional<std::size_t> usage;  // Of its account and user: ClusterState::usage().
};

class PendingJobs {
public:
    // After a fact that may have changed what the job asks for, or whether it is pending at all.
    void refresh(const ClusterState& state, JobId job);
    void rebuild(const ClusterState& state);
    void forget_chances();  // Some node's condition changed.

    PendingJob* find(JobId job);
    const PendingJob* find(JobId job) const;
    std::map<JobId, PendingJob>& all() { return jobs_; }
    const std::map<JobId, PendingJob>& all() const { return jobs_; }

private:
    std::shared_ptr<Shape> shape_of(const ClusterState& state, const Job& job);

    std::map<JobId, PendingJob> jobs_;
    std::map<std::string, std::weak_ptr<Shape>> shapes_;  // By request, encoded.
    std::size_t sweep_at_ = 64;  // Shapes without jobs are cleared away beyond this many.
};

// Those that are to be looked at, as Slurm sorts them: what a lost node put back and shall come
// first, PriorityTier, the site's rule of order if it has one, priority, submission, id.
// (Reservations come between the first two.)
// Works out every pending job's priority on the way.
std::vector<PendingJob*> in_order(const ClusterState& state, PendingJobs& jobs,
                                  const Policy& policy, const View& view);

// Whether `a` comes before `b` in that order.
bool comes_before(const ClusterState& state, const PendingJob& a, const PendingJob& b);

}  // namespace berth
