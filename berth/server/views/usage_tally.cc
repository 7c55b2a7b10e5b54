#include "berth/server/views/usage_tally.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/server/views/accounting_rows.h"
#include "berth/server/views/tres_text.h"

namespace berth {
namespace {

bool is_listed_in(const std::vector<std::string>& list, std::string_view name) {
    return list.empty() || std::ranges::find(list, name) != list.end();
}

// "0-2,7%2": four.
std::int64_t tasks_in(std::string_view pending) {
    std::int64_t tasks = 0;
    for (const auto part : split(pending.substr(0, pending.find('%')), ',')) {
        const std::size_t dash = part.find('-');
        const std::int64_t first = parse_int64(part.substr(0, dash)).value_or(0);
        const std::int64_t last =
            dash == std::string_view::npos ? first : parse_int64(part.substr(dash + 1)).value_or(0);
        tasks += std::max<std::int64_t>(last - first + 1, 1);
    }
    return tasks;
}

TresVector scaled(TresVector vector, std::int64_t times) {
    TresVector all;
    return all.add_times(vector, times);
}

// A span that may stand for several is cut into pieces of about this length.
constexpr Duration kSlice = std::chrono::minutes(5);

// When the run stood still. Where a span may stand for several, it is spread until the next one:
// two runs that took turns would otherwise seem to stand still, and to run, at the same times.
std::vector<std::pair<Time, Time>> spread_still(const AccountingRecord& run) {
    const auto& spans = run.stood_still;
    if (spans.size() < kStoodStillMax) return spans;
    std::vector<std::pair<Time, Time>> spread;
    for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
        const auto [begin, end] = spans[i];
        const Duration window = spans[i + 1].first - begin, still = end - begin;
        const std::int64_t slices = std::max<std::int64_t>(window / kSlice, 1);
        const auto until = [&](Duration whole, std::int64_t slice) -> Duration {
            if (slice == slices) return whole;
            return std::chrono::floor<std::chrono::seconds>(whole * slice / slices);
        };
        for (std::int64_t slice = 0; slice < slices; ++slice) {
            const Time from = begin + until(window, slice);
            spread.emplace_back(from, from + until(still, slice + 1) - until(still, slice));
        }
    }
    spread.push_back(spans.back());
    return spread;
}

}  // namespace

std::optional<RunTime> time_of(const AccountingRecord& run, Time now) {
    if (!run.started_at) return std::nullopt;
    RunTime time{.begin = *run.started_at};
    time.held_until = std::max(run.ended_at.value_or(now), time.begin);
    const Time stopped = std::min(run.suspended_since.value_or(time.held_until), time.held_until);
    Duration unknown = run.suspended;
    Time on = time.begin;  // From here it went on.
    const auto use_until = [&](Time until) {
        if (on < until) time.used.emplace_back(on, until);
    };
    for (const auto& [begin, end] : spread_still(run)) {
        use_until(std::min(begin, stopped));
        on = std::max(on, end);
        unknown -= end - begin;
    }
    use_until(stopped);
    while (unknown > Duration{} && !time.used.empty()) {
        auto& [begin, until] = time.used.back();
        const Duration length = until - begin;
        if (unknown < length) {
            until -= unknown;
        } else {
            time.used.pop_back();
        }
        unknown -= length;
    }
    return time;
}

UsageTally::UsageTally(const ClusterSpec& spec, api::UsageQuery query, Time now,
                       std::optional<std::uint32_t> only)
    : spec_(spec),
      query_(std::move(query)),
      from_(*query_.from),
      until_(*query_.until),
      now_(now),
      only_(only),
      tres_(named_tres(spec)),
      capacity_(from_, until_),
      down_(from_, until_),
      planned_down_(from_, until_),
      allocated_(from_, until_),
      waiting_(from_, until_),
      reserved_(from_, until_),
      reserved_use_(from_, until_),
      maintained_(from_, until_),
      maintained_use_(from_, until_) {
    find_billed();
}

RunFilter UsageTally::runs() const {
    RunFilter filter{.from = from_, .until = until_};
    for (const Occurrence& one : occurrences_) {
        if (!one.is_shown) continue;
        filter.from = std::min(filter.from, one.row.start);
        filter.until = std::max(filter.until, one.row.end);
    }
    return filter;
}

void UsageTally::take(const AccountingRecord& run) {
    take_wait(run);
    const std::optional<RunTime> time = time_of(run, now_);
    if (!time) return;
    const Uses uses = uses_of(run, *time);
    if (!run.request.reservation.empty()) take_reserved_use(*run.request.reservation, uses);
    take_use(run, uses);
}

