// JobLook: lets a command that waits beside a job (srun, salloc) poll whether the job still exists.
// A poll that fails does not mean that the job is over.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// For repeated calls: no retries, and a timeout shorter than that after which a client reports that
// the controller does not respond.
inline constexpr ClientOptions kOneTry{.timeout = std::chrono::seconds(3),
                                       .retry_for = std::chrono::milliseconds(0),
                                       .slow_down_for = std::chrono::milliseconds(0)};

class JobLook {
public:
    // Uses a client of its own with a short timeout, since the caller has signals and output to
    // handle.
    explicit JobLook(const Invocation& call);
    CallResult<std::vector<api::JobRow>> at(const std::string& job) { return client_.job(job); }
    CallResult<api::NodeRow> node(const std::string& name) { return client_.node(name); }
    void stop_at(int fd);  // A poll ends as soon as this descriptor is readable; -1: none.

private:
    Client client_;
};

// The controller answered that there is no such job. False: it exists, or that is not known.
bool is_gone(const api::Problem& problem);
// False only if the poll has shown that the step is over.
bool may_run_still(const CallResult<std::vector<api::JobRow>>& look, StepId step);

}  // namespace berth::slurm
