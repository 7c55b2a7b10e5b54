// The keys of slurm.conf that say what jobs and steps have unless their user says otherwise.
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

}  // namespace

void read_step_keys(Draft& draft) {
    draft.spec.launch.append_output = Globals(draft).flag("jobfileappend", false);
    read_propagation(draft);
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
