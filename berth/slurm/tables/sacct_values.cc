#include "berth/slurm/tables/sacct_values.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/file_pattern.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

// States of jobs that Slurm's accounting does not have.
constexpr auto kNotAccounted = std::to_array<std::string_view>(
    {"COMPLETING", "CONFIGURING", "RESV_DEL_HOLD", "REQUEUE_FED", "REQUEUE_HOLD", "SIGNALING",
     "SPECIAL_EXIT", "STAGE_OUT", "STOPPED"});

}  // namespace

// Names, or numbers of users. As in Slurm, this host must know them.
Status add_users(const char* text, std::vector<std::string>& names) {
    for (const auto word : split(text, ',')) {
        const std::string name(trim(word));
        const auto number = parse_int64(name);
        if (number.ok() && std::in_range<std::uint32_t>(*number)) {
            names.push_back(user_name_of(static_cast<std::uint32_t>(*number)));
        } else if (uid_of_user(name)) {
            names.push_back(name);
        } else {
            return Error{ErrorCode::invalid_argument, "Invalid user id: " + name};
        }
    }
    return Done{};
}

Status add_states(const char* text, std::vector<std::string>& states) {
    for (const auto word : split(text, ',')) {
        const std::string_view state = state_from_text(trim(word));
        if (state.empty()) {
            return Error{ErrorCode::invalid_argument,
                         "unrecognized job state value '" + std::string(word) + "'"};
        }
        if (std::ranges::find(kNotAccounted, state) != kNotAccounted.end()) {
            return Error{ErrorCode::invalid_argument,
                         "job state " + std::string(trim(word)) + " is not supported / accounted"};
        }
        states.emplace_back(state);
    }
    return Done{};
}

Status check_file(const char* path) {
    struct stat known{};
    if (::stat(path, &known) == 0 && S_ISREG(known.st_mode)) return Done{};
    return invalid_argument(std::string(path) + " is not a valid file");
}

Status set_yes(const char* text, std::optional<bool>& chosen) {
    const std::string_view word = text == nullptr ? "yes" : text;
    chosen = iequals(word, "yes") || iequals(word, "y");
    if (*chosen || iequals(word, "no") || iequals(word, "n")) return Done{};
    return invalid_argument("Invalid --whole-hetjob value \"" + std::string(word) +
                            "\". Valid values: [yes|no].");
}

void expand_patterns(api::AccountingRow& job) {
    const FilePatternValues values{.job = job.job,
                                   .array_job = job.array_job,
                                   .array_task = job.array_task,
                                   .step = std::nullopt,
                                   .job_name = job.name,
                                   .user = *job.owner.user,
                                   .node = job.nodes.empty() ? std::string() : job.nodes.front(),
                                   .restarts = std::max(1U, job.attempt) - 1};
    for (std::string* file : {&job.std_out, &job.std_err, &job.std_in})
        *file = expand_file_pattern(*file, values);
}

}  // namespace berth::slurm
