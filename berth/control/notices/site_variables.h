// SiteVariables: the environment of the site's programs on the controller's host (MailProg,
// PrologSlurmctld, EpilogSlurmctld), with Slurm's names.
#pragma once

#include <string>
#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

// "SLURM_JOB_ID=7" … `over`: adds how the run ended.
std::vector<std::string> site_variables(const ClusterState& state, const Job& job, bool over);

}  // namespace berth
