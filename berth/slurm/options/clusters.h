// -M, --clusters: there is one cluster; others are refused in Slurm's words.
#pragma once

#include <optional>
#include <string>

#include "berth/client/client.h"

namespace berth::slurm {

// The cluster's own name, if all of the names (and "all") mean it.
Result<std::string> cluster_meant(Client& client, const std::string& names,
                                  const std::string& program);

// Where only one cluster makes sense: why these names do not mean it. Nothing is asked for none.
std::optional<std::string> other_cluster(Client& client, const std::string& names,
                                         const std::string& program);

}  // namespace berth::slurm
