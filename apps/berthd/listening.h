// Where berthd is to be found by other hosts: options and slurm.conf, put together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/berthd/options.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/wire/link_address.h"

namespace berth {

struct Listening {
    TcpAddress link, api;
    TcpAddress advertised;           // Of the API, as others find it.
    std::vector<std::string> names;  // Of this host, for its certificate.
};

// The API is this far behind the link, as slurmrestd's port is behind slurmctld's.
inline constexpr std::uint16_t kApiPortAfter = 3;

// nullopt: other hosts are not listened to.
Result<std::optional<Listening>> listening_of(const ControllerOptions& options,
                                              const ClusterSpec& spec,
                                              const std::string& host_name);

}  // namespace berth
