// sacctmgr add, modify and delete: the change, and what Slurm prints about it.
#pragma once

#include "berth/slurm/admin/sacctmgr_show.h"

namespace berth::slurm {

struct Intent {
    AccountingEdits edits;
    std::string text;     // Printed before the change.
    std::string problem;  // Printed before the reason of a refusal.
};

// Parses the words after "add account", "modify user" …; an error has Slurm's text.
Result<Intent> parse_add(const AccountingView& view, Entity entity,
                         const std::vector<std::string>& words);
Result<Intent> parse_modify(const AccountingView& view, Entity entity,
                            const std::vector<std::string>& words);
Result<Intent> parse_delete(const AccountingView& view, Entity entity,
                            const std::vector<std::string>& words);

}  // namespace berth::slurm
