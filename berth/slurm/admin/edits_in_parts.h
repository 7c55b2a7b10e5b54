// EditsInParts: edits of accounts as calls that the controller takes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/model/accounting_edits.h"

namespace berth::slurm {

// One call where all fits into it; else accounts before those beneath them, and before the users in
// them. `accounts`: all that there will be, by name.
std::vector<AccountingEdits> edits_in_parts(AccountingEdits all,
                                            const std::map<std::string, AccountSpec>& accounts);

}  // namespace berth::slurm
