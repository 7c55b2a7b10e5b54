// Admission of what sacctmgr wants: accounts that hang together, users in accounts that are there,
// QOS that are known; and nothing removed that jobs still need.
#pragma once

#include <variant>

#include "berth/engine/admission/objection.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

// The edits as they will be recorded (AccountingEdited): names checked, what hangs on a removed
// account removed with it, the first account of a user made his default.
std::variant<AccountingEdits, Refusing> admit_edits(const ClusterState& state,
                                                    AccountingEdits edits);

}  // namespace berth
