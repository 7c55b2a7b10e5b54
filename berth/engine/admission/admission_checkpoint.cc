// Admission: the checkpoint that a job saves before it is preempted (--berth-checkpoint).
#include <algorithm>

#include "berth/engine/admission/admission_checks.h"

namespace berth {
namespace {

constexpr std::size_t kPathMax = 4096;  // Linux's.

}  // namespace

Objection check_checkpoint(const JobCommand& command) {
    const std::string& path = command.checkpoint;
    if (path.empty()) return std::nullopt;
    if (command.interactive) {
        return Refusing{.why = Refusal::not_supported,
                        .message = "only a batch job saves a checkpoint for preemption, since only "
                                   "a batch job runs again: submit it with sbatch, or leave out "
                                   "--berth-checkpoint"};
    }
    const bool is_plain = std::ranges::none_of(path, [](char c) { return c >= 0 && c < ' '; });
    if (path.size() <= kPathMax && is_plain && path.back() != '/') return std::nullopt;
    return refuse_invalid("the checkpoint (--berth-checkpoint) should be the path of a file, of at "
                          "most 4096 bytes and without control characters");
}

}  // namespace berth
