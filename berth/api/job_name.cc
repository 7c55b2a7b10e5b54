#include "berth/api/job_name.h"

#include <algorithm>
#include <utility>

#include "berth/base/text.h"

namespace berth::api {
namespace {

Error wrong(std::string_view text) {
    return {ErrorCode::invalid_argument,
            "Invalid job id specified: " + std::string(text) +
                " (a job is 12, a task of an array 12_3, several of them 12_[1-3,7], a component "
                "of a heterogeneous job 12+1)"};
}

bool read_number(std::string_view text, std::uint32_t& out) {
    const Result<std::int64_t> number = parse_int64(text);
    if (!number.ok() || text.front() == '+' || !std::in_range<std::uint32_t>(*number)) return false;
    out = static_cast<std::uint32_t>(*number);
    return true;
}

// "3", "1-9" or "1-9:2"
bool add_range(std::string_view part, std::vector<std::uint32_t>& tasks) {
    std::uint32_t step = 1;
    const std::size_t colon = part.find(':');
    if (colon != std::string_view::npos) {
        if (!read_number(part.substr(colon + 1), step) || step == 0) return false;
        part = part.substr(0, colon);
    }
    const std::size_t dash = part.find('-');
    std::uint32_t first = 0, last = 0;
    if (!read_number(part.substr(0, dash), first)) return false;
    if (dash == std::string_view::npos) {
        if (colon != std::string_view::npos) return false;
        last = first;
    } else if (!read_number(part.substr(dash + 1), last)) {
        return false;
    }
    if (last < first || (last - first) / step >= kTasksNamedMax - tasks.size()) return false;
    for (std::uint64_t task = first; task <= last; task += step)
        tasks.push_back(static_cast<std::uint32_t>(task));
    return true;
}

std::string ranges(const std::vector<std::uint32_t>& tasks) {
    std::string text;
    for (std::size_t i = 0; i < tasks.size();) {
        std::size_t last = i;
        while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
        if (!text.empty()) text += ',';
        text += std::to_string(tasks[i]);
        if (last > i) text += '-' + std::to_string(tasks[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace

Result<JobName> parse_job_name(std::string_view text) {
    JobName name;
    std::uint32_t job = 0;
    if (const std::size_t plus = text.find('+'); plus != std::string_view::npos) {
        std::uint32_t offset = 0;
        const bool good =
            read_number(text.substr(0, plus), job) && read_number(text.substr(plus + 1), offset);
        if (!good) return wrong(text);
        name.job = JobId(job);
        name.het_offset = offset;
        return name;
    }
    const std::size_t underscore = text.find('_');
    if (!read_number(text.substr(0, underscore), job)) return wrong(text);
    name.job = JobId(job);
    if (underscore == std::string_view::npos) return name;
    std::string_view tasks = text.substr(underscore + 1);
    const bool list = tasks.starts_with('[');
    if (list) {
        if (!tasks.ends_with(']')) return wrong(text);
        tasks = tasks.substr(1, tasks.size() - 2);
    }
    for (const std::string_view part : split(tasks, ',')) {
        if (!add_range(part, name.array_tasks)) return wrong(text);
    }
    if (!list && name.array_tasks.size() != 1) return wrong(text);
    std::ranges::sort(name.array_tasks);
    const auto repeated = std::ranges::unique(name.array_tasks);
    name.array_tasks.erase(repeated.begin(), repeated.end());
    return name;
}

std::string to_string(const JobName& name) {
    std::string text = berth::to_string(name.job);
    if (name.het_offset) return text + '+' + std::to_string(*name.het_offset);
    if (name.array_tasks.empty()) return text;
    if (name.array_tasks.size() == 1) return text + '_' + std::to_string(name.array_tasks.front());
    return text + "_[" + ranges(name.array_tasks) + ']';
}

}  // namespace berth::api
