// The options of `scontrol requeue` and `requeuehold`, which stand before the jobs.
#pragma once

#include <string>
#include <vector>

#include "berth/api/messages.h"

namespace berth::slurm {

struct RequeueCall {
    api::RequeueRequest request;
    std::vector<std::string> words;  // The verb and the jobs.
};

// {"requeuehold", "State=SpecialExit", "12"}, {"requeue", "Incomplete", "12,13"}. As with Slurm,
// what is no option is taken for a job.
RequeueCall parse_requeue(std::vector<std::string> words);

}  // namespace berth::slurm
