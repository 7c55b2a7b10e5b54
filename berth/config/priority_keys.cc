// The keys of slurm.conf that say which job comes first: Priority*.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/config/globals.h"

namespace berth::config {
namespace {

// PriorityFlags, in Slurm's spelling.
struct Flags {
    bool accrue_always = false, calculate_running = false, depth_oblivious = false,
         incr_only = false, max_tres = false, max_tres_gres = false, no_fair_tree = false,
         no_normal_assoc = false, no_normal_part = false, no_normal_qos = false,
         no_normal_tres = false, relative_to_time = false, fair_tree = false;
};
struct FlagName {
    std::string_view name;
    void (*set)(Flags&);
};
constexpr auto kFlags = std::to_array<FlagName>({
    {"ACCRUE_ALWAYS", [](Flags& f) { f.accrue_always = true; }},
    {"CALCULATE_RUNNING", [](Flags& f) { f.calculate_running = true; }},
    {"DEPTH_OBLIVIOUS", [](Flags& f) { f.depth_oblivious = f.no_fair_tree = true; }},
    {"FAIR_TREE", [](Flags& f) { f.fair_tree = true; }},
    {"INCR_ONLY", [](Flags& f) { f.incr_only = true; }},
    {"MAX_TRES", [](Flags& f) { f.max_tres = true; }},
    {"MAX_TRES_GRES", [](Flags& f) { f.max_tres_gres = true; }},
    {"NO_FAIR_TREE", [](Flags& f) { f.no_fair_tree = true; }},
    {"NO_NORMAL_ALL",
     [](Flags& f) {
         f.no_normal_assoc = f.no_normal_part = f.no_normal_qos = f.no_normal_tres = true;
     }},
    {"NO_NORMAL_ASSOC", [](Flags& f) { f.no_normal_assoc = true; }},
    {"NO_NORMAL_PART", [](Flags& f) { f.no_normal_part = true; }},
    {"NO_NORMAL_QOS", [](Flags& f) { f.no_normal_qos = true; }},
    {"NO_NORMAL_TRES", [](Flags& f) { f.no_normal_tres = true; }},
    {"SMALL_RELATIVE_TO_TIME", [](Flags& f) { f.relative_to_time = true; }},
});

Flags read_flags(Draft& draft, const Line& line) {
    Flags flags;
    const Pair* pair = draft.global("priorityflags");
    if (pair == nullptr) return flags;
    for (const std::string_view word : split(*pair->value, ',')) {
        if (trim(word).empty()) continue;
        const auto known = std::ranges::find_if(
            kFlags, [&](const FlagName& one) { return iequals(one.name, trim(word)); });
        if (known != kFlags.end()) {
            known->set(flags);
            continue;
        }
        std::vector<std::string_view> names;
        names.reserve(kFlags.size());
        for (const FlagName& one : kFlags) names.push_back(one.name);
        draft.error(line, *pair,
                    "PriorityFlags: there is no " + std::string(trim(word)) + "; there are " +
                        join(names, ", "));
    }
    if (flags.fair_tree && flags.no_fair_tree) {
        draft.error(line, *pair,
                    "PriorityFlags: FAIR_TREE excludes NO_FAIR_TREE and DEPTH_OBLIVIOUS");
    }
    return flags;
}

UsageReset read_reset(Draft& draft, const Line& line) {
    constexpr auto kPeriods = std::to_array<std::pair<std::string_view, UsageReset>>({
        {"NONE", UsageReset::never},
        {"DAILY", UsageReset::daily},
        {"WEEKLY", UsageReset::weekly},
        {"MONTHLY", UsageReset::monthly},
        {"QUARTERLY", UsageReset::quarterly},
        {"YEARLY", UsageReset::yearly},
    });
    const Pair* pair = draft.global("priorityusageresetperiod");
    if (pair == nullptr) return UsageReset::never;
    for (const auto& [name, period] : kPeriods) {
        if (iequals(name, *pair->value)) return period;
    }
    std::string message = "PriorityUsageResetPeriod=" + *pair->value +
                          " should be NONE, DAILY, WEEKLY, MONTHLY, QUARTERLY or YEARLY";
    if (iequals(*pair->value, "NOW")) message += "; to clear usage once, run `berth usage clear`";
    draft.error(line, *pair, std::move(message));
    return UsageReset::never;
}

void read_decay(Draft& draft, Globals& globals) {
    SchedulingSpec& spec = draft.spec.scheduling;
    spec.usage_decay = {
        .half_life = globals.length("prioritydecayhalflife", spec.usage_decay.half_life),
        .reset = read_reset(draft, globals.line())};
    spec.priority_period = std::max<Duration>(
        globals.length("prioritycalcperiod", spec.priority_period), std::chrono::seconds(1));
}

std::vector<std::pair<std::string, std::int64_t>> only_if(bool set, const char* name) {
    if (!set) return {};
    return {{name, 1}};
}

class Rules {
public:
    Rules(Draft& draft, Globals& globals)
        : globals_(globals), rules_(draft.spec.scheduling.rules) {}

