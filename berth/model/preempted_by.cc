#include "berth/model/preempted_by.h"

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::string_view kPreemptedBy = "Preempted by job ";

}  // namespace

std::string preempted_by_text(JobId preemptor) {
    return std::string(kPreemptedBy) + to_string(preemptor);
}

std::optional<JobId> preemptor_of(std::string_view reason) {
    if (!reason.starts_with(kPreemptedBy)) return std::nullopt;
    const auto id = parse_int64(reason.substr(kPreemptedBy.size()));
    if (!id.ok() || *id <= 0 || *id > UINT32_MAX) return std::nullopt;
    return JobId(static_cast<std::uint32_t>(*id));
}

}  // namespace berth
