#include "berth/host/cgroup/run_meter.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

// The value of a line, for example in "user_usec 17
// system_usec 4
// ".
std::optional<std::int64_t> value_of(const std::string& text, std::string_view name) {
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t blank = line.find(' ');
        if (line.substr(0, blank) != name) continue;
        const auto value = parse_int64(line.substr(blank + 1));
        return value.ok() ? std::optional(*value) : std::nullopt;
    }
    return std::nullopt;
}

bool add_cpu(const Cgroup& group, RunUsage& usage) {
    if (group.unified.empty()) return false;
    const auto stat = read_file(group.unified + "/cpu.stat");
    if (!stat.ok()) return false;
    const auto user = value_of(*stat, "user_usec"), system = value_of(*stat, "system_usec");
    if (!user || !system) return false;
    usage.user = Duration(*user / 1000);
    usage.system = Duration(*system / 1000);
    return true;
}

bool add_memory(const Cgroup& group, RunUsage& usage) {
    const auto v1 = group.v1.find("memory");
    const bool is_v1 = v1 != group.v1.end();
    if (!is_v1 && group.unified.empty()) return false;
    const auto stat = read_file((is_v1 ? v1->second : group.unified) + "/memory.stat");
    if (!stat.ok()) return false;
    const auto rss = value_of(*stat, is_v1 ? "total_rss" : "anon");
    if (!rss) return false;
    usage.rss = Bytes(*rss);
    return true;
}

Duration from_ticks(std::int64_t ticks) {
    static const std::int64_t per_second = std::max<std::int64_t>(::sysconf(_SC_CLK_TCK), 1);
    return Duration(ticks * 1000 / per_second);
}

// The numeric fields of /proc/PID/stat after the name (which may contain anything) and the state.
std::vector<std::int64_t> numbers_of(int pid) {
    std::vector<std::int64_t> numbers;
    const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    if (!stat.ok()) return numbers;
    const std::size_t end = stat->rfind(") ");
    if (end == std::string::npos || end + 3 > stat->size()) return numbers;
    std::istringstream rest(stat->substr(end + 3));
    for (std::int64_t number = 0; rest >> number;) numbers.push_back(number);
    return numbers;
}

void add_processes(const std::vector<int>& processes, bool cpu, bool memory, RunUsage& usage) {
    constexpr std::size_t kUser = 10, kSystem = 11, kChildUser = 12, kChildSystem = 13, kRss = 20;
    static const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    for (const int pid : processes) {
        const std::vector<std::int64_t> numbers = numbers_of(pid);
        if (numbers.size() <= kRss) continue;
        if (cpu) {
            usage.user += from_ticks(numbers[kUser] + numbers[kChildUser]);
            usage.system += from_ticks(numbers[kSystem] + numbers[kChildSystem]);
        }
        if (memory) usage.rss += Bytes(numbers[kRss] * page);
    }
}

}  // namespace

RunUsage measure(const Cgroup& group, const std::vector<int>& processes) {
    RunUsage usage;
    const bool cpu = add_cpu(group, usage);
    const bool memory = add_memory(group, usage);
    if (!cpu || !memory) add_processes(processes, !cpu, !memory, usage);
    usage.rss_max = usage.rss;
    return usage;
}

RunUsage highest(const RunUsage& a, const RunUsage& b) {
    RunUsage both = a;
    both.user = std::max(a.user, b.user);
    both.system = std::max(a.system, b.system);
    both.rss_max = std::max(a.rss_max, b.rss_max);
    both.tasks = std::max(a.tasks, b.tasks);
    return both;
}

}  // namespace berth
