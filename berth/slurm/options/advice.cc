#include "berth/slurm/options/advice.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "berth/base/nearest.h"
#include "berth/base/text.h"

namespace berth::slurm {
namespace {

struct Form {
    std::string_view option, right;
};
constexpr std::string_view kMoment =
    "a moment, such as now+1hour, 16:00, tomorrow or 2026-12-24T18:00";
constexpr std::string_view kLength =
    "minutes, hours:minutes:seconds or days-hours, such as 30, 1:30:00 or 2-12";
constexpr std::string_view kSize = "a size, such as 500M or 4G (a plain number means megabytes)";
constexpr std::string_view kGpus = "a number, or a type and a number, such as 2 or a100:2";
constexpr std::string_view kCount = "a whole number of 1 or more";
constexpr std::string_view kNumber = "a whole number";
constexpr std::string_view kHosts = "node names, such as n1 or n[1-4,7]";

constexpr auto kForms = std::to_array<Form>({
    {"array", "indices, such as 0-9, 1,3,5-7 or 0-99%4 (four of them at a time)"},
    {"begin", kMoment},
    {"cpus-per-gpu", kCount},
    {"cpus-per-task", kCount},
    {"deadline", kMoment},
    {"dependency",
     "afterok:12, afterany:12:13, afternotok:12, aftercorr:12, after:12 or singleton; "
     "several with commas"},
    {"exclude", kHosts},
    {"gpus", kGpus},
    {"gpus-per-node", kGpus},
    {"gpus-per-task", kGpus},
    {"gres", "a name, a type and a number, such as gpu:2 or gpu:a100:2"},
    {"immediate", "seconds, such as 30"},
    {"jobs", "job ids, such as 12, 12_3 (a task of an array) or 12,13"},
    {"licenses", "names and numbers, such as matlab:2"},
    {"mail-type", "NONE, BEGIN, END, FAIL, REQUEUE, ALL and others, with commas"},
    {"mem", kSize},
    {"mem-per-cpu", kSize},
    {"mem-per-gpu", kSize},
    {"nice", kNumber},
    {"nodelist", kHosts},
    {"nodes", "a number or a range, such as 2 or 2-4"},
    {"ntasks", kCount},
    {"ntasks-per-node", kCount},
    {"open-mode", "append or truncate"},
    {"priority", "a whole number from 0 to 4294967294, or TOP"},
    {"signal", "a signal and seconds before the end, such as USR1@60"},
    {"steps", "ids of jobs or steps, such as 12, 12.0 or 12.batch"},
    {"time", kLength},
    {"time-min", kLength},
    {"wait", "seconds, such as 30"},
});

struct Remedy {
    std::string_view said, right;  // `said`: how the error begins.
};
constexpr auto kRemedies = std::to_array<Remedy>({
    {"Unable to open file", "give the path of a script, or a command with --wrap"},
    {"Batch script is empty!", "a script begins with a line such as #!/bin/bash"},
    {"Batch script contains DOS", "dos2unix converts the line breaks of a file"},
    {"Script arguments not permitted",
     "give either a script or --wrap; quote a command that has arguments: --wrap 'echo hello'"},
    {"No command given", "give a program and its arguments, such as srun -n2 hostname"},
    {"No job identification", "give job ids, such as 12 or 12_3, or a filter, such as --user"},
});

}  // namespace

bool wants_advice(const Invocation& call) {
    if (const std::string* const said = call.variable("BERTH_ADVICE")) return iequals(*said, "yes");
    return ::isatty(STDERR_FILENO) != 0;
}

std::string did_you_mean(const std::string& command, std::string_view word,
                         const std::vector<std::string>& names, std::string_view before) {
    const auto meant = nearest(word, names);
    return meant ? command + ": did you mean " + std::string(before) + *meant + "?\n" : "";
}

std::string advice(const Invocation& call, std::string_view text) {
    return wants_advice(call) ? call.name + ": " + std::string(text) + "\n" : "";
}

std::string advice_on_name(const Invocation& call, std::string_view word,
                           const std::vector<std::string>& names, std::string_view otherwise) {
    if (!wants_advice(call)) return {};
    std::string meant = did_you_mean(call.name, word, names);
    return meant.empty() ? advice(call, otherwise) : meant;
}

std::string advice_on_error(const Invocation& call, std::string_view said) {
    const auto known = std::ranges::find_if(
        kRemedies, [&](const Remedy& one) { return said.starts_with(one.said); });
    return known == kRemedies.end() ? "" : advice(call, known->right);
}

std::string what_option_takes(const std::string& command, std::string_view option_name) {
    const auto form = std::ranges::find(kForms, option_name, &Form::option);
    if (form == kForms.end()) return {};
    return command + ": --" + std::string(option_name) + " takes " + std::string(form->right) +
           "\n";
}

std::string advice_on_option(const Invocation& call, const std::string& option_name) {
    return wants_advice(call) ? what_option_takes(call.name, option_name) : "";
}

std::string advice_on_option(const Invocation& call, std::span<const option> options, int letter) {
    const auto row = std::ranges::find_if(
        options, [&](const option& one) { return one.name != nullptr && one.val == letter; });
    return row == options.end() ? "" : advice_on_option(call, row->name);
}

std::string advice_on(const Invocation& call, const api::Problem& problem) {
    const bool says_more = !problem.slurm.empty() && !problem.detail.empty() &&
                           problem.detail != problem.slurm && problem.code != "not_supported";
    if (!says_more) return {};
    std::string_view detail = problem.detail;
    if (detail.starts_with(problem.slurm + ": ")) detail.remove_prefix(problem.slurm.size() + 2);
    return advice(call, detail);
}

}  // namespace berth::slurm
