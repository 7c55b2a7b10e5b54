// What srun tells the programs of a step of its own options, as Slurm's srun does.
#pragma once

#include "berth/api/messages.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

// `job_nodes`: so many has the job; the step has as many unless it asks for fewer.
void add_step_variables(const JobDraft& draft, api::StepCall& call, std::uint32_t job_nodes);

}  // namespace berth::slurm
