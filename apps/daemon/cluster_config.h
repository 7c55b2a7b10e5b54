// Reads the configuration directory for a daemon: findings go to the log, errors end the daemon.
#pragma once

#include <string>

#include "berth/base/log.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

struct ConfigReading {
    bool lenient = false;  // Go on with what could be read in spite of errors.
    bool starting = true;  // The daemon is starting: messages mention --lenient.
    bool quiet = false;    // Log only errors that stop us: another daemon logs the rest.
};

Result<ClusterSpec> read_cluster_config(const std::string& directory, ConfigReading how,
                                        LogSink& log);

}  // namespace berth
