// AuditLog: a line of JSON for every call that changes something or tried to: who, what, from
// where, and the result. It contains no scripts and no environments.
#pragma once

#include <memory>
#include <string>

#include "berth/base/log.h"
#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/principal.h"

namespace berth {

struct AuditEntry {
    Time at{};
    Principal who;
    std::int32_t pid = 0;     // Of the process that connected, by the kernel; 0: from another host.
    std::string from;         // Its address there.
    std::string method;       // "PATCH"
    std::string path;         // "/v1/jobs/12"
    std::string request;      // The body; empty where it holds a script or an environment.
    std::int32_t status = 0;  // 201, 403 …
    std::string reply;        // The body.
};

// Bodies longer than this are cut.
inline constexpr std::size_t kAuditBytes = 1024;
inline constexpr std::size_t kMethodBytes = 32;

std::string audit_line(const AuditEntry& entry);  // Without the end of the line.

// From any thread.
class AuditLog {
public:
    virtual ~AuditLog() = default;
    virtual void write(const AuditEntry& entry) = 0;
};

// Appends to a file (0640), which exists once this returns. After the file is moved away, lines go
// to a new one, so logrotate needs no signal. If a line cannot be written, `log` reports it, at
// most once a minute.
Result<std::unique_ptr<AuditLog>> open_audit_file(const std::string& path, LogSink& log);
// To the system's log (facility authpriv), which journald keeps: journalctl -t berth-audit.
std::unique_ptr<AuditLog> open_audit_syslog();

}  // namespace berth
