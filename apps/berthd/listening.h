// Where other hosts reach berthd, derived from its options and slurm.conf.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/berthd/controller_options.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/wire/link_address.h"

namespace berth {

struct Listening {
    TcpAddress link, api;
    TcpAddress advertised;           // Of the API, as other hosts reach it.
    std::vector<std::string> names;  // Of this host, for its certificate.
};

// The API's port is the link's plus this, as slurmrestd's is slurmctld's plus 3.
inline constexpr std::uint16_t kApiPortAfter = 3;

// nullopt: berthd does not listen to other hosts.
Result<std::optional<Listening>> listening_of(const ControllerOptions& options,
                                              const ClusterSpec& spec,
                                              const std::string& host_name);

}  // namespace berth
