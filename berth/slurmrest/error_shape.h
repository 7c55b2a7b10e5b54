// ErrorShape: refusals of /v1 as slurmrestd's errors, with the numbers of slurm_errno.h.
#pragma once

#include "berth/api/messages.h"
#include "berth/slurmrest/meta.h"

namespace berth::slurmrest {

ErrorEntry error_of(const api::Problem& problem);

}  // namespace berth::slurmrest
