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

void add(std::int64_t& sum, std::int64_t more) { sum = sum_of(sum, more); }

// As much of this as there is room for.
std::int64_t within(std::int64_t room, std::int64_t wanted) {
    return std::max<std::int64_t>(std::min(room, wanted), 0);
}

// As Slurm settles an hour: what is allocated counts first, then what was down, then what was down
// as planned; what waited counts as far as there was room.
void settle(Bucket bucket, bool is_known, api::TresTime& time) {
    const std::int64_t taken = sum_of(sum_of(bucket.allocated, bucket.down), bucket.planned_down);
    const std::int64_t total = is_known ? bucket.capacity : std::max(bucket.capacity, taken);
    const std::int64_t allocated = within(total, bucket.allocated);
    const std::int64_t down = within(total - allocated, bucket.down);
    const std::int64_t planned_down = within(total - allocated - down, bucket.planned_down);
    const std::int64_t idle = total - allocated - down - planned_down;
    const std::int64_t planned = is_known ? within(idle, bucket.waiting) : 0;
    add(time.allocated, allocated);
    add(time.down, down);
    add(time.planned_down, planned_down);
    add(time.planned, planned);
    add(time.idle, idle - planned);
    add(time.overcommitted, is_known ? bucket.waiting - planned : 0);
    add(time.reported, total);
}

}  // namespace

void UsageTally::find_billed() {
    for (std::size_t i = 0; i < spec_.partitions.size(); ++i) {
        const PartitionId id(static_cast<std::uint32_t>(i));
        const PartitionSpec& partition = spec_.partition(id);
        if (partition.gone || partition.billing_weights.empty()) continue;
        for (const NodeId node : *partition.nodes) billed_[spec_.node(node).name].push_back(id);
    }
}

// The billing of a node is the highest that a partition makes of it.
TresVector UsageTally::rate_of_node(const std::string& name, const Resources& amount) const {
    TresVector rate = TresVector::of(spec_, amount);
    const auto found = billed_.find(name);
    std::int64_t& billing = rate.amounts[TresVector::kBilling];
    if (found == billed_.end()) {
        billing = rate.amounts[TresVector::kCpu];
        return rate;
    }
    for (const PartitionId id : found->second)
        billing = std::max(billing, *billed_in(spec_, id, 1, amount));
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
    const Time start = span.standing.reservation.start;
    const bool goes_on = !occurrences_.empty() && occurrences_.back().row.name == span.name &&
                         occurrences_.back().start == start;
    if (!goes_on)
        occurrences_.push_back({.row = {.name = span.name, .start = span.began}, .start = start});
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
    one.is_shown = is_shown && query_.reservations;
    one.is_maintenance = reservation.maint && !reservation.ignore_jobs;
    one.is_allocated = !reservation.maint && !reservation.ignore_jobs;
    TresVector rate;
    for (std::size_t i = 0; i < reservation.amounts.size() && i < one.row.nodes.size(); ++i)
        rate += rate_of_node(one.row.nodes[i], reservation.amounts[i].second);
    one.reserved.add_times(rate, seconds(end) - seconds(span.began));
    if (one.is_allocated) reserved_.add(span.began, std::min(end, now_), rate);
    if (one.is_maintenance) maintained_.add(span.began, std::min(end, now_), rate);
    if (one.is_allocated || one.is_maintenance) take_kept(span, spans, one);
}

