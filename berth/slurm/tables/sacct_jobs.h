// What sacct asks the controller for beside the records: scripts, associations, and the other
// components of a heterogeneous job.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/tables/sacct_filter.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// --batch-script: an exit code.
int print_scripts(Client& client, const std::vector<JobId>& jobs, Streams& streams);

// --env-vars: as Slurm without AccountingStoreFlags=job_env, for no environment is kept.
void print_environment(const api::AccountingRow& job, std::ostream& out);

// --associations: whose jobs they are.
Status find_associations(Client& client, SacctFilter& filter);

// --whole-hetjob: of each component that is named the whole job …
Status name_whole_hetjobs(Client& client, api::AccountingQuery& query);
// … or the component alone, which may be named "12+1".
std::vector<JobId> named_components(std::vector<JobId> jobs, const std::vector<std::string>& named);
bool is_component(const std::string& named);

}  // namespace berth::slurm
