#include "berth/host/os/process.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <set>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

// The fields of /proc/PID/stat from the third on. The second, the name, may contain anything.
std::vector<std::string> stat_fields(int pid) {
    const auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
    if (!text.ok()) return {};
    const std::size_t end = text->rfind(')');
    if (end == std::string::npos) return {};
    std::vector<std::string> fields;
    const std::string_view rest = trim(std::string_view(*text).substr(end + 1));
    for (const std::string_view field : split(rest, ' ')) {
        fields.emplace_back(field);
    }
    return fields;
}

constexpr std::size_t kParent = 1;    // Field 4.
constexpr std::size_t kStarted = 19;  // Field 22.

}  // namespace

std::optional<ProcessMark> mark_of(int pid) {
    const auto fields = stat_fields(pid);
    if (fields.size() <= kStarted) return std::nullopt;
    const auto started = parse_int64(fields[kStarted]);
    if (!started.ok()) return std::nullopt;
    return ProcessMark{pid, static_cast<std::uint64_t>(*started)};
}

bool is_stopped(int pid) {
    const auto fields = stat_fields(pid);
    return fields.empty() || std::string_view("TtZX").find(fields[0]) != std::string_view::npos;
}

UniqueFd open_process(const ProcessMark& mark) {
    if (mark.pid <= 0) return {};
    UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, mark.pid, 0)));
    // Checked after the open: if the mark is the same now, the descriptor is of that process.
    if (process && mark_of(mark.pid) != mark) process.reset();
    return process;
}

bool send_signal(const UniqueFd& process, int signal) {
    return process && ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0;
}

std::vector<int> descendants_of(int pid) {
    std::multimap<int, int> children;
    DIR* const folder = ::opendir("/proc");
    if (folder == nullptr) return {};
    while (const dirent* entry = ::readdir(folder)) {
        const auto number = parse_int64(entry->d_name);
        if (!number.ok()) continue;
        const auto fields = stat_fields(static_cast<int>(*number));
        if (fields.size() <= kParent || fields[0] == "Z") continue;
        const auto parent = parse_int64(fields[kParent]);
        if (parent.ok()) {
            children.emplace(static_cast<int>(*parent), static_cast<int>(*number));
        }
    }
    ::closedir(folder);
    std::vector<int> found;
    std::vector<int> to_see = {pid};
    while (!to_see.empty()) {
        const auto [begin, end] = children.equal_range(to_see.back());
        to_see.pop_back();
        for (auto child = begin; child != end; ++child) {
            found.push_back(child->second);
            to_see.push_back(child->second);
        }
    }
    return found;
}

void signal_each(const std::function<std::vector<int>()>& list, int signal) {
    const int rounds = signal == SIGKILL || signal == SIGSTOP ? 20 : 1;
    std::set<int> known;
    bool more = true;
    for (int round = 0; more && round < rounds; ++round) {
        more = false;
        for (const int pid : list()) {
            if (!known.insert(pid).second) continue;
            more = true;
            ::kill(pid, signal);
        }
    }
}

}  // namespace berth
