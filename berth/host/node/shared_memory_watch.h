// SharedMemoryWatch: shared memory that is left when a user's last job on the node ends. It is
// reported, and removed if the site wants that.
#pragma once

#include <cstdint>
#include <ctime>
#include <map>
#include <string>

#include "berth/base/log.h"
#include "berth/base/result.h"

namespace berth {

class SharedMemoryWatch {
public:
    explicit SharedMemoryWatch(LogSink& log) : log_(log) {}

    // A job of this user comes. `folder`: of its attempt, where `remove` is remembered.
    Status on_job_started(const std::string& folder, std::uint32_t uid, bool remove);
    // The same for a job that an earlier agent process has started. Returns what it wanted as
    // `remove`.
    bool on_job_adopted(const std::string& folder, std::uint32_t uid);
    // The user's last job on the node is gone. Another login of the user may be using what is left.
    void on_last_job_gone(std::uint32_t uid, bool remove);

private:
    LogSink& log_;
    std::map<std::uint32_t, std::time_t> since_;  // By user: when its first job came.
};

}  // namespace berth
