// Processes as the kernel shows them: unambiguous marks, and descent.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "berth/base/fields.h"
#include "berth/host/os/unique_fd.h"

namespace berth {

// Identifies one process. The id alone may have been reused.
struct ProcessMark {
    std::int32_t pid = 0;
    std::uint64_t started = 0;  // Field 22 of /proc/PID/stat.
    BERTH_FIELDS(ProcessMark, pid, started)
};

// nullopt: there is no such process.
std::optional<ProcessMark> mark_of(int pid);

// Whether a signal has stopped it, or it has ended.
bool is_stopped(int pid);

// A descriptor of exactly that process; empty if it has ended, even if its id is in use again.
UniqueFd open_process(const ProcessMark& mark);

bool send_signal(const UniqueFd& process, int signal);

// All descendants, found through parents that are alive. Children of a subreaper stay below it when
// their parents end.
std::vector<int> descendants_of(int pid);

// Signals each process that `list` returns, once. SIGKILL and SIGSTOP also go to processes that are
// started meanwhile. Other signals do not: they are not meant for a program that a signal handler
// starts (`scontrol requeue`, for example).
void signal_each(const std::function<std::vector<int>()>& list, int signal);

}  // namespace berth
