// UsageTally: what was used of the cluster from one time to another, by account and user, and what
// became of the rest. Runs are taken one by one, so that years of them take no memory.
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/api/usage_messages.h"
#include "berth/server/views/time_buckets.h"
#include "berth/store/accounting.h"
#include "berth/store/spans.h"

namespace berth {

// The time of a run: what suspension frees was used in these spans, from and until, and the rest
// held from `begin` to `held_until`. Where only for how long it stood still is known and not when,
// as of rows of earlier programs, that counts as the end of its time.
struct RunTime {
    Time begin{}, held_until{};
    std::vector<std::pair<Time, Time>> used;  // In order.
};
std::optional<RunTime> time_of(const AccountingRecord& run, Time now);

class UsageTally {
public:
    // REQUIRES: the query has `from` and `until`, and `from` is the earlier one. `only`: the user
    // who is told of no other's runs.
    UsageTally(const ClusterSpec& spec, api::UsageQuery query, Time now,
               std::optional<std::uint32_t> only);

    // To be told first. Those reservations are reported that `shows` passes, if the query asks for
    // any.
    void take(const Spans& spans, const std::function<bool(const Reservation&)>& shows);
    // The runs that are needed: of the time asked for, and of the reservations that are reported.
    RunFilter runs() const;
    void take(const AccountingRecord& run);

    api::UsageReport report() const;

private:
    using GroupKey = std::tuple<std::string, std::string, std::string, std::int64_t>;
    struct Group {
        std::int64_t jobs = 0;
        TresVector used;
    };
    // A rate and its time.
    struct Use {
        Time begin{}, until{};
        TresVector rate;
    };
    // Of one run: what it held from its start to its end, and then, for each span in which it did
    // not stand still, its CPUs and what is charged for it.
    using Uses = std::vector<Use>;
    // One occurrence of a reservation; a change in its course makes no other.
    struct Occurrence {
        api::ReservationTime row;
        Time start{};  // As the reservation says it. The row begins when it was first known.
        bool is_shown = false;
        // Neither of both: IGNORE_JOBS. Its jobs count as all others do.
        bool is_allocated = false, is_maintenance = false;
        TresVector reserved, used;  // Amounts times seconds, of all of its time.
    };

    bool is_told(const AccountingRecord& run) const;
    TresVector rate_of(const AccountingRecord& run) const;
    Uses uses_of(const AccountingRecord& run, const RunTime& time) const;
    void take_wait(const AccountingRecord& run);
    void take_use(const AccountingRecord& run, const Uses& uses);

    // usage_times.cc
    void find_billed();
    TresVector rate_of_node(const std::string& name, const Resources& amount) const;
    void take_node(const NodeSpan& span);
    Occurrence& occurrence_of(const ReservationSpan& span);
    void take_reservation(const ReservationSpan& span, const Spans& spans, bool is_shown);
    void take_kept(const ReservationSpan& span, const Spans& spans, const Occurrence& one);
    void take_reserved_use(const std::string& reservation, const Uses& uses);
    std::vector<api::TresTime> times() const;
    std::vector<api::ReservationTime> reservations() const;

    const ClusterSpec& spec_;
    api::UsageQuery query_;
    Time from_, until_, now_;
    std::optional<std::uint32_t> only_;
    std::vector<NamedTres> tres_;
    // The partitions of each node in which its amounts weigh something.
    std::map<std::string, std::vector<PartitionId>, std::less<>> billed_;
    std::map<GroupKey, Group> groups_;
    std::optional<Time> nodes_since_;
    std::vector<Occurrence> occurrences_;  // By name, then by time.
    TimeBuckets capacity_, down_, planned_down_, allocated_, waiting_;
    // What reservations that count as allocated, and those for maintenance, keep, and what of that
    // their own jobs use.
    TimeBuckets reserved_, reserved_use_, maintained_, maintained_use_;
};

}  // namespace berth
