// Order: the pending jobs, what the engine knows of each beyond its record, and the order in which
// they are tried. All are kept from cycle to cycle.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/engine/derived/limit_watch.h"
#include "berth/engine/derived/shape.h"
#include "berth/engine/plan/plan_book.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/engine/state/job_set.h"
#include "berth/policy/policy.h"

namespace berth {

// Another partition that a pending job names, or another flavor of its queue: what it would ask for
// there, and what is known of a search there for a start earlier than its planned start, as long as
// it has one.
struct OtherPartition {
    PartitionId partition{0};
    FlavorChoice flavor;
    SharedShape shape;
    Time seen_until = Time::min();  // It could not start there by then …
    ReleaseNumber seen_after = 0;   // … unless something was released after this.
    bool limited = false;           // Limits bounded that search.
};

// Has the job look there anew.
inline void forget_searches(std::vector<OtherPartition>& others) {
    for (OtherPartition& one : others) one.seen_until = Time::min();
}

// Why a job is not eligible, apart from resources. PendingReason::none: the job is eligible.
struct BlockingReason {
    PendingReason reason = PendingReason::none;
    bool by_limit = false;   // Of an association, a QOS or a queue.
    bool by_quota = false;   // Only quotas of queues.
    bool by_budget = false;  // Its account or association has used up minutes: see Budgets.
    // Whether only limits that others use up now keep it waiting: then it waits ahead, in the order
    // all the same, for a planned start. Unasked: enough jobs wait ahead already.
    enum class Ahead : std::uint8_t { no, unasked, yes } ahead = Ahead::no;
    struct More {           // What few have.
        Maybe<Time> until;  // When the reason ends by itself.
        SharedText detail;
        friend bool operator==(const More&, const More&) = default;
    };
    Shared<More> more;
};

// Slurm's order: jobs that a lost node requeued and that shall come first, jobs that can preempt
// others by QOS, PriorityTier, the site's order rule if there is one, priority, submission, id.
// (Reservations come before PriorityTier.) Lower comes first.
struct OrderKey {
    std::int32_t tier = 0;  // Preemption's rank and the tier, negated; the minimum if expedited.
    JobId id{0};
    std::int64_t rank = 0;      // From the site's order rule; 0 without one.
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

// What the engine knows of a pending job beyond its record. A queue may have a hundred thousand, so
// it has 88 bytes: flags are single bits, what is rare takes a pointer.
struct PendingJob {
    static constexpr std::uint32_t kNoUsage = ~std::uint32_t{0};
    // Of several: it names several partitions, or its queue tells flavors apart;
    // PendingJobs::others has the rest of them. Misplaced: of several, and it stands in no flavor
    // of its queue, so that it must move to one.
    enum class Sort : std::uint8_t { plain, component, of_several, misplaced };

    JobId id{0};
    PartitionId partition{0};
    SharedShape shape;
    BlockingReason blocking;
    OrderKey key;  // Its place in the order, if `ordered`. Priority and rank are always valid.
    Time looked_at = Time::min();          // When it last searched for a start.
    ReleaseNumber looked_after = 0;        // The last release at that time.
    std::uint32_t usage_index = kNoUsage;  // Of its account and user: ClusterState::usage().
    // What readers see; none if that has a detail.
    PendingReason written_reason = PendingReason::none;
    Sort sort : 2 = Sort::plain;          // Component: of a heterogeneous job.
    bool unwritten_priority : 1 = false;  // It has changed since it was last written.
    bool ordered : 1 = false;             // The job is in the order.
    bool unsettled : 1 = false;           // New or changed: blocking reason and key are unknown.
    bool looked : 1 = false;              // It has searched for a start since it was settled.
    bool looked_ahead : 1 = false;        // It has also searched for a planned start.
    bool watched : 1 = false;  // Its blocking reason may change though nothing happens to the job.
    bool listed : 1 = false;   // In PendingJobs::watch_list().
    bool limit_watched : 1 = false;   // In PendingJobs::limit_watch().
    bool disturbed : 1 = false;       // Something was released on a node of its planned start.
    bool moved_in_order : 1 = false;  // Moved explicitly; it may pass planned starts.
    bool repriced : 1 = false;        // Its new priority is known to Repricing.
    bool takes_less : 1 = false;      // --time-min: it may start with less time than its limit.
    bool limited : 1 = false;  // Limits bounded its last search for a start, beside what is free.

    bool is_component() const { return sort == Sort::component; }
    bool names_several() const { return sort >= Sort::of_several; }
    bool is_misplaced() const { return sort == Sort::misplaced; }
    bool waits_ahead() const { return blocking.ahead == BlockingReason::Ahead::yes; }
    // Whether runs that end, of other jobs or of its own queue, would let it start.
    bool needs_only_room() const {
        return blocking.reason == PendingReason::none || (waits_ahead() && blocking.by_quota);
    }
    // Whether it belongs into the order.
    bool is_open() const { return blocking.reason == PendingReason::none || waits_ahead(); }

    std::int64_t priority() const { return -key.priority; }
    void set_priority(std::int64_t priority) {
        unwritten_priority = unwritten_priority || key.priority != -priority;
        key.priority = -priority;
    }
    std::optional<std::size_t> usage() const {
        return usage_index == kNoUsage ? std::nullopt : std::optional<std::size_t>(usage_index);
    }
};
static_assert(sizeof(PendingJob) == 88);

// The eligible jobs, sorted. A job that leaves makes a gap; gaps are closed now and then.
class JobOrder {
public:
    struct Entry {
        OrderKey key;
        PendingJob* job = nullptr;  // Null: the job has left.
    };

