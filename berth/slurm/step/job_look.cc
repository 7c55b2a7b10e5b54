#include "berth/slurm/step/job_look.h"

#include "berth/slurm/options/arguments.h"

namespace berth::slurm {

JobLook::JobLook(const Invocation& call) : client_(endpoint_of(call), kOneTry) {}

void JobLook::stop_at(int fd) {
    ClientOptions options = kOneTry;
    options.stop_fd = fd;
    client_.set_options(options);
}

bool is_gone(const api::Problem& problem) {
    return problem.code == "unknown_job" || problem.code == "unknown_step";
}

bool may_run_still(const CallResult<std::vector<api::JobRow>>& look, StepId step) {
    if (!look) return !is_gone(look.problem());
    for (const api::JobRow& job : *look) {
        for (const api::StepRow& row : job.steps) {
            if (row.id == step) return row.state == "RUNNING";
        }
    }
    return false;
}

}  // namespace berth::slurm
