// sacctmgr show tres and show problems.
#pragma once

#include "berth/slurm/admin/sacctmgr_show.h"

namespace berth::slurm {

// What is counted: `names` as sshare has them ("cpu", "gres/gpu:a100"), with Slurm's numbers.
int show_tres(const std::vector<std::string>& names, const std::string& format,
              const SacctmgrOptions& options, Streams& streams);

// Accounts that nobody is in, and users whom this machine does not know.
int show_problems(const AccountingView& view, const std::string& format,
                  const SacctmgrOptions& options, Streams& streams);

}  // namespace berth::slurm