    const std::vector<Entry>& entries() const { return entries_; }
    std::size_t size() const { return size_; }  // Without those that have left.
    void insert(std::vector<PendingJob*> jobs);
    void erase(PendingJob& job);
    void note_moved(PendingJob& job, PartitionId to);  // To another partition, in its old place.
    void resort();  // Sorts anew after the keys of some jobs have changed.
    // The same if all new keys are at hand, as sorted runs. Of the entries in `runs`, only those of
    // jobs in `of` count. Takes a fifth of the time for a long queue.
    void resort(std::vector<std::vector<Entry>> runs, const JobSet& of);
    void clear();
    bool is_first(const PendingJob& job);
    // Number of partitions that have an eligible job.
    std::size_t partitions() const { return partitions_; }
    // Index of the first entry after this key.
    std::size_t behind(const OrderKey& key) const;

private:
    void note_entered(PendingJob& job);

    std::vector<Entry> entries_;
    std::size_t size_ = 0;
    std::size_t first_ = 0;                    // All entries before it have left.
    std::vector<std::uint32_t> of_partition_;  // Number of eligible jobs.
    std::size_t partitions_ = 0;
};

// How many jobs wait ahead, or would if that were asked.
class AheadCounts {
public:
    std::size_t of(BlockingReason::Ahead is) const { return counts_[static_cast<std::size_t>(is)]; }
    void set(PendingJob& job, BlockingReason::Ahead is);  // Each change goes through here.
    void clear() { counts_ = {}; }

private:
    std::array<std::size_t, 3> counts_{};  // `no` is not counted.
};

class PendingJobs {
public:
    AheadCounts ahead;
    // The other partitions and flavors of each job that has several, in the order in which it is
    // tried there.
    std::map<JobId, std::vector<OtherPartition>> others;

    // Whether some job at some time had Kind::depends_on_running.
    bool any_depends_on_running() const { return any_depends_; }
    // Whether some job at some time had PendingJob::takes_less.
    bool any_takes_less() const { return any_takes_less_; }
    void note_takes_less() { any_takes_less_ = true; }
    // Whether some job at some time asked for CPUs and memory alone.
    bool any_without_devices() const { return any_without_devices_; }

    // Call it after a fact that may have changed what the job asks for, or whether it is pending.
    void refresh(const ClusterState& state, JobId job);
    void rebuild(const ClusterState& state);
    // Resolves the demands of these pending jobs anew, after edits of partitions or nodes, and
    // refreshes the jobs whose demand is another. Returns those.
    std::vector<JobId> renew_demands(const ClusterState& state, std::span<const JobId> jobs);
    void forget_feasibility();     // Some node's condition changed.
    void forget_limit_requests();  // The quota tree numbers licenses otherwise.
    // Whether that was called since this was last asked: any job's blocking reason may change.
    bool take_feasibility_changed() { return std::exchange(feasibility_changed_, false); }

    PendingJob* find(JobId job) { return jobs_.find(job); }
    const PendingJob* find(JobId job) const { return jobs_.find(job); }
    JobTable<PendingJob>& all() { return jobs_; }
    const JobTable<PendingJob>& all() const { return jobs_; }

    // Jobs whose blocking reason is found again in each cycle: all that are blocked, but for those
    // that only a limit blocks, and all whose blocking reason may change by itself.
    std::vector<JobId>& watch_list() { return watch_list_; }
    LimitWatch& limit_watch() { return limit_watch_; }

    // All jobs in the order that are not `looked`, and perhaps others.
    const std::vector<JobId>& unlooked() const { return unlooked_; }
    void add_unlooked(JobId job) { unlooked_.push_back(job); }
    void drop_looked();  // Forgets those others.

    JobOrder& order() { return order_; }
    const JobOrder& order() const { return order_; }
    // Jobs whose blocking reason and place in the order must be found again.
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
    std::shared_ptr<Kind> kind_of(const ClusterState& state, const Job& job);
    SharedShape shape_of(const ClusterState& state, const Job& job);
    void find_others(const ClusterState& state, const Job& job, PendingJob& pending);
    std::vector<OtherPartition> others_of(const ClusterState& state, const Job& job,
                                          bool& stands_in_one);
    bool is_outdated(const ClusterState& state, const Job& job, Kind& kind,
                     std::map<std::uint64_t, bool>& outdated);

    JobTable<PendingJob> jobs_;
    JobOrder order_;
    std::vector<JobId> unsettled_, watch_list_, unlooked_;
    bool any_depends_ = false, any_without_devices_ = false, any_takes_less_ = false;
    bool feasibility_changed_ = false;
    LimitWatch limit_watch_;
    std::map<std::string, std::weak_ptr<Kind>> kinds_;  // By the encoded request.
    std::uint64_t last_kind_ = 0;
    std::size_t sweep_at_ = 64;  // Beyond this many, kinds without jobs are dropped.
};

// `preempt_rank`: see PreemptRules::rank().
OrderKey key_of(const ClusterState& state, const PendingJob& pending, std::int64_t priority,
                std::int32_t preempt_rank);

// The priority by the policy. With INCR_ONLY it never falls, except by a hold or by hand.
std::int64_t priority_of(const ClusterState& state, const Job& job, const Policy& policy,
                         const View& view);

}  // namespace berth
