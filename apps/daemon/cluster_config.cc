#include "apps/daemon/cluster_config.h"

#include "berth/config/files.h"
#include "berth/config/load.h"
#include "berth/trust/ownership.h"

namespace berth {

namespace {

LogLevel level_of(config::Severity severity) {
    switch (severity) {
        case config::Severity::error: return LogLevel::error;
        case config::Severity::warning: return LogLevel::warning;
        case config::Severity::note: return LogLevel::info;
    }
    return LogLevel::error;
}

// The configuration names programs that run as root, so only root and our own user may write it.
Result<config::ConfigFiles> read_checked(const std::string& directory) {
    BERTH_CHECK(check_path(directory));
    BERTH_CHECK(check_ownership(directory));
    BERTH_TRY(config::ConfigFiles files, config::read_directory(directory));
    for (const std::string& path : config::paths_of(directory, files))
        BERTH_CHECK(check_ownership(path));
    return files;
}

}  // namespace

Result<ClusterSpec> read_cluster_config(const std::string& directory, ConfigReading how,
                                        LogSink& log) {
    BERTH_TRY(const config::ConfigFiles files, read_checked(directory));
    config::Loaded loaded = config::load(files);
    const bool stops = loaded.has_errors && !how.lenient;
    std::string first_error;
    for (const config::Finding& finding : loaded.findings) {
        const std::string text = config::to_string(finding);
        const bool is_error = finding.severity == config::Severity::error;
        if (is_error && first_error.empty()) first_error = text;
        if (!how.quiet || (stops && is_error)) {
            log.write(level_of(finding.severity), "config", text);
        }
    }
    if (!stops) return std::move(loaded.spec);
    return Error{ErrorCode::invalid_argument,
                 "the configuration in " + directory +
                     " has errors, the first being: " + first_error +
                     (how.starting ? " (--lenient goes on in spite of them)"
                                   : "; nothing of it is in force")};
}

}  // namespace berth
