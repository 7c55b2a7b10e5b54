// Admission of sacctmgr's edits: every account has a parent, associations name existing accounts,
// QOS exist, quotas of queues do not contradict each other, and nothing that jobs still need is
// removed.
#pragma once

#include <variant>

#include "berth/engine/admission/objection.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// The edits as they will be recorded (AccountingEdited): names checked, everything below a removed
// account removed with it, a user's first account made the default.
std::variant<AccountingEdits, Refusing> admit_edits(const ClusterState& state,
                                                    AccountingEdits edits);

}  // namespace berth
