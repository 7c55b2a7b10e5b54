// -M, --clusters: there is one cluster; others are refused in Slurm's words.
#pragma once

#include <string>

#include "berth/client/client.h"

namespace berth::slurm {

// The cluster's own name, if all of the names (and "all") mean it.
Result<std::string> cluster_meant(Client& client, const std::string& names,
                                  const std::string& program);

}  // namespace berth::slurm
