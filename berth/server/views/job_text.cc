#include "berth/server/views/job_text.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::uint32_t kNoTask = 4294967294;  // What Slurm fills in where there is no task.

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

// All that a dependency on this id means: an array's tasks and record, or one job.
std::vector<const Job*> members(const Snapshot& snapshot, const Dependency& dependency) {
    std::vector<const Job*> found;
    const auto add = [&](JobId id) {
        const Job* const job = snapshot.find_job(id);
        if (job == nullptr) return;
        const std::optional<std::uint32_t> task = dependency.array_task;
        const bool is_meant =
            !task || job->array_task == task ||
            (job->spec.array && std::ranges::binary_search(job->spec.array->tasks, *task));
        if (is_meant) found.push_back(job);
    };
    const IdTable<JobId>* const tasks = snapshot.arrays.find(dependency.job.value());
    if (tasks != nullptr) tasks->for_each([&](std::uint32_t, JobId id) { add(id); });
    // The record keeps the array's id; as a task that has started it is among the tasks.
    const Job* const record = snapshot.find_job(dependency.job);
    if (record != nullptr && !(tasks != nullptr && record->array_task)) add(dependency.job);
    return found;
}

enum class Fulfilment : std::uint8_t { fulfilled, unfulfilled, failed };

// A job that is not known any more counts as one that did what was wanted of it.
Fulfilment fulfilment_of(const Snapshot& snapshot, const Job& job, const Dependency& dependency) {
    if (dependency.kind == DependencyKind::singleton)
        return job.eligible_at ? Fulfilment::fulfilled : Fulfilment::unfulfilled;
    const std::vector<const Job*> all = members(snapshot, dependency);
    const auto is_over = [](const Job* one) { return is_final(one->state); };
    const auto went_well = [](const Job* one) { return one->state == JobState::completed; };
    const auto went_wrong = [&](const Job* one) { return is_over(one) && !went_well(one); };
    const auto of = [](bool fulfilled, bool failed) {
        if (fulfilled) return Fulfilment::fulfilled;
        return failed ? Fulfilment::failed : Fulfilment::unfulfilled;
    };
    switch (dependency.kind) {
        case DependencyKind::after:
            return of(std::ranges::all_of(all,
                                          [&](const Job* one) {
                                              if (one->state == JobState::pending) return false;
                                              const auto began =
                                                  one->started_at ? one->started_at : one->ended_at;
                                              return !began ||
                                                     *began + dependency.delay <= snapshot.now;
                                          }),
                      false);
        case DependencyKind::afterany: return of(std::ranges::all_of(all, is_over), false);
        case DependencyKind::afterok:
        case DependencyKind::aftercorr:
            return of(std::ranges::all_of(all, went_well), std::ranges::any_of(all, went_wrong));
        case DependencyKind::afternotok:
            return of(all.empty() || (std::ranges::all_of(all, is_over) &&
                                      std::ranges::any_of(all, went_wrong)),
                      std::ranges::all_of(all, went_well));
        case DependencyKind::singleton: break;
    }
    return Fulfilment::unfulfilled;
}

std::string_view name_of(DependencyKind kind) {
    switch (kind) {
        case DependencyKind::after: return "after";
        case DependencyKind::afterany: return "afterany";
        case DependencyKind::afterok: return "afterok";
        case DependencyKind::afternotok: return "afternotok";
        case DependencyKind::aftercorr: return "aftercorr";
        case DependencyKind::singleton: return "singleton";
    }
    return "?";
}

std::string one_dependency(const Snapshot& snapshot, const Dependency& dependency,
                           Fulfilment fulfilment) {
    std::string text(name_of(dependency.kind));
    if (dependency.kind != DependencyKind::singleton) {
        text += ':' + to_string(dependency.job);
        const Job* const job = snapshot.find_job(dependency.job);
        const bool is_array = snapshot.arrays.find(dependency.job.value()) != nullptr ||
                              (job != nullptr && job->spec.array);
        if (dependency.array_task) {
            text += '_' + std::to_string(*dependency.array_task);
        } else if (is_array) {
            text += "_*";
        }
        if (dependency.delay > Duration(0))
            text += '+' + std::to_string(seconds(dependency.delay) / 60);
    }
    return text + (fulfilment == Fulfilment::failed ? "(failed)" : "(unfulfilled)");
}

std::string padded(std::string digits, int width) {
    const auto wanted = static_cast<std::size_t>(width);
    if (digits.size() < wanted) digits.insert(0, wanted - digits.size(), '0');
    return digits;
}

// What stands for %<letter>; nullopt: only the run can tell.
std::optional<std::string> filled(const Job& job, char letter, int width) {
    const std::uint32_t task = job.array_task.value_or(kNoTask);
    switch (letter) {
        case '%': return "%";
        case 'j': return padded(to_string(job.id), width);
        case 'A': return padded(to_string(job.array_job.value_or(job.id)), width);
        case 'a': return padded(std::to_string(task), width);
        case 'b': return padded(std::to_string(task % 10), width);
        case 'r': return padded(std::to_string(job.restarts), width);
        case 'u': return job.owner->user;
        case 'x': return job.spec.name;
        default: return std::nullopt;
    }
}

std::string fill_in(const Job& job, std::string_view pattern) {
    if (pattern.find('\\') != std::string_view::npos) return std::string(pattern);
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        std::size_t end = i + 1;
        int width = 0;
        while (pattern[i] == '%' && end < pattern.size() && pattern[end] >= '0' &&
               pattern[end] <= '9')
            width = std::min(width * 10 + (pattern[end++] - '0'), 10);
        const auto value = pattern[i] == '%' && end < pattern.size()
                               ? filled(job, pattern[end], width)
                               : std::nullopt;
        if (value) {
            text += *value;
            i = end;
        } else {
            text += pattern[i];
        }
    }
    return text;
}

std::string path_of(const Job& job, std::string_view pattern) {
    std::string path = fill_in(job, pattern);
    if (path.starts_with('/') || job.spec.command->work_dir.empty()) return path;
    return job.spec.command->work_dir + "/" + path;
}

}  // namespace

std::string array_pending_text(const Job& job) {
    if (!job.spec.array || job.spec.array->tasks.empty()) return {};
    std::string text = ranges(job.spec.array->tasks);
    if (job.spec.array->max_running > 0) text += '%' + std::to_string(job.spec.array->max_running);
    return text;
}

std::string dependency_text(const Snapshot& snapshot, const Job& job) {
    if (job.state != JobState::pending) return {};
    std::string text;
    for (const Dependency& dependency : job.spec.dependencies) {
        const Fulfilment fulfilment = fulfilment_of(snapshot, job, dependency);
        if (fulfilment == Fulfilment::fulfilled) {
            if (job.spec.any_dependency) return {};
            continue;
        }
        if (!text.empty()) text += job.spec.any_dependency ? '?' : ',';
        text += one_dependency(snapshot, dependency, fulfilment);
    }
    return text;
}

std::string std_out_of(const Job& job) {
    const std::string& given = job.spec.command->std_out;
    if (!given.empty()) return path_of(job, given);
    const bool is_array = job.array_job.has_value() || job.spec.array.has_value();
    return path_of(job, is_array ? "slurm-%A_%a.out" : "slurm-%j.out");
}

std::string std_err_of(const Job& job) {
    const std::string& given = job.spec.command->std_err;
    return given.empty() ? std_out_of(job) : path_of(job, given);
}

std::string std_in_of(const Job& job) {
    const std::string& given = job.spec.command->std_in;
    return given.empty() ? "/dev/null" : path_of(job, given);
}

}  // namespace berth
