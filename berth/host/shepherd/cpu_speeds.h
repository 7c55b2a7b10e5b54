// CpuSpeeds: the frequency of a step's CPUs, which the kernel's cpufreq sets and which is as before
// once the step is over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/host/os/unique_fd.h"
#include "berth/model/cpu_frequency.h"

namespace berth {

class CpuSpeeds {
public:
    explicit CpuSpeeds(std::string root = "/sys/devices/system/cpu") : root_(std::move(root)) {}
    ~CpuSpeeds() { restore(); }
    CpuSpeeds(const CpuSpeeds&) = delete;
    CpuSpeeds& operator=(const CpuSpeeds&) = delete;

    // As far as each CPU can: one without cpufreq, or whose speed another step has set, stays as it
    // is, and so do all for a shepherd that is not root. As Slurm, without a word.
    void set(const std::vector<std::uint32_t>& cpus, const CpuFrequency& frequency);
    void restore();

private:
    struct Before {
        std::string folder;
        UniqueFd lock;
        std::string governor, least, most, speed;
    };
    static void change(const Before& before, const CpuFrequency& frequency);

    std::string root_;
    std::vector<Before> before_;
};

}  // namespace berth
