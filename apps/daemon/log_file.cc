#include "apps/daemon/log_file.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "berth/base/control_characters.h"

namespace berth {

namespace {

constexpr std::size_t kFileBytes = 32 << 20;
constexpr std::size_t kFiles = 5;

spdlog::level::level_enum level_of(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warning: return spdlog::level::warn;
        case LogLevel::error: return spdlog::level::err;
    }
    return spdlog::level::err;
}

}  // namespace

struct LogFile::Parts {
    std::shared_ptr<spdlog::logger> logger;
};

LogFile::LogFile(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LogFile::~LogFile() = default;

namespace {

Result<std::shared_ptr<spdlog::logger>> make_logger(const std::vector<std::string>& paths,
                                                    LogLevel least) {
    std::shared_ptr<spdlog::logger> logger;
    try {
        std::vector<spdlog::sink_ptr> sinks;
        for (const std::string& path : paths) {
            if (path.empty()) {
                sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_mt>());
            } else {
                sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
                    path, kFileBytes, kFiles));
            }
        }
        logger = std::make_shared<spdlog::logger>("berth", sinks.begin(), sinks.end());
    } catch (const spdlog::spdlog_ex& wrong) {
        return Error{ErrorCode::internal, wrong.what()};
    }
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    logger->set_level(level_of(least));
    logger->flush_on(spdlog::level::info);
    return logger;
}

}  // namespace

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path, LogLevel least) {
    auto parts = std::make_unique<Parts>();
    BERTH_TRY(parts->logger, make_logger({path}, least));
    return std::unique_ptr<LogFile>(new LogFile(std::move(parts)));
}

Status LogFile::move_to(const std::vector<std::string>& paths, LogLevel least) {
    BERTH_TRY(parts_->logger, make_logger(paths, least));
    return Done{};
}

void LogFile::write(LogLevel level, std::string_view component, std::string_view text) {
    // Users' texts are in it: none may look like a line of its own.
    parts_->logger->log(level_of(level), "{}: {}", component, with_escaped_controls(text));
}

void LogFile::flush() { parts_->logger->flush(); }

}  // namespace berth
