#include "berth/server/views/names.h"

#include <array>

#include "berth/base/assert.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 7> kStepStates = {
    "RUNNING", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL"};
static_assert(kStepStates.size() == static_cast<std::size_t>(StepState::node_fail) + 1);

template <class Names, class State>
std::string_view name_in(const Names& names, State state) {
    BERTH_ASSERT(static_cast<std::size_t>(state) < names.size());
    return names[static_cast<std::size_t>(state)];
}

}  // namespace

std::string_view shown_state(const Job& job) {
    if (job.is_suspended()) return "SUSPENDED";
    return job.is_configuring() ? "CONFIGURING" : slurm_name(job.state);
}
std::string_view slurm_name(StepState state) { return name_in(kStepStates, state); }

}  // namespace berth
