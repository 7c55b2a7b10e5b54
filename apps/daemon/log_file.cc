#include "apps/daemon/log_file.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

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

Result<std::unique_ptr<LogFile>> LogFile::open(const std::string& path, LogLevel least) {
    auto parts = std::make_unique<Parts>();
    try {
        spdlog::sink_ptr sink;
        if (path.empty()) {
            sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        } else {
            sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, kFileBytes, kFiles);
        }
        parts->logger = std::make_shared<spdlog::logger>("berth", std::move(sink));
    } catch (const spdlog::spdlog_ex& wrong) {
        return Error{ErrorCode::internal, wrong.what()};
    }
    parts->logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    parts->logger->set_level(level_of(least));
    parts->logger->flush_on(spdlog::level::info);
    return std::unique_ptr<LogFile>(new LogFile(std::move(parts)));
}

void LogFile::write(LogLevel level, std::string_view component, std::string_view text) {
    parts_->logger->log(level_of(level), "{}: {}", component, text);
}

void LogFile::flush() { parts_->logger->flush(); }

}  // namespace berth
