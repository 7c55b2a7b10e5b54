// slurm.conf's words about the care of nodes: health checks, reboots, how often usage is measured.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/globals.h"

namespace berth::config {
namespace {

struct StateName {
    std::string_view name;
    std::uint8_t bit;
};
constexpr auto kStates = std::to_array<StateName>({
    {"ALLOC", HealthCheckSpec::kAllocated},
    {"ANY", HealthCheckSpec::kAny},
    {"IDLE", HealthCheckSpec::kIdle},
    {"MIXED", HealthCheckSpec::kMixed},
    {"NONDRAINED_IDLE", HealthCheckSpec::kNonDrainedIdle},
    {"START_ONLY", HealthCheckSpec::kStartOnly},
});

void read_program(Draft& draft, const Line& line, const char* key, std::string& program) {
    const Pair* pair = draft.global(key);
    if (pair == nullptr || pair->value->empty()) return;
    if (pair->value->starts_with('/')) {
        program = *pair->value;
    } else {
        draft.error(line, *pair,
                    pair->key + "=" + *pair->value +
                        " should be an absolute path, like /etc/slurm/" + to_lower(pair->key) +
                        ".sh");
    }
}

void read_states(Draft& draft, const Line& line, HealthCheckSpec& care) {
    const Pair* pair = draft.global("healthchecknodestate");
    if (pair == nullptr) return;
    std::uint8_t states = 0;
    for (const std::string_view word : split(*pair->value, ',')) {
        const std::string_view wanted = trim(word);
        const auto known = std::ranges::find_if(
            kStates, [&](const StateName& one) { return iequals(one.name, wanted); });
        if (known != kStates.end()) {
            states = static_cast<std::uint8_t>(states | known->bit);
        } else if (iequals(wanted, "CYCLE")) {
            care.health_cycle = true;
        } else if (!wanted.empty()) {
            draft.error(line, *pair,
                        "HealthCheckNodeState: there is no " + std::string(wanted) +
                            "; there are ALLOC, ANY, CYCLE, IDLE, MIXED, NONDRAINED_IDLE, "
                            "START_ONLY");
        }
    }
    if (states != 0) care.health_states = states;
}

// "30", "task=30,energy=60"; 0: not at all.
void read_sampling(Draft& draft, const Line& line, HealthCheckSpec& care) {
    care.sampling = std::chrono::seconds(30);
    if (const Pair* type = draft.global("jobacctgathertype")) {
        if (type->value->ends_with("/none")) care.sampling = {};
    }
    const Pair* pair = draft.global("jobacctgatherfrequency");
    if (pair == nullptr) return;
    for (const std::string_view word : split(*pair->value, ',')) {
        const std::string_view part = trim(word);
        const bool of_task = starts_with_icase(part, "task=");
        if (!of_task && part.find('=') != std::string_view::npos) continue;  // Energy, network …
        const auto seconds = parse_int64(of_task ? part.substr(5) : part);
        if (seconds.ok() && *seconds >= 0 && *seconds <= 65533) {
            if (care.sampling != Duration{}) care.sampling = std::chrono::seconds(*seconds);
        } else {
            draft.error(line, *pair,
                        "JobAcctGatherFrequency=" + *pair->value +
                            " should be a number of seconds, or task=SECONDS");
        }
    }
}

}  // namespace

void read_care_keys(Draft& draft) {
    Globals globals(draft);
    HealthCheckSpec& care = draft.spec.care;
    read_program(draft, globals.line(), "healthcheckprogram", care.health_check);
    read_program(draft, globals.line(), "rebootprogram", care.reboot);
    read_program(draft, globals.line(), "unkillablestepprogram", care.unkillable_program);
    care.unkillable_wait =
        std::chrono::seconds(globals.number("unkillablesteptimeout", 1, 65533, 60));
    care.health_interval = globals.seconds("healthcheckinterval", care.health_interval);
    care.resume_timeout = globals.seconds("resumetimeout", care.resume_timeout);
    read_states(draft, globals.line(), care);
    read_sampling(draft, globals.line(), care);
}

}  // namespace berth::config
