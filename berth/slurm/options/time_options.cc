#include "berth/slurm/options/time_options.h"

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/text/when.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

Error invalid_time(const char* option_name) {
    return invalid_argument(std::string("Invalid --") + option_name + " specification");
}

}  // namespace

Status set_time(JobDraft& d, const char* v) {
    const auto limit = parse_time_limit(v);
    if (!limit.ok()) return invalid_time("time");
    d.time_given = true;
    const bool none = limit.value().value_or(Duration::zero()) <= Duration::zero();  // UNLIMITED, 0
    d.spec.request.edit().time_limit = none ? Duration::max() : round_up_to_minute(*limit.value());
    return Done{};
}

Status set_begin(JobDraft& d, const char* v) {
    const auto when = parse_when(v, wall_time(), false);
    if (!when.ok()) return invalid_time("begin");
    d.spec.begin = when.value();
    return Done{};
}

Status set_deadline(JobDraft& d, const char* v) {
    const auto when = parse_when(v, wall_time(), false);
    if (!when.ok()) return invalid_time("deadline");
    d.spec.deadline = when.value();
    return Done{};
}

Status set_time_min(JobDraft& d, const char* v) {
    const auto least = parse_time_limit(v);
    if (!least.ok()) return invalid_time("time-min");
    d.spec.time_min = least.value().value_or(Duration::max());
    return Done{};
}

Status set_nice(JobDraft& d, const char* v) {
    const auto nice = v == nullptr ? Result<std::int64_t>(100) : parse_int64(v);
    if (!nice.ok() || nice.value() < -2'147'483'645 || nice.value() > 2'147'483'645)
        return invalid_argument("Invalid --nice value: " + std::string(v));
    d.spec.nice = static_cast<std::int32_t>(nice.value());
    return Done{};
}

Status set_priority(JobDraft& d, const char* v) {
    const auto priority = iequals(v, "TOP") ? Result<std::int64_t>(0xffff'fffeLL) : parse_int64(v);
    if (!priority.ok() || priority.value() < 0 || priority.value() > 0xffff'fffeLL)
        return invalid_argument("Invalid --priority specification");
    d.spec.priority = static_cast<std::uint32_t>(priority.value());
    return Done{};
}

}  // namespace berth::slurm
