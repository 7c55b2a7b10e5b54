// UsageTally's second half: what became of the whole cluster, and of its reservations.
#include <algorithm>

#include "berth/server/views/tres_text.h"
#include "berth/server/views/usage_tally.h"

namespace berth {
namespace {

TresVector minus(TresVector a, const TresVector& b) {
    a -= b;
    return a;
}

// What one bucket has of one TRES.
struct Bucket {
    std::int64_t capacity = 0, down = 0, planned_down = 0, allocated = 0, waiting = 0;
};

// As much of this as there is room for.
std::int64_t within(std::int64_t room, std::int64_t wanted) {
    return std::max<std::int64_t>(std::min(room, wanted), 0);
}

// As Slurm settles an hour: what is allocated counts first, then what was down, then what was down
// as planned; what waited counts as far as there was room.
void settle(Bucket bucket, bool is_known, api::TresTime& time) {
    const std::int64_t total =
        is_known ? bucket.capacity
                 : std::max(bucket.capacity, bucket.allocated + bucket.down + bucket.planned_down);
    const std::int64_t allocated = within(total, bucket.allocated);
    const std::int64_t down = within(total - allocated, bucket.down);
    const std::int64_t planned_down = within(total - allocated - down, bucket.planned_down);
    const std::int64_t idle = total - allocated - down - planned_down;
    const std::int64_t planned = is_known ? within(idle, bucket.waiting) : 0;
    time.allocated += allocated;
    time.down += down;
    time.planned_down += planned_down;
    time.planned += planned;
    time.idle += idle - planned;
    time.overcommitted += is_known ? bucket.waiting - planned : 0;
    time.reported += total;
}

}  // namespace

// The billing of a node is the highest that a partition makes of it.
TresVector UsageTally::rate_of_node(const std::string& name, const Resources& amount) const {
    TresVector rate = TresVector::of(spec_, amount);
    std::optional<std::int64_t> billing;
    const std::optional<NodeId> node = spec_.find_node(name);
    for (std::size_t i = 0; node && i < spec_.partitions.size(); ++i) {
        const PartitionId id(static_cast<std::uint32_t>(i));
        const PartitionSpec& partition = spec_.partition(id);
        if (partition.gone || partition.billing_weights.empty()) continue;
        if (std::ranges::binary_search(*partition.nodes, *node))
            billing = std::max(billing.value_or(0), *billed_in(spec_, id, 1, amount));
    }
    rate.amounts[TresVector::kBilling] = billing.value_or(rate.amounts[TresVector::kCpu]);
    return rate;
}

void UsageTally::take(const Spans& spans, const std::function<bool(const Reservation&)>& shows) {
    nodes_since_ = spans.since;
    for (const NodeSpan& span : spans.nodes) take_node(span);
    for (const ReservationSpan& span : spans.reservations)
        take_reservation(span, spans, shows(span.standing.reservation));
}

void UsageTally::take_node(const NodeSpan& span) {
    const Time end = std::min(span.ended.value_or(now_), now_);
    const NodeStanding& node = span.standing;
    capacity_.add(span.began, end, rate_of_node(span.name, node.capacity));
    const TresVector unavailable = rate_of_node(span.name, node.unavailable);
    (node.planned ? planned_down_ : down_).add(span.began, end, unavailable);
}

UsageTally::Occurrence& UsageTally::occurrence_of(const ReservationSpan& span) {
    const bool goes_on = !occurrences_.empty() && occurrences_.back().row.name == span.name &&
                         occurrences_.back().row.end == span.began;
    if (!goes_on) occurrences_.push_back({.row = {.name = span.name, .start = span.began}});
    return occurrences_.back();
}

void UsageTally::take_reservation(const ReservationSpan& span, const Spans& spans, bool is_shown) {
    const Reservation& reservation = span.standing.reservation;
    Occurrence& one = occurrence_of(span);
    const Time end = span.ended.value_or(reservation.end);
    one.row.end = end;
    one.row.flags = flags_text(reservation);
    one.row.nodes = span.standing.nodes;
    one.row.users = reservation.users;
    one.row.accounts = reservation.accounts;
    one.is_shown = is_shown;
    one.is_maintenance = reservation.maint && !reservation.ignore_jobs;
    one.is_allocated = !reservation.maint && !reservation.ignore_jobs;
    TresVector rate;
    for (std::size_t i = 0; i < reservation.amounts.size() && i < one.row.nodes.size(); ++i)
        rate += rate_of_node(one.row.nodes[i], reservation.amounts[i].second);
    one.reserved.add_times(rate, seconds(end) - seconds(span.began));
    if (one.is_allocated) reserved_.add(span.began, std::min(end, now_), rate);
    if (one.is_maintenance) take_maintenance(span, spans);
}

// A node that is down while it is maintained is down as planned.
void UsageTally::take_maintenance(const ReservationSpan& span, const Spans& spans) {
    const Reservation& reservation = span.standing.reservation;
    const Time end = std::min(span.ended.value_or(reservation.end), now_);
    const auto& nodes = span.standing.nodes;
    for (std::size_t i = 0; i < reservation.amounts.size() && i < nodes.size(); ++i) {
        const TresVector kept = rate_of_node(nodes[i], reservation.amounts[i].second);
        maintained_.add(span.began, end, kept);
        for (const NodeSpan& node :
             std::ranges::equal_range(spans.nodes, nodes[i], {}, &NodeSpan::name)) {
            if (node.standing.unavailable.is_zero()) continue;
            const Time from = std::max(span.began, node.began);
            const Time until = std::min(end, node.ended.value_or(now_));
            if (from >= until || node.standing.planned) continue;
            const TresVector unavailable = rate_of_node(node.name, node.standing.unavailable);
            down_.add(from, until, minus({}, unavailable));
            planned_down_.add(from, until, unavailable);
            maintained_.add(from, until, minus({}, unavailable));
        }
    }
}

void UsageTally::take_reserved_use(const AccountingRecord& run, const RunTime& time,
                                   const TresVector& rate) {
    for (Occurrence& one : occurrences_) {
        if (one.row.name != *run.request.reservation) continue;
        const Time from = std::max(time.begin, one.row.start);
        const Time until = std::min(time.held_until, one.row.end);
        if (from >= until) continue;
        one.used.add_times(rate, seconds(until) - seconds(from));
        if (one.is_allocated) reserved_use_.add(from, until, rate);
        if (one.is_maintenance) maintained_use_.add(from, until, rate);
    }
}

std::vector<api::TresTime> UsageTally::times() const {
    const auto capacity = capacity_.totals(), down = down_.totals(),
               planned_down = planned_down_.totals(), allocated = allocated_.totals(),
               waiting = waiting_.totals(), reserved = reserved_.totals(),
               reserved_use = reserved_use_.totals(), maintained = maintained_.totals(),
               maintained_use = maintained_use_.totals();
    const auto rest = [](const NamedTres& tres, const TresVector& of, const TresVector& used) {
        return std::max<std::int64_t>(tres.in(of)-tres.in(used), 0);
    };
    std::vector<api::TresTime> times;
    for (const NamedTres& tres : tres_) {
        if (tres.name == "node") continue;  // Jobs share nodes: it would be counted many times.
        api::TresTime time{.name = tres.name};
        std::int64_t had = 0;
        for (std::size_t i = 0; i < capacity.size(); ++i) {
            const bool is_known = nodes_since_ && *nodes_since_ <= capacity_.begin_of(i);
            had += tres.in(capacity[i]);
            settle({.capacity = tres.in(capacity[i]),
                    .down = tres.in(down[i]),
                    .planned_down =
                        tres.in(planned_down[i]) + rest(tres, maintained[i], maintained_use[i]),
                    .allocated = tres.in(allocated[i]) + rest(tres, reserved[i], reserved_use[i]),
                    .waiting = tres.in(waiting[i])},
                   is_known, time);
        }
        const std::int64_t known =
            nodes_since_ ? overlap(std::max(*nodes_since_, from_), now_, from_, until_) : 0;
        if (known > 0) time.count = (had + known / 2) / known;
        times.push_back(std::move(time));
    }
    return times;
}

std::vector<api::ReservationTime> UsageTally::reservations() const {
    std::vector<api::ReservationTime> rows;
    for (const Occurrence& one : occurrences_) {
        if (!one.is_shown) continue;
        rows.push_back(one.row);
        const std::int64_t length = seconds(one.row.end) - seconds(one.row.start);
        for (const NamedTres& tres : tres_) {
            const std::int64_t reserved = tres.in(one.reserved), used = tres.in(one.used);
            if (reserved == 0 || length <= 0) continue;
            rows.back().tres.push_back({.name = tres.name,
                                        .count = reserved / length,
                                        .allocated = used,
                                        .idle = std::max<std::int64_t>(reserved - used, 0),
                                        .reported = reserved});
        }
    }
    return rows;
}

}  // namespace berth
