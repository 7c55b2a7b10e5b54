#include "berth/slurm/tables/squeue_order.h"

#include <algorithm>
#include <utility>

#include "berth/base/text.h"
#include "berth/slurm/tables/squeue_fields.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

using api::JobRow;
using SortKey = SqueueOrder::Key;

SortKey by_number(std::int64_t value) { return {.number = value}; }
SortKey by_text(std::string_view value) { return {.text = std::string(value)}; }
SortKey by_time(const std::optional<Time>& time) {
    return by_number(time.value_or(kNever).time_since_epoch().count());
}

SortKey start_of(const JobRow& job, char) {
    if (job.state != "PENDING") return by_time(job.started_at);
    return by_time(job.planned_start ? job.planned_start : job.begin_at);
}

// By the first of its nodes.
SortKey first_node(const JobRow& job, char) {
    return by_text(job.nodes.empty() ? std::string_view() : std::string_view(job.nodes.front()));
}

// As the field is printed.
SortKey printed(const JobRow& job, char letter) {
    return by_text(find_job_field(letter)->text(job, Time()));
}

using KeyOf = SortKey (*)(const JobRow&, char);

KeyOf key_by(char letter) {
    switch (letter) {
        case 'P': return [](const JobRow& job, char) { return by_text(job.partition); };
        case 'p':
        case 'Q': return [](const JobRow& job, char) { return by_number(job.priority); };
        case 't':
            return [](const JobRow& job, char) { return by_text(compact_state(slurm_state(job))); };
        case 'i':
        case 'A': return [](const JobRow& job, char) { return by_number(job.id.value()); };
        case 'N': return first_node;
        case 'S': return start_of;
        case 'V': return [](const JobRow& job, char) { return by_time(job.submitted_at); };
        case 'D': return [](const JobRow& job, char) { return by_number(job.node_count); };
        case 'C': return [](const JobRow& job, char) { return by_number(job.cpus); };
        case 'l':
            return [](const JobRow& job, char) {
                return by_number(job.time_limit.value_or(Duration::max()).count());
            };
        case 'M':  // The longer it runs, the earlier it began.
            return
                [](const JobRow& job, char) { return by_number(-by_time(job.started_at).number); };
        default: return find_job_field(letter) == nullptr ? nullptr : printed;
    }
}

}  // namespace

Result<SqueueOrder> SqueueOrder::read(std::string_view keys) {
    SqueueOrder order;
    for (std::string_view key : split(keys, ',')) {
        By by{.key = nullptr, .letter = 0, .falling = false};
        while (!key.empty() && (key.front() == '-' || key.front() == '+')) {
            by.falling = key.front() == '-';
            key.remove_prefix(1);
        }
        if (key.size() == 1) by.letter = key.front(), by.key = key_by(by.letter);
        if (by.key == nullptr) {
            return Error{ErrorCode::invalid_argument,
                         "Invalid sort specification: " + std::string(key)};
        }
        order.by_.push_back(by);
    }
    return order;
}

SqueueOrder::Place SqueueOrder::place_of(const JobRow& job) const {
    Place place{.keys = {}, .id = job.id};
    place.keys.reserve(by_.size());
    for (const By& by : by_) place.keys.push_back(by.key(job, by.letter));
    return place;
}

bool SqueueOrder::before(const Place& a, const Place& b) const {
    for (std::size_t i = 0; i < by_.size(); ++i) {
        const auto way = a.keys[i] <=> b.keys[i];
        if (way != 0) return by_[i].falling ? way > 0 : way < 0;
    }
    return a.id < b.id;
}

Status sort_jobs(std::vector<JobRow>& jobs, std::string_view keys) {
    BERTH_TRY(const SqueueOrder order, SqueueOrder::read(keys));
    std::vector<std::pair<SqueueOrder::Place, JobRow*>>
        sorted;  // Rows are large: each is moved once.
    sorted.reserve(jobs.size());
    for (JobRow& job : jobs) sorted.emplace_back(order.place_of(job), &job);
    std::ranges::stable_sort(
        sorted, [&](const auto& a, const auto& b) { return order.before(a.first, b.first); });
    std::vector<JobRow> all;
    all.reserve(jobs.size());
    for (const auto& [place, job] : sorted) all.push_back(std::move(*job));
    jobs = std::move(all);
    return Done{};
}

}  // namespace berth::slurm
