// The configuration directory as a daemon reads it: findings to the log, errors stop it.
#pragma once

#include <string>

#include "berth/base/log.h"
#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"

namespace berth {

struct ConfigReading {
    bool lenient = false;  // Go on in spite of errors, with what could be read.
    bool starting = true;  // The daemon starts: --lenient would help.
    bool quiet = false;    // Leave out what does not stop us: another daemon says it.
};

Result<ClusterSpec> read_cluster_config(const std::string& directory, ConfigReading how,
                                        LogSink& log);

}  // namespace berth
