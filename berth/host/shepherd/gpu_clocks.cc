#include "berth/host/shepherd/gpu_clocks.h"

#include <dlfcn.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace berth {

using NvmlDevice = void*;

// The calls in use, as NVIDIA documents them. Its library is loaded for as long as one lives.
struct GpuClocks::Driver {
    explicit Driver(const std::string& name)
        : library(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (library == nullptr) return;
        const bool all = find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
                         find(count, "nvmlDeviceGetCount_v2") &&
                         find(handle, "nvmlDeviceGetHandleByIndex_v2") &&
                         find(minor, "nvmlDeviceGetMinorNumber") &&
                         find(memory_clocks, "nvmlDeviceGetSupportedMemoryClocks") &&
                         find(graphics_clocks, "nvmlDeviceGetSupportedGraphicsClocks") &&
                         find(set_clocks, "nvmlDeviceSetApplicationsClocks") &&
                         find(reset_clocks, "nvmlDeviceResetApplicationsClocks");
        ready = all && init() == 0;
    }
    ~Driver() {
        if (ready) shutdown();
        if (library != nullptr) ::dlclose(library);
    }
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    template <class Function>
    bool find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(::dlsym(library, name));
        return function != nullptr;
    }
    std::optional<unsigned> number_of(const std::string& file) const {
        unsigned most = 0;
        if (count(&most) != 0) return std::nullopt;
        for (unsigned index = 0; index < most; ++index) {
            NvmlDevice device = nullptr;
            unsigned number = 0;
            if (handle(index, &device) == 0 && minor(device, &number) == 0 &&
                file == "/dev/nvidia" + std::to_string(number))
                return index;
        }
        return std::nullopt;
    }
    // What `list(&count, clocks)` fills in, the highest first.
    template <class List>
    static std::vector<unsigned> clocks_of(List list) {
        constexpr unsigned kMost = 1024;
        unsigned size = kMost;
        std::vector<unsigned> clocks(kMost);
        if (list(&size, clocks.data()) != 0) return {};
        clocks.resize(std::min(size, kMost));
        std::ranges::sort(clocks, std::greater());
        return clocks;
    }

    void* library;
    bool ready = false;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*handle)(unsigned, NvmlDevice*) = nullptr;
    int (*minor)(NvmlDevice, unsigned*) = nullptr;
    int (*memory_clocks)(NvmlDevice, unsigned*, unsigned*) = nullptr;
    int (*graphics_clocks)(NvmlDevice, unsigned, unsigned*, unsigned*) = nullptr;
    int (*set_clocks)(NvmlDevice, unsigned, unsigned) = nullptr;
    int (*reset_clocks)(NvmlDevice) = nullptr;
};

std::string GpuClocks::set(const std::vector<std::string>& files, const GpuFrequency& frequency) {
    const Driver driver(library_);
    std::string told;
    for (const std::string& file : files) {
        const auto number = driver.ready ? driver.number_of(file) : std::nullopt;
        NvmlDevice device = nullptr;
        if (!number || driver.handle(*number, &device) != 0) continue;
        const auto memory = Driver::clocks_of([&](unsigned* size, unsigned* clocks) {
            return driver.memory_clocks(device, size, clocks);
        });
        if (memory.empty()) continue;
        const unsigned memory_mhz = nearest_clock(memory, frequency.memory);
        const auto graphics = Driver::clocks_of([&](unsigned* size, unsigned* clocks) {
            return driver.graphics_clocks(device, memory_mhz, size, clocks);
        });
        if (graphics.empty()) continue;
        const unsigned graphics_mhz = nearest_clock(graphics, frequency.graphics);
        if (driver.set_clocks(device, memory_mhz, graphics_mhz) != 0) continue;
        changed_.push_back(*number);
        told = "memory_freq:" + std::to_string(memory_mhz) +
               ",graphics_freq:" + std::to_string(graphics_mhz);
    }
    return "GpuFreq=" + (told.empty() ? "control_disabled" : told);
}

void GpuClocks::reset() {
    if (changed_.empty()) return;
    const Driver driver(library_);
    for (const unsigned number : changed_) {
        NvmlDevice device = nullptr;
        if (driver.ready && driver.handle(number, &device) == 0) driver.reset_clocks(device);
    }
    changed_.clear();
}

unsigned nearest_clock(const std::vector<unsigned>& clocks, const std::optional<GpuClock>& asked) {
    using Named = GpuClock::Named;
    switch (asked ? asked->named : Named::high) {
        case Named::low: return clocks.back();
        case Named::medium: return clocks[(clocks.size() - 1) / 2];
        case Named::highm1: return clocks[std::min<std::size_t>(1, clocks.size() - 1)];
        case Named::high: return clocks.front();
        case Named::no: break;
    }
    unsigned nearest = clocks.front();
    for (const unsigned clock : clocks) {
        if (clock >= asked->mhz) nearest = clock;
    }
    return nearest;
}

}  // namespace berth
