#include "berth/slurm/tables/squeue_jobs.h"

#include <algorithm>

#include "berth/api/job_name.h"
#include "berth/base/text.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {

Status NamedJobs::add(const std::string& text) {
    for (const auto word : split(text, ',')) {
        const std::string_view whole = trim(word);
        const std::size_t dot = whole.find('.');
        const std::string_view job = whole.substr(0, dot);
        const std::size_t end = job.find_first_of("_+");
        const auto id = parse_int64(job.substr(0, end));
        if (!id.ok() || *id <= 0 || *id > 0xffff'ffffLL)
            return Error{ErrorCode::invalid_argument, "Invalid job id: " + std::string(word)};
        Named named{.id = JobId(static_cast<std::uint32_t>(*id)), .part = {}, .step = {}};
        if (end != std::string_view::npos) named.part = job.substr(end);
        if (dot != std::string_view::npos) named.step = whole.substr(dot + 1);
        ids_.push_back(named.id);
        named_.push_back(std::move(named));
    }
    return Done{};
}

bool NamedJobs::is_meant(const Named& named, const api::JobRow& job) {
    const bool by_own_number = job.id == named.id;
    const bool by_first =
        (job.array_job && *job.array_job == named.id) || (job.het && job.het->first == named.id);
    if (named.part.empty()) return by_own_number || by_first;
    if (to_string(named.id) + named.part == job_id_text(job)) return true;
    const auto task = parse_int64(std::string_view(named.part).substr(1));
    if (named.part[0] != '_' || !task.ok()) return false;
    const auto waiting = tasks_of(job.array_pending);
    return (by_own_number || by_first) &&
           std::ranges::find(waiting, static_cast<std::uint32_t>(*task)) != waiting.end();
}

bool NamedJobs::takes(const api::JobRow& job) const {
    return named_.empty() ||
           std::ranges::any_of(named_, [&](const Named& named) { return is_meant(named, job); });
}

void NamedJobs::narrow(api::JobRow& job) const {
    if (job.array_pending.empty() || named_.empty()) return;
    std::vector<std::uint32_t> left;
    for (const std::uint32_t task : tasks_of(job.array_pending)) {
        api::JobRow one{.id = job.id, .array_job = job.array_job.value_or(job.id)};
        one.array_task = task;
        if (takes(one)) left.push_back(task);
    }
    if (left.size() == 1) {
        job.array_job = job.array_job.value_or(job.id);
        job.array_task = left.front();
        job.array_pending.clear();
    } else if (left.size() < tasks_of(job.array_pending).size()) {
        const std::string name = api::to_string(api::JobName{.job = job.id, .array_tasks = left});
        const std::size_t bracket = name.find('[') + 1;  // "22_[2-3,5]"
        job.array_pending = name.substr(bracket, name.size() - bracket - 1);
    }
}

bool NamedJobs::takes(const api::JobRow& job, std::string_view step) const {
    return named_.empty() || std::ranges::any_of(named_, [&](const Named& named) {
               return is_meant(named, job) && (named.step.empty() || named.step == step);
           });
}

}  // namespace berth::slurm