    void weigh(const char* name, const char* key,
               std::vector<std::pair<std::string, std::int64_t>> settings) {
        constexpr std::int64_t kSlurmWeightMax = 0xffff'ffff;
        add("priority", name, globals_.number(key, -kSlurmWeightMax, kSlurmWeightMax, 0),
            std::move(settings));
    }
    void add(const char* kind, const char* name, std::int64_t weight,
             std::vector<std::pair<std::string, std::int64_t>> settings) {
        rules_.push_back(
            {.kind = kind, .name = name, .weight = weight, .settings = std::move(settings)});
    }

private:
    Globals& globals_;
    std::vector<RuleSpec>& rules_;
};

void read_weights(Draft& draft, Globals& globals, const Flags& flags) {
    Rules rules(draft, globals);
    std::vector<std::pair<std::string, std::int64_t>> age = {
        {"max_age", std::max<std::int64_t>(
                        1, seconds(globals.length("prioritymaxage", std::chrono::hours(168))))}};
    if (flags.accrue_always) age.emplace_back("from_submission", 1);
    std::vector<std::pair<std::string, std::int64_t>> size = {
        {"favor_small", globals.flag("priorityfavorsmall", false) ? 1 : 0}};
    if (flags.relative_to_time) size.emplace_back("per_minute", 1);
    rules.add("priority", "site", 1, {});
    rules.weigh("age", "priorityweightage", std::move(age));
    rules.weigh("association", "priorityweightassoc", only_if(flags.no_normal_assoc, "plain"));
    rules.weigh("fair_share", "priorityweightfairshare", {});
    rules.weigh("size", "priorityweightjobsize", std::move(size));
    rules.weigh("partition", "priorityweightpartition", only_if(flags.no_normal_part, "plain"));
    rules.weigh("qos", "priorityweightqos", only_if(flags.no_normal_qos, "plain"));
    if (const Pair* pair = draft.global("priorityweighttres")) {
        draft.spec.scheduling.priority_tres = read_tres_weights(draft, globals.line(), *pair);
        rules.add("priority", "tres", 1, only_if(flags.no_normal_tres, "plain"));
    }
    rules.add("priority", "nice", 1, {});
    std::vector<std::pair<std::string, std::int64_t>> classic =
        only_if(flags.depth_oblivious, "depth_oblivious");
    const std::int64_t damping = globals.number("fairsharedampeningfactor", 1, 65533, 1);
    if (damping != 1) classic.emplace_back("damping", damping);
    if (flags.no_fair_tree) rules.add("fairness", "classic", 1, std::move(classic));
}

}  // namespace

void read_priority_keys(Draft& draft) {
    Globals globals(draft);
    const Flags flags = read_flags(draft, globals.line());
    read_decay(draft, globals);
    SchedulingSpec& spec = draft.spec.scheduling;
    if (flags.max_tres_gres) {
        spec.billing_sum = BillingSum::largest_and_gres;
    } else if (flags.max_tres) {
        spec.billing_sum = BillingSum::largest;
    }
    spec.prioritize_running = flags.calculate_running;
    spec.priorities_only_rise = flags.incr_only;
    const Pair* type = draft.global("prioritytype");
    if (type != nullptr && *type->value == "priority/basic") return;
    if (type != nullptr && *type->value != "priority/multifactor") {
        return draft.error(
            globals.line(), *type,
            "PriorityType=" + *type->value + " should be priority/multifactor or priority/basic");
    }
    read_weights(draft, globals, flags);
}

}  // namespace berth::config
