#include "berth/host/shepherd/cpu_speeds.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "berth/base/text.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

// The first line; empty if there is no such file.
std::string line_in(const std::string& path) {
    const auto text = read_file(path);
    return text.ok() ? std::string(trim(text->substr(0, text->find('\n')))) : std::string();
}

void put(const std::string& path, const std::string& text) {
    if (!text.empty()) (void)write_kernel_file(path, text + "\n");
}

std::optional<std::uint32_t> number_in(const std::string& path) {
    const auto number = parse_int64(line_in(path));
    if (!number.ok() || *number <= 0 || *number > UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

// The speeds that a CPU can have, upwards; a driver that does not list them has any between two.
std::vector<std::uint32_t> speeds_in(const std::string& folder) {
    std::vector<std::uint32_t> speeds;
    const std::string listed = line_in(folder + "scaling_available_frequencies");
    for (const std::string_view word : split(listed, ' ')) {
        const auto khz = parse_int64(word);
        if (khz.ok() && *khz > 0 && *khz <= UINT32_MAX)
            speeds.push_back(static_cast<std::uint32_t>(*khz));
    }
    std::ranges::sort(speeds);
    if (!speeds.empty()) return speeds;
    const auto least = number_in(folder + "cpuinfo_min_freq");
    const auto most = number_in(folder + "cpuinfo_max_freq");
    if (!least || !most || *least > *most) return {};
    return {*least, *least + (*most - *least) / 2, *most};
}

// Between two speeds the next one up, as Slurm. REQUIRES: `speeds` is not empty.
std::uint32_t khz_of(const CpuSpeed& wanted, const std::vector<std::uint32_t>& speeds,
                     bool any_between) {
    switch (wanted.named) {
        case CpuSpeed::Named::low: return speeds.front();
        case CpuSpeed::Named::medium: return speeds[(speeds.size() - 1) / 2];
        case CpuSpeed::Named::highm1: return speeds[std::max<std::size_t>(speeds.size(), 2) - 2];
        case CpuSpeed::Named::high: return speeds.back();
        case CpuSpeed::Named::no: break;
    }
    const std::uint32_t khz = std::clamp(wanted.khz, speeds.front(), speeds.back());
    return any_between ? khz : *std::ranges::lower_bound(speeds, khz);
}

// The kernel wants the least to be no more than the most at each moment.
void put_range(const std::string& folder, const std::string& least, const std::string& most) {
    put(folder + "scaling_max_freq", most);
    put(folder + "scaling_min_freq", least);
    put(folder + "scaling_max_freq", most);
}

bool has_governor(const std::string& folder, std::string_view governor) {
    const std::string listed = line_in(folder + "scaling_available_governors");
    for (const std::string_view word : split(listed, ' ')) {
        if (word == governor) return true;
    }
    return false;
}

}  // namespace

void CpuSpeeds::set(const std::vector<std::uint32_t>& cpus, const CpuFrequency& frequency) {
    for (const std::uint32_t cpu : cpus) {
        Before before;
        before.folder = root_ + "/cpu" + std::to_string(cpu) + "/cpufreq/";
        const std::string governor_file = before.folder + "scaling_governor";
        before.governor = line_in(governor_file);
        if (before.governor.empty()) continue;
        before.lock.reset(::open(governor_file.c_str(), O_RDONLY | O_CLOEXEC));
        if (!before.lock || ::flock(before.lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
        before.governor = line_in(governor_file);  // The one before us may just have put it back.
        before.least = line_in(before.folder + "scaling_min_freq");
        before.most = line_in(before.folder + "scaling_max_freq");
        if (before.governor == "userspace")
            before.speed = line_in(before.folder + "scaling_setspeed");
        change(before, frequency);
        before_.push_back(std::move(before));
    }
}

void CpuSpeeds::change(const Before& before, const CpuFrequency& frequency) {
    const std::string& folder = before.folder;
    const std::vector<std::uint32_t> speeds = speeds_in(folder);
    const bool any_between = line_in(folder + "scaling_available_frequencies").empty();
    const auto khz = [&](const CpuSpeed& wanted) { return khz_of(wanted, speeds, any_between); };
    const bool by_hand = frequency.governor == "userspace";
    const bool is_one =
        frequency.most && (by_hand || (!frequency.least && frequency.governor.empty()));
    if (is_one && !speeds.empty()) {
        const std::string speed = std::to_string(khz(*frequency.most));
        const std::string least = frequency.least ? std::to_string(khz(*frequency.least)) : speed;
        put_range(folder, least, speed);  // A driver without "userspace" keeps to it as well.
        if (has_governor(folder, "userspace")) {
            put(folder + "scaling_governor", "userspace");
            put(folder + "scaling_setspeed", speed);
        }
        return;
    }
    if (frequency.least && frequency.most && !speeds.empty()) {
        put_range(folder, std::to_string(khz(*frequency.least)),
                  std::to_string(khz(*frequency.most)));
    }
    if (has_governor(folder, frequency.governor))
        put(folder + "scaling_governor", frequency.governor);
}

void CpuSpeeds::restore() {
    for (const Before& before : before_) {
        put_range(before.folder, before.least, before.most);
        put(before.folder + "scaling_governor", before.governor);
        put(before.folder + "scaling_setspeed", before.speed);
        ::flock(before.lock.get(), LOCK_UN);  // Children may hold the file open.
    }
    before_.clear();
}

}  // namespace berth
