// sacctmgr add and delete coordinator.
#pragma once

#include "berth/slurm/admin/sacctmgr_edit.h"

namespace berth::slurm {

// Parse the words after "add coordinator": "names=ann,ben accounts=bio".
Result<Intent> parse_add_coordinators(const AccountingView& view,
                                      const std::vector<std::string>& words);
Result<Intent> parse_delete_coordinators(const AccountingView& view,
                                         const std::vector<std::string>& words);

}  // namespace berth::slurm