// A node that is down keeps nothing for a reservation: it is down, and down as planned while it is
// maintained.
void UsageTally::take_kept(const ReservationSpan& span, const Spans& spans, const Occurrence& one) {
    const Reservation& reservation = span.standing.reservation;
    const Time end = std::min({span.ended.value_or(reservation.end), now_, until_});
    const auto& nodes = span.standing.nodes;
    for (std::size_t i = 0; i < reservation.amounts.size() && i < nodes.size(); ++i) {
        const TresVector kept = rate_of_node(nodes[i], reservation.amounts[i].second);
        const auto all = std::ranges::equal_range(spans.nodes, nodes[i], {}, &NodeSpan::name);
        const auto is_over = [&](const NodeSpan& node) {
            return node.ended && *node.ended <= span.began;
        };
        for (auto node = std::ranges::partition_point(all, is_over);
             node != all.end() && node->began < end; ++node) {
            if (node->standing.unavailable.is_zero() || node->standing.planned) continue;
            const Time from = std::max(span.began, node->began);
            const Time until = std::min(end, node->ended.value_or(end));
            const TresVector lost =
                least(kept, rate_of_node(node->name, node->standing.unavailable));
            (one.is_maintenance ? maintained_ : reserved_).add(from, until, minus({}, lost));
            if (!one.is_maintenance) continue;
            down_.add(from, until, minus({}, lost));
            planned_down_.add(from, until, lost);
        }
    }
}

void UsageTally::take_reserved_use(const std::string& reservation, const Uses& uses) {
    const auto all = std::ranges::equal_range(
        occurrences_, reservation, {},
        [](const Occurrence& one) -> const std::string& { return one.row.name; });
    const auto is_over = [&](const Occurrence& one) { return one.row.end <= uses.front().begin; };
    for (auto one = std::ranges::partition_point(all, is_over);
         one != all.end() && one->row.start < uses.front().until; ++one) {
        for (const Use& use : uses) {
            const Time from = std::max(use.begin, one->row.start);
            const Time until = std::min(use.until, one->row.end);
            if (from >= until) continue;
            one->used.add_times(use.rate, seconds(until) - seconds(from));
            if (one->is_allocated) reserved_use_.add(from, until, use.rate);
            if (one->is_maintenance) maintained_use_.add(from, until, use.rate);
        }
    }
}

std::vector<api::TresTime> UsageTally::times() const {
    const auto capacity = capacity_.totals(), down = down_.totals(),
               planned_down = planned_down_.totals(), allocated = allocated_.totals(),
               waiting = waiting_.totals(), reserved = reserved_.totals(),
               reserved_use = reserved_use_.totals(), maintained = maintained_.totals(),
               maintained_use = maintained_use_.totals();
    const auto rest = [](const NamedTres& tres, const TresVector& of, const TresVector& used) {
        return std::max<std::int64_t>(sum_of(tres.in(of), -tres.in(used)), 0);
    };
    std::vector<api::TresTime> times;
    for (const NamedTres& tres : tres_) {
        if (tres.name == "node") continue;  // Jobs share nodes: it would be counted many times.
        api::TresTime time{.name = tres.name};
        std::int64_t had = 0;
        for (std::size_t i = 0; i < capacity.size(); ++i) {
            const bool is_known = nodes_since_ && *nodes_since_ <= capacity_.begin_of(i);
            add(had, tres.in(capacity[i]));
            settle({.capacity = tres.in(capacity[i]),
                    .down = tres.in(down[i]),
                    .planned_down = sum_of(tres.in(planned_down[i]),
                                           rest(tres, maintained[i], maintained_use[i])),
                    .allocated =
                        sum_of(tres.in(allocated[i]), rest(tres, reserved[i], reserved_use[i])),
                    .waiting = tres.in(waiting[i])},
                   is_known, time);
        }
        const std::int64_t known =
            nodes_since_ ? overlap(std::max(*nodes_since_, from_), now_, from_, until_) : 0;
        if (known > 0) time.count = sum_of(had, known / 2) / known;
        times.push_back(std::move(time));
    }
    return times;
}

// As Slurm, which keeps neither memory nor billing for a reservation.
std::vector<api::ReservationTime> UsageTally::reservations() const {
    std::vector<api::ReservationTime> rows;
    for (const Occurrence& one : occurrences_) {
        if (!one.is_shown) continue;
        rows.push_back(one.row);
        const std::int64_t length = seconds(one.row.end) - seconds(one.row.start);
        for (const NamedTres& tres : tres_) {
            const std::int64_t reserved = tres.in(one.reserved), used = tres.in(one.used);
            const bool is_kept = tres.name == "cpu" || tres.name.starts_with("gres/");
            if (!is_kept || reserved == 0 || length <= 0) continue;
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
