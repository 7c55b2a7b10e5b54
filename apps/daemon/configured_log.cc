#include "apps/daemon/configured_log.h"

#include <cstdio>

namespace berth {

void configure_log(LogFile& log, const config::LogSettings& settings, const std::string& file,
                   bool verbose) {
    if (settings.file.empty() && !settings.least) return;
    std::vector<std::string> paths = {file};
    if (!settings.file.empty() && file.empty()) paths = {settings.file};
    if (!settings.file.empty() && !file.empty() && settings.file != file) {
        paths.push_back(settings.file);
    }
    const LogLevel least = verbose ? LogLevel::debug : settings.least.value_or(LogLevel::info);
    const Status moved = log.move_to(paths, least);
    if (moved.ok()) return;
    log.write(
        LogLevel::warning, "log",
        "cannot write to " + settings.file + ", which slurm.conf names: " + moved.error().message);
}

}  // namespace berth
