#include "berth/model/partition_state.h"

#include <array>

#include "berth/base/assert.h"
#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 4> kPartitionStates = {"UP", "DOWN", "DRAIN", "INACTIVE"};
static_assert(kPartitionStates.size() == static_cast<std::size_t>(PartitionState::inactive) + 1);

}  // namespace

std::string_view slurm_name(PartitionState state) {
    BERTH_ASSERT(static_cast<std::size_t>(state) < kPartitionStates.size());
    return kPartitionStates[static_cast<std::size_t>(state)];
}

std::optional<PartitionState> partition_state_of(std::string_view text) {
    for (std::size_t i = 0; i < kPartitionStates.size(); ++i) {
        if (iequals(kPartitionStates[i], text)) return static_cast<PartitionState>(i);
    }
    return std::nullopt;
}

}  // namespace berth
