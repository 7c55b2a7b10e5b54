// Processes as the kernel shows them: marks that no other process can have, and who descends from
// whom.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "berth/base/fields.h"
#include "berth/host/os/unique_fd.h"

namespace berth {

// One process: the id alone may have been given to another since.
struct ProcessMark {
    std::int32_t pid = 0;
    std::uint64_t started = 0;  // Field 22 of /proc/PID/stat.
    BERTH_FIELDS(ProcessMark, pid, started)
};

// nullopt: there is no such process.
std::optional<ProcessMark> mark_of(int pid);

// A descriptor of just that process; empty if it is gone, whoever has its id now.
UniqueFd open_process(const ProcessMark& mark);

bool send_signal(const UniqueFd& process, int signal);

// All that come from it, by parents that still live; a subreaper's get lost under no one else.
std::vector<int> descendants_of(int pid);

// Sends the signal to each that `list` gives, once each. KILL and STOP also to those that they
// started in the meantime; other signals not: the program that a signal's handler starts
// (`scontrol requeue`, say) is not meant.
void signal_each(const std::function<std::vector<int>()>& list, int signal);

}  // namespace berth
