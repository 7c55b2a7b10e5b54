// Order: the jobs that wait, each with what the engine knows of it beyond its record, and the order
// in which they are looked at. Both are kept from cycle to cycle.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/engine/placement/demand.h"
#include "berth/engine/plan/plan_book.h"
#include "berth/engine/plan/plan_search.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/engine/state/job_set.h"
#include "berth/policy/policy.h"

namespace berth {

struct Shape;

// What jobs with the same request and partition have in common, whatever their time limits.
struct Kind {
    Demand demand;
    ClassRequirements requirements;
    // --switches=N@wait: from then on, the same without that limit.
    Rare<Demand> relaxed;
    Time relaxed_from{};
    // It wants to be beside jobs that run, or apart from them: looked at anew each time, and
    // promised nothing.
    bool depends_on_running = false;
    bool has_affinities = false;
    bool of_components = false;  // Of a heterogeneous job, which looks for all of them together.
    // Whether it could run on the nodes that may take work, were they empty. Kept while no node's
    // condition changes.
    enum class Feasibility : std::uint8_t {
        unknown,
        fits,
        not_now,
        never
    } feasibility = Feasibility::unknown;
    // Of the first component of a heterogeneous job: whether all of them could, beside each other.
    Feasibility together = Feasibility::unknown;
    SharedText missing;  // With not_now, once it was asked for: the nodes that are wanted.
    std::vector<std::pair<Duration, std::weak_ptr<Shape>>> shapes;  // By length.
    // For the look at who can start at once: from the longest run that could, down to the shortest
    // that was tried and could not.
    Duration longest_now{}, failed_now{};

    // Whether it could start now where holes do not show it.
    bool needs_a_look() const { return demand.share || demand.linked > 0 || depends_on_running; }
};

// And the same limit. When one of them finds no room, its equals need not look until something is
// given back, and then only there.
struct Shape {
    std::shared_ptr<Kind> kind;
    Duration length{};
    // No job of this shape without a promise of its own can start before `bound`, unless something
    // was given back after `bound_at`.
    Time bound{};
    ReleaseNumber bound_at = 0;
    // From when on what is fresh could help one of them; as of this version of what is fresh.
    Time hope{};
    std::uint64_t hope_at = 0;

    const Demand& demand() const { return kind->demand; }
};

// Why a job is not even looked at, apart from resources; none: it is.
struct BlockingReason {
    PendingReason reason = PendingReason::none;
    bool by_limit = false;  // Of an association or a QOS.
    Maybe<Time> until;      // When that ends by itself.
    SharedText detail;
};

// As Slurm sorts them: what a lost node put back and shall come first, PriorityTier, the site's
// rule of order if it has one, priority, submission, id. (Reservations come between the first two.)
// Lower is looked at first.
struct OrderKey {
    std::int32_t tier = 0;  // Negated; the lowest of all for what is expedited.
    JobId id{0};
    std::int64_t rank = 0;      // By the site's rule of order; 0 where there is none.
    std::int64_t priority = 0;  // Negated.
    Time submitted_at{};

    friend bool operator==(const OrderKey&, const OrderKey&) = default;
    friend auto operator<=>(const OrderKey& a, const OrderKey& b) {
        const auto in_turn = [](const OrderKey& key) {
            return std::tie(key.tier, key.rank, key.priority, key.submitted_at, key.id);
        };
        return in_turn(a) <=> in_turn(b);
    }
};

// What the engine knows of a job that waits, beyond its record. There may be a hundred thousand:
// 104 bytes each, flags as single bits, and texts that are shared or not there at all.
struct PendingJob {
    static constexpr std::uint32_t kNoUsage = ~std::uint32_t{0};

    JobId id{0};
    PartitionId partition{0};
    std::shared_ptr<Shape> shape;
    BlockingReason blocking;
    OrderKey key;                    // In the order, if it is in there. Priority and rank always.
    Time looked_at = Time::min();    // When it last looked for a place …
    ReleaseNumber looked_after = 0;  // … and after which release.
    std::uint32_t usage_index = kNoUsage;  // Of its account and user: ClusterState::usage().
    PendingReason written_reason = PendingReason::none;  // What readers see.
    bool written_detail : 1 = false;
    bool unwritten_priority : 1 = false;  // It has changed since they were told.
    bool ordered : 1 = false;             // It is: no gate is shut.
    bool unsettled : 1 = false;           // New or changed: gate and key are not known.
    bool looked : 1 = false;              // Has looked for a place since.
    bool looked_ahead : 1 = false;        // And for a planned start.
    bool watched : 1 = false;             // Its gate may open or shut though nothing happens to it.
    bool limited : 1 = false;         // Likewise, when others of its account or QOS start or end.
    bool listed : 1 = false;          // In the list of those to be asked again.
    bool disturbed : 1 = false;       // Something was given back where it has its promise.
    bool moved_in_order : 1 = false;  // By an explicit change; it may then pass promises.
    bool repriced : 1 = false;        // Its new priority stands in DerivedState::repricing.
    bool takes_less : 1 = false;      // --time-min: it may start with less time than its limit.
    bool component : 1 = false;       // Of a heterogeneous job.

