// The keys of slurm.conf that bound and time the scheduler, SchedulerParameters among them.
#include <algorithm>
#include <map>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/known_keys.h"

namespace berth::config {
namespace {

class Globals {
public:
    explicit Globals(Draft& draft)
        : draft_(draft), line_{.file = draft.slurm_conf, .number = 0, .pairs = {}} {}

    const Line& line() const { return line_; }

    std::int64_t number(const char* key, std::int64_t low, std::int64_t high,
                        std::int64_t otherwise) {
        const Pair* pair = draft_.global(key);
        return pair == nullptr ? otherwise : number_or(draft_, line_, *pair, low, high, otherwise);
    }
    Duration seconds(const char* key, Duration otherwise) {
        return std::chrono::seconds(number(key, 0, 65533, otherwise.count() / 1000));
    }
    bool flag(const char* key, bool otherwise) {
        const Pair* pair = draft_.global(key);
        if (pair == nullptr) return otherwise;
        const auto yes = parse_yes_no(*pair->value);
        if (!yes)
            draft_.error(line_, *pair, pair->key + "=" + *pair->value + " should be yes or no");
        return yes.value_or(otherwise);
    }

private:
    Draft& draft_;
    Line line_;
};

void read_parameter(Draft& draft, const Line& line, const Pair& pair, std::string_view text) {
    const std::string name(trim(text.substr(0, text.find('='))));
    const std::string value = text.find('=') == std::string_view::npos
                                  ? ""
                                  : std::string(trim(text.substr(text.find('=') + 1)));
    const auto& known = scheduler_parameters();
    if (std::ranges::none_of(known, [&](auto k) { return iequals(k, name); })) {
        std::string message = "there is no option " + name + " in SchedulerParameters";
        if (const auto meant = nearest(name, known)) message += "; did you mean " + *meant + "?";
        return draft.error(line, pair, message);
    }
    SchedulingSpec& spec = draft.spec.scheduling;
    const Pair number{.key = name, .value = value, .line = pair.line};
    const auto read = [&](std::int64_t high, std::uint32_t otherwise) {
        return static_cast<std::uint32_t>(number_or(draft, line, number, 1, high, otherwise));
    };
    if (iequals(name, "bf_max_job_test")) {
        spec.plan_depth = read(1'000'000, spec.plan_depth);
    } else if (iequals(name, "bf_max_job_array_resv")) {
        spec.array_depth = read(1'000, spec.array_depth);
    } else if (iequals(name, "bf_window")) {
        spec.plan_window = std::chrono::minutes(read(10 * 43'200, 1440));
    } else if (iequals(name, "bf_interval") && value == "-1") {
        spec.backfill = false;
    } else {
        draft.note(line, pair,
                   "SchedulerParameters: " + std::string(trim(text)) + " has no effect yet");
    }
}

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
    if (const Pair* enforce = draft.global("accountingstorageenforce")) {
        const std::string value = to_lower(*enforce->value);
        draft.spec.scheduling.enforce_accounts = value != "none" && value != "0" && !value.empty();
    }
}

}  // namespace

void read_scheduling_keys(Draft& draft) {
    Globals globals(draft);
    SchedulingSpec& spec = draft.spec.scheduling;
    read_scheduler_type(draft, globals.line());
    read_enforcement(draft, globals.line());
    if (const Pair* parameters = draft.global("schedulerparameters")) {
        for (const auto text : split(*parameters->value, ',')) {
            if (!trim(text).empty()) read_parameter(draft, globals.line(), *parameters, text);
        }
    }
    spec.kill_wait = globals.seconds("killwait", spec.kill_wait);
    spec.agent_timeout = globals.seconds("slurmdtimeout", spec.agent_timeout);
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

void read_priority_keys(Draft& draft) {
    Globals globals(draft);
    const Pair* type = draft.global("prioritytype");
    if (type != nullptr && *type->value == "priority/basic") return;
    if (type != nullptr && *type->value != "priority/multifactor") {
        return draft.error(
            globals.line(), *type,
            "PriorityType=" + *type->value + " should be priority/multifactor or priority/basic");
    }
    constexpr std::int64_t kWeightMax = 0xffff'ffff;
    std::int64_t max_age = 7 * 24 * 3600;
    if (const Pair* age = draft.global("prioritymaxage")) {
        const auto time = parse_time_limit(*age->value);
        if (time.ok() && time.value()) {
            max_age = std::max<std::int64_t>(1, time.value()->count() / 1000);
        } else {
            draft.error(globals.line(), *age,
                        "PriorityMaxAge=" + *age->value + " should be a time, like 7-0");
        }
    }
    const std::int64_t favor_small = globals.flag("priorityfavorsmall", false) ? 1 : 0;
    std::vector<RuleSpec>& rules = draft.spec.scheduling.rules;
    const auto add = [&](const char* name, const char* key,
                         std::vector<std::pair<std::string, std::int64_t>> settings) {
        rules.push_back({.kind = "priority",
                         .name = name,
                         .weight = globals.number(key, 0, kWeightMax, 0),
                         .settings = std::move(settings)});
    };
    add("age", "priorityweightage", {{"max_age", max_age}});
    add("size", "priorityweightjobsize", {{"favor_small", favor_small}});
    add("partition", "priorityweightpartition", {});
    add("qos", "priorityweightqos", {});
    rules.push_back({.kind = "priority", .name = "nice", .weight = 1, .settings = {}});
}

}  // namespace berth::config
