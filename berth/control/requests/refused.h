// How a command is refused: for an error in the request, or because the principal lacks the
// permission.
#pragma once

#include <optional>
#include <string>

#include "berth/control/requests/authorize.h"
#include "berth/control/turn/command.h"
#include "berth/engine/admission/admission.h"

namespace berth {

Refused refused(Refusing refusing, std::optional<JobId> job = std::nullopt);
Refused refused(Refusal why, std::string message, std::optional<JobId> job = std::nullopt);

// "User 'bob' (user) may not do this to job 12 of user 'alice': cancel_job"; nullopt: allowed.
std::optional<Refused> forbidden(const ClusterSpec& spec, const Principal& principal, Verb verb,
                                 const Job& job);
// For objects that have no owner.
std::optional<Refused> forbidden(const Principal& principal, Verb verb);

}  // namespace berth
