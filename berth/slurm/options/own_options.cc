#include "berth/slurm/options/own_options.h"

#include "berth/base/duration_text.h"
#include "berth/model/invalid_argument.h"

namespace berth::slurm {

Status set_max_wait(JobDraft& draft, const char* value) {
    const auto most = parse_time_limit(value);
    if (!most.ok() || most.value() == Duration::zero())
        return invalid_argument("Invalid --berth-max-wait specification");
    draft.spec.request.edit().max_wait = most.value();
    return Done{};
}

Status set_checkpoint(JobDraft& draft, const char* value) {
    if (*value == '\0')
        return invalid_argument("Invalid --berth-checkpoint specification: it names no file");
    draft.spec.command.edit().checkpoint = value;
    return Done{};
}

Status set_restart_cost(JobDraft& draft, const char* value) {
    const auto cost = parse_time_limit(value);
    if (!cost.ok() || !cost.value())
        return invalid_argument("Invalid --berth-restart-cost specification");
    draft.spec.command.edit().restart_cost = **cost;
    return Done{};
}

}  // namespace berth::slurm
