// LogFile: the log file of a daemon, which is rotated before it grows too long.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/base/log.h"
#include "berth/base/result.h"

namespace berth {

class LogFile final : public LogSink {
public:
    // An empty path: standard error.
    static Result<std::unique_ptr<LogFile>> open(const std::string& path, LogLevel least);
    ~LogFile() override;

    void write(LogLevel level, std::string_view component, std::string_view text) override;
    void flush();
    // Continues in all of these files; an empty path is standard error. Call before other threads
    // write. On an error everything stays as it was.
    Status move_to(const std::vector<std::string>& paths, LogLevel least);

private:
    struct Parts;
    explicit LogFile(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
