// The keys of slurm.conf that say what jobs and steps have unless their user says otherwise.
#include <algorithm>

#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/globals.h"
#include "berth/model/mpi_kind.h"

namespace berth::config {

namespace {

std::optional<RlimitSet> rlimits_of(Draft& draft, const Pair& pair) {
    const auto set = parse_rlimits(*pair.value);
    if (set.ok()) return *set;
    draft.error(Globals(draft).line(), pair, pair.key + ": " + set.error().message);
    return std::nullopt;
}

void read_propagation(Draft& draft) {
    RlimitSet& limits = draft.spec.launch.propagated_limits;
    const Pair* const these = draft.global("propagateresourcelimits");
    const Pair* const except = draft.global("propagateresourcelimitsexcept");
    if (these != nullptr && except != nullptr) {
        return draft.error(Globals(draft).line(), *except,
                           "PropagateResourceLimits and PropagateResourceLimitsExcept exclude "
                           "each other: give one of them");
    }
    if (these != nullptr) limits = rlimits_of(draft, *these).value_or(limits);
    if (except == nullptr) return;
    const auto kept_back = rlimits_of(draft, *except);
    if (kept_back) limits = static_cast<RlimitSet>(kAllRlimits & ~*kept_back);
}

// "1-9,18", in ascending order.
std::vector<std::int32_t> exit_codes(Draft& draft, const char* key) {
    const Pair* const pair = draft.global(key);
    if (pair == nullptr) return {};
    const auto wrong = [&] {
        draft.error(Globals(draft).line(), *pair,
                    pair->key + "=" + *pair->value +
                        " should be exit codes from 1 to 255, as in \"1-9,18\"");
        return std::vector<std::int32_t>();
    };
    std::vector<std::int32_t> codes;
    for (const std::string_view part : split(*pair->value, ',')) {
        const std::size_t dash = part.find('-');
        const auto first = parse_int64(trim(part.substr(0, dash)));
        const auto last =
            dash == std::string_view::npos ? first : parse_int64(trim(part.substr(dash + 1)));
        if (!first.ok() || !last.ok() || *first < 1 || *last > 255 || *first > *last)
            return wrong();
        for (std::int64_t code = *first; code <= *last; ++code)
            codes.push_back(static_cast<std::int32_t>(code));
    }
    std::ranges::sort(codes);
    const auto repeated = std::ranges::unique(codes);
    codes.erase(repeated.begin(), repeated.end());
    return codes;
}

}  // namespace

void read_step_keys(Draft& draft) {
    LaunchSpec& launch = draft.spec.launch;
    Globals globals(draft);
    launch.append_output = globals.flag("jobfileappend", false);
    launch.kill_on_bad_exit = globals.flag("killonbadexit", launch.kill_on_bad_exit);
    launch.wait_for_tasks = std::chrono::seconds(globals.number("waittime", 0, 65533, 0));
    launch.max_step_count = static_cast<std::uint32_t>(
        globals.number("maxstepcount", 1, 0x7fff'ffff, launch.max_step_count));
    launch.max_tasks_per_node = static_cast<std::uint32_t>(
        globals.number("maxtaskspernode", 1, 65533, launch.max_tasks_per_node));
    read_propagation(draft);
    SchedulingSpec& scheduling = draft.spec.scheduling;
    scheduling.requeue_exit = exit_codes(draft, "requeueexit");
    scheduling.requeue_exit_hold = exit_codes(draft, "requeueexithold");
    const Pair* kind = draft.global("mpidefault");
    if (kind == nullptr) return;
    const std::string word = to_lower(*kind->value);
    if (is_mpi_kind(word)) {
        draft.spec.mpi_default = word;
        return;
    }
    std::string known;
    for (const std::string_view one : kMpiKinds) {
        known += (known.empty() ? "" : ", ") + std::string(one);
    }
    draft.error(Globals(draft).line(), *kind,
                "MpiDefault=" + *kind->value + " should be one of " + known);
}

}  // namespace berth::config
