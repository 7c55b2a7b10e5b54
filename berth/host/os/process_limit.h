// process_error(): the error for a process that could not be started; names the limits that may be
// too low.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "berth/host/os/file_io.h"

namespace berth {

inline Error process_error(std::string_view what, int number) {
    Error error = system_error(what, number);
    if (number == EAGAIN) {
        error.message +=
            " (no more processes: raise TasksMax= of the unit, pids.max of its cgroup, "
            "kernel.pid_max or ulimit -u)";
    }
    return error;
}

}  // namespace berth
