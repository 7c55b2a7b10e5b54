// --tres-per-task, which says of several resources at once what each task has of them.
#pragma once

#include <string_view>

#include "berth/base/result.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

// "cpu=4,gres/gpu:a100=2,license/matlab=1". A ":" may stand for each "=". GPUs and licences without
// a count are one.
Result<TresPerTask> parse_tres_per_task(std::string_view text);

// Says the same by --cpus-per-task, --gpus-per-task and --licenses. The first two may not be given
// as well, unless --tres-per-task is from the environment, which then gives way; licences are added
// to those that are asked for by name. Once: it is forgotten then.
Status take_tres_per_task(JobDraft& draft);

}  // namespace berth::slurm
