#include "berth/server/auth/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <mutex>
#include <optional>

#include "berth/api/json_value.h"
#include "berth/api/json_writer.h"
#include "berth/base/text.h"
#include "berth/control/requests/authorize.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLookForNewFile{1};
constexpr std::chrono::minutes kComplainAgain{1};

// "2026-11-21T17:40:03.125Z"
std::string utc(Time at) {
    const std::int64_t milliseconds = at.time_since_epoch().count();
    const std::time_t seconds = milliseconds / 1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    const std::string thousandths = std::to_string(1000 + milliseconds % 1000).substr(1);
    return std::string(text.data(), size) + "." + thousandths + "Z";
}

// A body that is JSON stands there as such, so that a reader of the log finds its fields; one that
// is too long, or no JSON, as text.
api::JsonValue body_of(const std::string& body) {
    if (body.size() > kAuditBytes) return {body.substr(0, kAuditBytes) + "..."};
    Result<api::JsonValue> value = api::parse_json(body);
    return value.ok() ? std::move(value).value() : api::JsonValue{body};
}

class AuditFile final : public AuditLog {
public:
    AuditFile(std::string path, int file, LogSink& log)
        : path_(std::move(path)), file_(file), log_(log) {}
    ~AuditFile() override { ::close(file_); }

    void write(const AuditEntry& entry) override {
        const std::string line = audit_line(entry) + '\n';
        const std::lock_guard lock(mutex_);
        follow();
        // O_APPEND: a line is whole, whoever else writes there.
        const ssize_t written = ::write(file_, line.data(), line.size());
        if (written != static_cast<ssize_t>(line.size())) complain(std::strerror(errno));
    }

    static int open(const std::string& path) {
        return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
    }

private:
    // Opens a new file where the one it has was moved away.
    void follow() {
        const auto now = Clock::now();
        if (now - looked_at_ < kLookForNewFile) return;
        looked_at_ = now;
        struct stat ours{}, there{};
        const bool is_same = fstat(file_, &ours) == 0 && stat(path_.c_str(), &there) == 0 &&
                             ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
        if (is_same) return;
        const int file = open(path_);
        if (file < 0) return complain(std::strerror(errno));
        ::close(file_);
        file_ = file;
    }
    void complain(const std::string& why) {
        const auto now = Clock::now();
        if (complained_at_ && now - *complained_at_ < kComplainAgain) return;
        complained_at_ = now;
        log_.write(LogLevel::error, "audit", "cannot write to " + path_ + ": " + why);
    }

    const std::string path_;
    std::mutex mutex_;  // Of what follows.
    int file_;
    LogSink& log_;
    Clock::time_point looked_at_ = Clock::now();
    std::optional<Clock::time_point> complained_at_;
};

class AuditSyslog final : public AuditLog {
public:
    void write(const AuditEntry& entry) override {
        const std::string line = audit_line(entry);
        const std::lock_guard lock(mutex_);
        openlog("berth-audit", 0, LOG_AUTHPRIV);
        syslog(LOG_NOTICE, "%s", line.c_str());
        closelog();
    }

private:
    std::mutex mutex_;
};

}  // namespace

std::string audit_line(const AuditEntry& entry) {
    api::JsonObject line;
    const auto add = [&](const char* name, api::JsonValue value) {
        line.push_back({name, std::move(value)});
    };
    add("time", {utc(entry.at)});
    add("user", {entry.who.user});
    add("uid", {std::int64_t{entry.who.uid}});
    add("gid", {std::int64_t{entry.who.gid}});
    add("role", {std::string(name(entry.who.role))});
    add("from",
        {entry.from.empty() ? "unix:pid=" + std::to_string(entry.pid) : "tls:" + entry.from});
    add("method", {entry.method.substr(0, kMethodBytes)});
    add("path", {entry.path.substr(0, kAuditBytes)});
    if (!entry.request.empty()) add("request", body_of(entry.request));
    add("status", {std::int64_t{entry.status}});
    add("result", {std::string(entry.status < 300   ? "done"
                               : entry.status < 500 ? "refused"
                                                    : "failed")});
    if (!entry.reply.empty()) add("reply", body_of(entry.reply));
    return api::to_text({std::move(line)});
}

Result<std::unique_ptr<AuditLog>> open_audit_file(const std::string& path, LogSink& log) {
    const int file = AuditFile::open(path);
    if (file < 0) {
        return Error{ErrorCode::failed_precondition,
                     "cannot write the audit log " + path + ": " + std::strerror(errno) +
                         "; --audit-log names another file, or journal, or none"};
    }
    return std::unique_ptr<AuditLog>(std::make_unique<AuditFile>(path, file, log));
}

std::unique_ptr<AuditLog> open_audit_syslog() { return std::make_unique<AuditSyslog>(); }

}  // namespace berth
