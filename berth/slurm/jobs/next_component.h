// What a component of a heterogeneous job has from the one before it: in Slurm, what concerns the
// whole job stays as it was given, and what concerns nodes, tasks and devices begins anew.
#pragma once

#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

JobDraft next_component(const JobDraft& before);

}  // namespace berth::slurm