bool UsageTally::is_told(const AccountingRecord& run) const {
    if (only_ && run.owner.uid != *only_) return false;
    const bool is_listed =
        query_.jobs.empty() || std::ranges::any_of(query_.jobs, [&](JobId job) {
            return run.job == job || run.array_job == job || (run.het && run.het->first == job);
        });
    const bool in_group = query_.groups.empty() || is_listed_in(query_.groups, *run.owner.group) ||
                          is_listed_in(query_.groups, std::to_string(run.owner.gid));
    const bool on_node =
        query_.nodes.empty() || std::ranges::any_of(run.nodes, [&](const std::string& node) {
            return is_listed_in(query_.nodes, node);
        });
    return is_listed && in_group && on_node && is_listed_in(query_.users, *run.owner.user) &&
           is_listed_in(query_.accounts, run.account) &&
           is_listed_in(query_.partitions, run.partition) && is_listed_in(query_.wckeys, run.wckey);
}

TresVector UsageTally::rate_of(const AccountingRecord& run) const {
    TresVector rate = TresVector::of(spec_, run.allocated);
    const auto nodes = static_cast<std::int64_t>(run.nodes.size());
    const auto partition = spec_.find_partition(run.partition);
    const auto billed =
        partition ? billed_in(spec_, *partition, nodes, run.allocated) : std::nullopt;
    rate.amounts[TresVector::kCpu] = run.cpus;
    rate.amounts[TresVector::kNode] = nodes;
    rate.amounts[TresVector::kBilling] = billed.value_or(run.cpus);
    return rate;
}

UsageTally::Uses UsageTally::uses_of(const AccountingRecord& run, const RunTime& time) const {
    TresVector freed, held = rate_of(run);
    for (const std::size_t one : {TresVector::kCpu, TresVector::kBilling})
        std::swap(freed.amounts[one], held.amounts[one]);
    Uses uses = {{time.begin, time.held_until, held}};
    for (const auto& [begin, until] : time.used) uses.push_back({begin, until, freed});
    return uses;
}

// From when it could have started until it did, or was given up. A job that names a reservation
// waits for that one, which is not what the rest of the cluster lacks.
void UsageTally::take_wait(const AccountingRecord& run) {
    if (!run.eligible_at || !run.request.reservation.empty()) return;
    const Time until = run.started_at ? *run.started_at : run.ended_at.value_or(now_);
    if (overlap(*run.eligible_at, until, from_, until_) == 0) return;
    const Asked asked = asked_of_record(spec_, run);
    TresVector rate = TresVector::of(spec_, asked.tres.gres);
    rate.amounts[TresVector::kCpu] = asked.cpus;
    rate.amounts[TresVector::kMemory] = asked.tres.memory.count() / (1 << 20);
    rate.amounts[TresVector::kBilling] = asked.tres.billed.value_or(asked.cpus);
    const std::int64_t tasks = run.array_pending.empty() ? 1 : tasks_in(run.array_pending);
    waiting_.add(*run.eligible_at, until, scaled(rate, tasks));
}

void UsageTally::take_use(const AccountingRecord& run, const Uses& uses) {
    for (const Use& use : uses) allocated_.add(use.begin, use.until, use.rate);
    const auto length = [&](const Use& use) {
        return overlap(use.begin, use.until, from_, until_);
    };
    if (length(uses.front()) == 0 || !is_told(run)) return;
    const bool by_size = query_.by_size;
    Group& group = groups_[{run.account, by_size ? std::string() : *run.owner.user, run.wckey,
                            by_size ? std::int64_t{run.cpus} : 0}];
    ++group.jobs;
    for (const Use& use : uses) group.used.add_times(use.rate, length(use));
}

api::UsageReport UsageTally::report() const {
    api::UsageReport report{
        .cluster = spec_.name, .from = from_, .until = until_, .nodes_since = nodes_since_};
    for (const NamedTres& one : tres_) report.tres.push_back(one.name);
    for (const auto& [key, group] : groups_) {
        api::UsageGroup row{.account = std::get<0>(key),
                            .user = std::get<1>(key),
                            .wckey = std::get<2>(key),
                            .cpus = std::get<3>(key),
                            .jobs = group.jobs};
        for (const NamedTres& one : tres_) {
            if (const std::int64_t amount = one.in(group.used); amount != 0)
                row.used.push_back({one.name, amount});
        }
        report.groups.push_back(std::move(row));
    }
    report.times = times();
    report.reservations = reservations();
    return report;
}

}  // namespace berth
