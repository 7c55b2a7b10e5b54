#include "berth/server/names.h"

#include <array>

#include "berth/base/assert.h"
#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 12> kJobStates = {
    "PENDING", "RUNNING",   "COMPLETING", "COMPLETED",     "FAILED",    "CANCELLED",
    "TIMEOUT", "NODE_FAIL", "PREEMPTED",  "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"};
static_assert(kJobStates.size() == static_cast<std::size_t>(JobState::deadline) + 1);

constexpr std::array<std::string_view, 7> kStepStates = {
    "RUNNING", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL"};
static_assert(kStepStates.size() == static_cast<std::size_t>(StepState::node_fail) + 1);

constexpr std::array<std::string_view, 4> kPartitionStates = {"UP", "DOWN", "DRAIN", "INACTIVE"};

template <class Names, class State>
std::string_view name_in(const Names& names, State state) {
    BERTH_ASSERT(static_cast<std::size_t>(state) < names.size());
    return names[static_cast<std::size_t>(state)];
}

}  // namespace

std::string_view slurm_name(JobState state) { return name_in(kJobStates, state); }
std::string_view shown_state(const Job& job) {
    return job.is_suspended() ? "SUSPENDED" : slurm_name(job.state);
}
std::string_view slurm_name(StepState state) { return name_in(kStepStates, state); }
std::string_view slurm_name(PartitionState state) { return name_in(kPartitionStates, state); }

std::optional<JobState> job_state_of(std::string_view name) {
    for (std::size_t i = 0; i < kJobStates.size(); ++i) {
        if (iequals(kJobStates[i], name)) return static_cast<JobState>(i);
    }
    return std::nullopt;
}

}  // namespace berth
