// The keys of slurm.conf that bound and time the scheduler, SchedulerParameters among them.
#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/globals.h"
#include "berth/config/scheduler_parameters.h"

namespace berth::config {
namespace {

void read_scheduler_type(Draft& draft, const Line& line) {
    const Pair* type = draft.global("schedulertype");
    if (type == nullptr) return;
    if (*type->value == "sched/builtin") {
        draft.spec.scheduling.backfill = false;
    } else if (*type->value != "sched/backfill") {
        draft.error(line, *type,
                    "SchedulerType=" + *type->value + " should be sched/backfill or sched/builtin");
    }
}

// What a word of AccountingStorageEnforce adds in Slurm and not here; empty: nothing.
std::string_view missing_of(std::string_view word) {
    if (word == "nojobs" || word == "nosteps")
        return "has no effect: every job and step is accounted for";
    if (word == "wckeys") {
        return "has the effect of associations alone: any wckey is accepted; "
               "job_submit.lua can refuse one";
    }
    if (word == "safe") {
        return "has the effect of limits alone: a job starts although GrpTRESMins may end it "
               "before its time limit";
    }
    if (word == "all" || word == "1") {
        return "enforces associations, limits and qos: any wckey is accepted, and a job starts "
               "although GrpTRESMins may end it before its time limit";
    }
    return {};
}

// Without a word of the site limits are enforced: who sets one wants it kept.
void read_accounting_enforcement(Draft& draft, const Line& line) {
    SchedulingSpec& spec = draft.spec.scheduling;
    spec.enforce_limits = draft.yaml.enforce_limits.value_or(true);
    const Pair* enforce = draft.global("accountingstorageenforce");
    if (enforce == nullptr) return;
    bool limits = false;
    const std::string words = to_lower(*enforce->value);
    for (const auto part : split(words, ',')) {
        const std::string word(trim(part));
        if (word.empty() || word == "none" || word == "0") continue;
        const bool all = word == "all" || word == "1";
        limits = limits || all || word == "limits" || word == "safe";
        if (const std::string_view missing = missing_of(word); !missing.empty()) {
            draft.warning(line, *enforce,
                          "AccountingStorageEnforce: " + word + " " + std::string(missing));
        }
        if (word == "nojobs" || word == "nosteps") continue;
        if (!all && word != "associations" && word != "limits" && word != "qos" && word != "safe" &&
            word != "wckeys") {
            draft.error(line, *enforce,
                        "AccountingStorageEnforce: there is no " + word +
                            "; there are associations, limits, qos, safe, all");
        }
        spec.enforce_accounts = true;
    }
    spec.enforce_limits = draft.yaml.enforce_limits.value_or(limits);
}

void read_enforcement(Draft& draft, const Line& line) {
    if (const Pair* limits = draft.global("enforcepartlimits")) {
        std::string value = to_lower(*limits->value);
        if (value == "yes") value = "all";
        if (value != "no" && value != "any" && value != "all") {
            draft.error(line, *limits,
                        "EnforcePartLimits=" + *limits->value + " should be ALL, ANY or NO");
        }
        draft.spec.scheduling.enforce_part_limits = value == "all"   ? "ALL"
                                                    : value == "any" ? "ANY"
                                                                     : "NO";
    }
    read_accounting_enforcement(draft, line);
}

void read_dependency_parameters(Draft& draft, const Line& line) {
    const Pair* const key = draft.global("dependencyparameters");
    if (key == nullptr) return;
    for (const auto part : split(*key->value, ',')) {
        const std::string word(trim(part));
        if (iequals(word, "kill_invalid_depend")) {
            draft.spec.scheduling.kill_invalid_depend = true;
        } else if (iequals(word, "disable_remote_singleton")) {
            draft.warning(line, *key,
                          "DependencyParameters: " + word + " has no effect: there is one cluster");
        } else if (starts_with_icase(word, "max_depend_depth=")) {
            draft.warning(line, *key,
                          "DependencyParameters: " + word +
                              " has no effect: circles of dependencies of any length are found");
        } else if (!word.empty()) {
            draft.error(line, *key,
                        "there is no option " + word +
                            " in DependencyParameters; there are kill_invalid_depend, "
                            "disable_remote_singleton, max_depend_depth=");
        }
    }
}

}  // namespace

void read_scheduling_keys(Draft& draft) {
    Globals globals(draft);
    SchedulingSpec& spec = draft.spec.scheduling;
    read_scheduler_type(draft, globals.line());
    read_enforcement(draft, globals.line());
    read_scheduler_parameters(draft, globals.line());
    read_dependency_parameters(draft, globals.line());
    spec.kill_wait = globals.seconds("killwait", spec.kill_wait);
    spec.agent_timeout = globals.seconds("slurmdtimeout", spec.agent_timeout);
    spec.inactive_limit = std::chrono::seconds(globals.number("inactivelimit", 0, 65533, 0));
    spec.min_job_age = globals.seconds("minjobage", spec.min_job_age);
    spec.heartbeat = std::clamp(spec.agent_timeout / 10, Duration(std::chrono::seconds(1)),
                                Duration(std::chrono::seconds(30)));
    spec.over_time_limit = std::chrono::minutes(globals.number("overtimelimit", 0, 65533, 0));
    spec.max_job_count = static_cast<std::uint32_t>(
        globals.number("maxjobcount", 1, 10'000'000, spec.max_job_count));
    spec.max_array_size = static_cast<std::uint32_t>(
        globals.number("maxarraysize", 2, 4'000'001, spec.max_array_size));
    spec.max_job_id =
        static_cast<std::uint32_t>(globals.number("maxjobid", 1, 0x03ffffff, spec.max_job_id));
    spec.first_job_id = static_cast<std::uint32_t>(
        globals.number("firstjobid", 1, spec.max_job_id, spec.first_job_id));
    spec.requeue_by_default = globals.flag("jobrequeue", spec.requeue_by_default);
}

}  // namespace berth::config
