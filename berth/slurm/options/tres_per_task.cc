#include "berth/slurm/options/tres_per_task.h"

#include <algorithm>
#include <string>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/request_values.h"

namespace berth::slurm {
namespace {

constexpr std::string_view kGres = "gres/", kLicense = "license/";

Error invalid(std::string_view entry, std::string_view why) {
    return invalid_argument("Invalid --tres-per-task specification: " + std::string(entry) + ": " +
                            std::string(why));
}

// "gpu:a100=2", "gpu:2" or "gpu": as --gpus-per-task has it, with ":".
Status add_gpus(TresPerTask& tres, std::string_view entry, std::string_view rest) {
    const std::string name(rest.substr(0, rest.find_first_of(":=")));
    if (name != "gpu") return invalid(entry, "of GRES only gpu is by task; use --gres for " + name);
    std::string given(rest.substr(name.size()));
    std::ranges::replace(given, '=', ':');
    const auto gpus = parse_gpu_list(given.empty() ? "1" : std::string_view(given).substr(1));
    if (!gpus || gpus->size() != 1) return invalid(entry, "write gres/gpu=2 or gres/gpu:a100=2");
    tres.gpus.push_back(gpus->front());
    return Done{};
}

Status add_license(TresPerTask& tres, std::string_view entry, std::string_view rest) {
    std::string given(rest);
    std::ranges::replace(given, '=', ':');
    const auto licenses = parse_licenses(given);
    if (!licenses || licenses->counts.size() != 1) return invalid(entry, "write license/NAME=2");
    tres.licenses.push_back(licenses->counts.front());
    return Done{};
}

Status add_cpus(TresPerTask& tres, std::string_view entry) {
    const std::size_t mark = entry.find_first_of(":=");
    const auto count =
        mark == std::string_view::npos ? std::nullopt : parse_positive(entry.substr(mark + 1));
    if (!count) return invalid(entry, "write cpu=4");
    tres.cpus = count;
    return Done{};
}

std::string not_both(const char* entry, const char* option) {
    return "You can not have --tres-per-task=" + std::string(entry) + " and " + option +
           " please use one or the other";
}

// As far as that is known before the job is placed.
std::int64_t count_of_tasks(const JobRequest& request) {
    if (request.tasks) return *request.tasks;
    return std::int64_t{request.nodes_min} * request.tasks_per_node.value_or(1);
}

Status add_licenses(JobRequest& request, const std::vector<LicenseCount>& of_task) {
    LicenseRequest all = request.licenses;
    if (all.any) {
        return invalid_argument(
            "--tres-per-task=license/ cannot be added to a choice of --licenses");
    }
    for (const LicenseCount& license : of_task) {
        const auto known = std::ranges::find(all.counts, license.name, &LicenseCount::name);
        const std::int64_t count = license.count * count_of_tasks(request);
        if (known != all.counts.end()) {
            known->count += count;
        } else {
            all.counts.push_back({license.name, count});
        }
    }
    request.licenses = std::move(all);
    return Done{};
}

}  // namespace

Result<TresPerTask> parse_tres_per_task(std::string_view text) {
    TresPerTask tres;
    for (const std::string_view entry : split(text, ',')) {
        if (entry.starts_with(kGres)) {
            BERTH_CHECK(add_gpus(tres, entry, entry.substr(kGres.size())));
        } else if (entry.starts_with(kLicense)) {
            BERTH_CHECK(add_license(tres, entry, entry.substr(kLicense.size())));
        } else if (entry.substr(0, entry.find_first_of(":=")) == "cpu") {
            BERTH_CHECK(add_cpus(tres, entry));
        } else {
            return invalid(entry, "a task may have cpu=N, gres/gpu=N and license/NAME=N");
        }
    }
    return tres;
}

Status take_tres_per_task(JobDraft& draft) {
    if (!draft.per_gpu.of_task) return Done{};
    const TresPerTask tres = *std::exchange(draft.per_gpu.of_task, std::nullopt);
    JobRequest& request = draft.spec.request.edit();
    const bool of_line = tres.from == OfCpus::From::command_line;
    const bool twice_cpus = tres.cpus && draft.cpus_per_task_given;
    const bool twice_gpus = !tres.gpus.empty() && !request.gpus_per_task.empty();
    if (of_line && twice_cpus) return invalid_argument(not_both("cpu=", "--cpus-per-task"));
    if (of_line && twice_gpus && !draft.in_a_job)
        return invalid_argument(not_both("gres/gpu=", "--gpus-per-task"));
    if (tres.cpus && !twice_cpus) {
        request.cpus_per_task = tres.cpus;
        draft.cpus_per_task_given = true;
    }
    if (!tres.gpus.empty() && (of_line || !twice_gpus)) request.gpus_per_task = tres.gpus;
    return tres.licenses.empty() ? Status(Done{}) : add_licenses(request, tres.licenses);
}

}  // namespace berth::slurm
