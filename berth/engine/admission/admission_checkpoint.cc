// Admission: the checkpoint that a job saves before it is preempted (--berth-checkpoint), and what
// its restart costs (--berth-restart-cost).
#include <algorithm>

#include "berth/engine/admission/admission_checks.h"

namespace berth {
namespace {

constexpr std::size_t kPathMax = 4096;  // Linux's.
constexpr Duration kRestartCostMax = std::chrono::hours(24 * 365);

}  // namespace

Objection check_restart(const JobCommand& command) {
    const std::string& path = command.checkpoint;
    if (command.restart_cost < Duration{} || command.restart_cost > kRestartCostMax)
        return refuse_invalid("the cost of a restart (--berth-restart-cost) is 0 to 365 days");
    if (path.empty() && command.restart_cost == Duration{}) return std::nullopt;
    if (command.interactive) {
        return Refusing{.why = Refusal::not_supported,
                        .message =
                            "only a batch job runs again: submit it with sbatch, or leave "
                            "out --berth-checkpoint and --berth-restart-cost"};
    }
    if (path.empty()) return std::nullopt;
    const bool is_plain = std::ranges::none_of(path, [](char c) { return c >= 0 && c < ' '; });
    if (path.size() <= kPathMax && is_plain && path.back() != '/') return std::nullopt;
    return refuse_invalid(
        "the checkpoint (--berth-checkpoint) should be the path of a file, of at "
        "most 4096 bytes and without control characters");
}

}  // namespace berth
