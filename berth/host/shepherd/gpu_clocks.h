// GpuClocks: the clocks of a step's GPUs, set by NVIDIA's library, and the GPUs' defaults again
// once the step is over.
#pragma once

#include <string>
#include <vector>

#include "berth/host/hardware/gpu_inventory.h"
#include "berth/model/gpu_frequency.h"

namespace berth {

class GpuClocks {
public:
    explicit GpuClocks(std::string library = kNvml) : library_(std::move(library)) {}
    ~GpuClocks() { reset(); }
    GpuClocks(const GpuClocks&) = delete;
    GpuClocks& operator=(const GpuClocks&) = delete;

    // `files`: the GPUs' device files, as "/dev/nvidia0". A clock that a GPU has not becomes the
    // next higher one, or its highest. What cannot be set stays as it is, as in Slurm. Returns what
    // was set, in Slurm's words: "GpuFreq=memory_freq:1215,graphics_freq:1410", or
    // "GpuFreq=control_disabled" where nothing could be.
    std::string set(const std::vector<std::string>& files, const GpuFrequency& frequency);
    void reset();

private:
    struct Driver;
    std::string library_;
    std::vector<unsigned> changed_;  // By the driver's numbers.
};

// The clock of these, which fall, that is asked for. REQUIRES: there are any.
unsigned nearest_clock(const std::vector<unsigned>& clocks, const std::optional<GpuClock>& asked);

}  // namespace berth
