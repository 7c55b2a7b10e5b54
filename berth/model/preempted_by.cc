#include "berth/model/preempted_by.h"

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::string_view kPreemptedBy = "Preempted by job ";
constexpr std::string_view kCheckpointTimeout = ": checkpoint timeout";

}  // namespace

std::string preempted_by_text(JobId preemptor) {
    return std::string(kPreemptedBy) + to_string(preemptor);
}

std::string checkpoint_timeout_text(JobId preemptor) {
    return preempted_by_text(preemptor) + std::string(kCheckpointTimeout);
}

std::optional<JobId> preemptor_of(std::string_view reason) {
    if (!reason.starts_with(kPreemptedBy)) return std::nullopt;
    if (reason.ends_with(kCheckpointTimeout)) reason.remove_suffix(kCheckpointTimeout.size());
    const auto id = parse_int64(reason.substr(kPreemptedBy.size()));
    if (!id.ok() || *id <= 0 || *id > UINT32_MAX) return std::nullopt;
    return JobId(static_cast<std::uint32_t>(*id));
}

bool is_checkpoint_timeout(std::string_view reason) {
    return reason.ends_with(kCheckpointTimeout) && preemptor_of(reason).has_value();
}

}  // namespace berth
