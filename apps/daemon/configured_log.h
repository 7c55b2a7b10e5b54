// What slurm.conf says of a daemon's log.
#pragma once

#include <string>

#include "apps/daemon/log_file.h"
#include "berth/config/log_settings.h"

namespace berth {

// `file` and `verbose` are options of the command line: with a file there the log goes to both. A
// file that cannot be written is no reason not to run: that is said, and the log stays where it is.
void configure_log(LogFile& log, const config::LogSettings& settings, const std::string& file,
                   bool verbose);

}  // namespace berth
