// JobLook: how a command that waits beside a job (srun, salloc) sees whether the job is still
// there. A look that comes to nothing is no sign that the job is over.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/text/command.h"

namespace berth::slurm {

// For calls that are repeated anyway: no retries, and over before a client would report a silent
// controller.
inline constexpr ClientOptions kOneTry{.timeout = std::chrono::seconds(3),
                                       .retry_for = std::chrono::milliseconds(0),
                                       .slow_down_for = std::chrono::milliseconds(0)};

class JobLook {
public:
    // With a client of its own, which gives up soon: who looks has signals and output to attend to.
    explicit JobLook(const Invocation& call);
    CallResult<std::vector<api::JobRow>> at(const std::string& job) { return client_.job(job); }
    CallResult<api::NodeRow> node(const std::string& name) { return client_.node(name); }
    void stop_at(int fd);  // A look ends as soon as this descriptor is readable; -1: none.

private:
    Client client_;
};

// The controller was asked, and knows of no such job. False: nobody knows.
bool is_gone(const api::Problem& problem);
// False only where the look has shown that the step is over.
bool may_run_still(const CallResult<std::vector<api::JobRow>>& look, StepId step);

}  // namespace berth::slurm