    std::int64_t priority() const { return -key.priority; }
    void set_priority(std::int64_t priority) {
        unwritten_priority = unwritten_priority || key.priority != -priority;
        key.priority = -priority;
    }
    std::optional<std::size_t> usage() const {
        return usage_index == kNoUsage ? std::nullopt : std::optional<std::size_t>(usage_index);
    }
};
static_assert(sizeof(PendingJob) == 104);

// The jobs that may be looked at, sorted. Those that leave make holes, which are closed now and
// then.
class JobOrder {
public:
    struct Entry {
        OrderKey key;
        PendingJob* job = nullptr;  // Null: it has left.
    };

    const std::vector<Entry>& entries() const { return entries_; }
    std::size_t size() const { return size_; }  // Of those that have not left.
    void insert(std::vector<PendingJob*> jobs);
    void erase(PendingJob& job);
    void resort();  // The keys of some have changed.
    // The same where all new keys are at hand, as sorted runs; of them, those of these jobs count.
    // A long queue takes a fifth of the time.
    void resort(std::vector<std::vector<Entry>> runs, const JobSet& of);
    void clear();
    bool is_first(const PendingJob& job);
    // In how many partitions some job is looked at.
    std::size_t partitions() const { return partitions_; }
    // The first entry behind this key.
    std::size_t behind(const OrderKey& key) const;

private:
    void note_entered(PendingJob& job);

    std::vector<Entry> entries_;
    std::size_t size_ = 0;
    std::size_t first_ = 0;                    // None before it is there any more.
    std::vector<std::uint32_t> of_partition_;  // How many there are.
    std::size_t partitions_ = 0;
};

class PendingJobs {
public:
    // Some job, at some time, that depends_on_running.
    bool any_depends_on_running() const { return any_depends_; }
    // Likewise, that asks for CPUs and memory alone.
    bool any_without_devices() const { return any_without_devices_; }

    // After a fact that may have changed what the job asks for, or whether it is pending at all.
    void refresh(const ClusterState& state, JobId job);
    void rebuild(const ClusterState& state);
    void forget_feasibility();  // Some node's condition changed.

    PendingJob* find(JobId job) { return jobs_.find(job); }
    const PendingJob* find(JobId job) const { return jobs_.find(job); }
    JobTable<PendingJob>& all() { return jobs_; }
    const JobTable<PendingJob>& all() const { return jobs_; }

    // Whose gate is shut, or may shut.
    std::vector<JobId>& watch_list() { return watch_list_; }

    JobOrder& order() { return order_; }
    const JobOrder& order() const { return order_; }
    // Those whose gate and place in the order are to be found out.
    void unsettle(PendingJob& job);
    std::vector<JobId> take_unsettled() { return std::exchange(unsettled_, {}); }
    bool any_unsettled() const { return !unsettled_.empty(); }

    template <class Visit>
    void each_kind(Visit visit) {
        for (const auto& [key, known] : kinds_) {
            if (const auto kind = known.lock()) visit(*kind);
        }
    }

private:
    bool any_depends_ = false, any_without_devices_ = false;
    std::shared_ptr<Kind> kind_of(const ClusterState& state, const Job& job);
    std::shared_ptr<Shape> shape_of(const ClusterState& state, const Job& job);

    JobTable<PendingJob> jobs_;
    JobOrder order_;
    std::vector<JobId> unsettled_, watch_list_;
    std::map<std::string, std::weak_ptr<Kind>> kinds_;  // By request, encoded.
    std::size_t sweep_at_ = 64;  // Kinds without jobs are cleared away beyond this many.
};

OrderKey key_of(const ClusterState& state, const PendingJob& pending, std::int64_t priority);

// As the policy has it; with INCR_ONLY it never falls, but by a hold or by hand.
std::int64_t priority_of(const ClusterState& state, const Job& job, const Policy& policy,
                         const View& view);

}  // namespace berth
