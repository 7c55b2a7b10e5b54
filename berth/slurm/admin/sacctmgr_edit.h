// sacctmgr add, modify and delete: what is to be changed, and what Slurm prints about it.
#pragma once

#include "berth/slurm/admin/sacctmgr_show.h"

namespace berth::slurm {

struct Intent {
    AccountingEdits edits;
    std::string text;     // What is printed before it is done.
    std::string problem;  // What is printed before the reason when it is refused.
};

// The words behind "add account", "modify user" …; an error is Slurm's text.
Result<Intent> parse_add(const AccountingView& view, Entity entity,
                         const std::vector<std::string>& words);
Result<Intent> parse_modify(const AccountingView& view, Entity entity,
                            const std::vector<std::string>& words);
Result<Intent> parse_delete(const AccountingView& view, Entity entity,
                            const std::vector<std::string>& words);

}  // namespace berth::slurm
