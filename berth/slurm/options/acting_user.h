// --uid and --gid: root submits as somebody else.
#pragma once

#include "berth/base/result.h"
#include "berth/client/endpoint.h"
#include "berth/slurm/options/job_draft.h"

namespace berth::slurm {

Status set_uid(JobDraft& draft, const char* value);  // A name or a number.
Status set_gid(JobDraft& draft, const char* value);

// Of the components of a job, the first that names a user, or a group, does so for all.
void join_acting_user(ActingUser& whole, const ActingUser& component);

// Becomes the user and group that the options name, for good: the controller takes a caller for who
// the kernel says it is. Nothing happens without the options, or if they name the caller.
Status become_acting_user(const ActingUser& wanted, const Endpoint& endpoint);

}  // namespace berth::slurm
