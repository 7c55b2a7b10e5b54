// scontrol update, hold, release and the like: what is asked for one job or node, and the answer.
#pragma once

#include <string>

#include "berth/client/client.h"
#include "berth/slurm/admin/scontrol_update.h"

namespace berth::slurm {

using ChangeResult = CallResult<api::ChangeReply>;

// Of a command that has nothing to tell but its success.
ChangeResult without_words(const CallResult<Done>& done);

// The jobs that are meant, by their numbers; a problem, too, where there are none.
CallResult<std::vector<std::string>> jobs_named(Client& client, const JobsByName& wanted);

// REQUIRES: the change is to nodes, or to a job, of this name.
ChangeResult send_update(Client& client, const Update& change, const std::string& name);

}  // namespace berth::slurm
