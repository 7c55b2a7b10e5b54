// Applies the log settings of slurm.conf to a daemon.
#pragma once

#include <string>

#include "apps/daemon/log_file.h"
#include "berth/config/log_settings.h"

namespace berth {

// `file` and `verbose` are command line options: if `file` is set, the log goes to both files. If a
// file cannot be written, this is logged, and the log stays where it is.
void configure_log(LogFile& log, const config::LogSettings& settings, const std::string& file,
                   bool verbose);

}  // namespace berth
