// NVIDIA's management library, opened at run time: a node without its driver needs nothing of it.
// Only the few calls we make are declared, as NVIDIA documents them.
#include <dlfcn.h>

#include <algorithm>
#include <array>

#include "berth/host/gpu_inventory.h"
#include "berth/host/gpu_meter.h"

namespace berth {
namespace {

using NvmlDevice = void*;
constexpr int kNvmlSuccess = 0;
constexpr int kP2pNvlink = 2;  // NVML_P2P_CAPS_INDEX_NVLINK
constexpr unsigned kLinksMax = 18;

struct NvmlMemory {
    unsigned long long total, free, used;
};
struct NvmlPci {
    std::array<char, 16> short_bus_id;
    unsigned domain, bus, device, device_id, subsystem_id;
    std::array<char, 32> bus_id;
};

struct NvmlUtilisation {
    unsigned gpu, memory;
};

class Nvml : public GpuInventory, public GpuMeter {
public:
    static Result<std::unique_ptr<Nvml>> open(const char* library);
    ~Nvml() override {
        if (started_) shutdown_();
        ::dlclose(library_);
    }
    Result<std::vector<FoundGpu>> gpus() override;

    // Which GPUs are read, and by which number, is said by their device files.
    Status meter(const std::vector<std::string>& files);
    Result<std::vector<GpuReading>> read() override;

private:
    struct Seen {
        NvmlDevice handle = nullptr;
        unsigned minor = 0;
        NvmlPci pci{};
        FoundGpu gpu;
    };

    explicit Nvml(void* library) : library_(library) {}
    template <class Function>
    bool find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(::dlsym(library_, name));
        return function != nullptr;
    }
    Status find_all();
    Status check(int code, const char* what) const;
    Result<Seen> look_at(unsigned index) const;
    std::vector<int> cpus_near(NvmlDevice device) const;
    void count_links(std::vector<Seen>& all) const;
    std::int32_t links_between(const Seen& a, const Seen& b) const;

    GpuReading read_one(std::int32_t gpu, NvmlDevice device) const;

    void* library_;
    bool started_ = false;
    std::vector<std::pair<std::int32_t, NvmlDevice>> metered_;
    int (*init_)() = nullptr;
    int (*shutdown_)() = nullptr;
    const char* (*error_string_)(int) = nullptr;
    int (*count_)(unsigned*) = nullptr;
    int (*handle_)(unsigned, NvmlDevice*) = nullptr;
    int (*uuid_)(NvmlDevice, char*, unsigned) = nullptr;
    int (*name_)(NvmlDevice, char*, unsigned) = nullptr;
    int (*minor_)(NvmlDevice, unsigned*) = nullptr;
    int (*memory_)(NvmlDevice, NvmlMemory*) = nullptr;
    int (*pci_)(NvmlDevice, NvmlPci*) = nullptr;
    // Not of every version, or of every GPU.
    int (*cpu_affinity_)(NvmlDevice, unsigned, unsigned long*) = nullptr;
    int (*link_state_)(NvmlDevice, unsigned, int*) = nullptr;
    int (*link_remote_)(NvmlDevice, unsigned, NvmlPci*) = nullptr;
    int (*p2p_)(NvmlDevice, NvmlDevice, int, int*) = nullptr;
    int (*capability_)(NvmlDevice, int*, int*) = nullptr;
    int (*utilisation_)(NvmlDevice, NvmlUtilisation*) = nullptr;
    int (*temperature_)(NvmlDevice, int, unsigned*) = nullptr;
    int (*power_)(NvmlDevice, unsigned*) = nullptr;        // Milliwatts.
    int (*power_limit_)(NvmlDevice, unsigned*) = nullptr;  // Likewise.
};

Result<std::unique_ptr<Nvml>> Nvml::open(const char* library) {
    void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
        return Error{ErrorCode::not_found, std::string("no NVIDIA driver here: ") + ::dlerror()};
    }
    std::unique_ptr<Nvml> nvml(new Nvml(opened));
    BERTH_CHECK(nvml->find_all());
    BERTH_CHECK(nvml->check(nvml->init_(), "nvmlInit"));
    nvml->started_ = true;
    return nvml;
}

Status Nvml::find_all() {
    const bool all =
        find(init_, "nvmlInit_v2") && find(shutdown_, "nvmlShutdown") &&
        find(error_string_, "nvmlErrorString") && find(count_, "nvmlDeviceGetCount_v2") &&
        find(handle_, "nvmlDeviceGetHandleByIndex_v2") && find(uuid_, "nvmlDeviceGetUUID") &&
        find(name_, "nvmlDeviceGetName") && find(minor_, "nvmlDeviceGetMinorNumber") &&
        find(memory_, "nvmlDeviceGetMemoryInfo") && find(pci_, "nvmlDeviceGetPciInfo_v3");
    if (!all) {
        return Error{ErrorCode::failed_precondition,
                     "the NVIDIA driver is too old: its library lacks calls that we need"};
    }
    find(cpu_affinity_, "nvmlDeviceGetCpuAffinity");
    find(link_state_, "nvmlDeviceGetNvLinkState");
    find(link_remote_, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
    find(p2p_, "nvmlDeviceGetP2PStatus");
    find(capability_, "nvmlDeviceGetCudaComputeCapability");
    find(utilisation_, "nvmlDeviceGetUtilizationRates");
    find(temperature_, "nvmlDeviceGetTemperature");
    find(power_, "nvmlDeviceGetPowerUsage");
    find(power_limit_, "nvmlDeviceGetEnforcedPowerLimit");
    return Done{};
}

Status Nvml::check(int code, const char* what) const {
    if (code == kNvmlSuccess) return Done{};
    return Error{ErrorCode::unavailable, std::string(what) + ": " + error_string_(code)};
}

// "NVIDIA H100 80GB HBM3" -> "nvidia_h100_80gb_hbm3"
std::string type_of(std::string_view name) {
    std::string type;
    for (const char c : name) {
        const bool upper = c >= 'A' && c <= 'Z';
        type += upper ? static_cast<char>(c - 'A' + 'a') : (c == ' ' || c == ':' ? '_' : c);
    }
    return type;
}

Result<Nvml::Seen> Nvml::look_at(unsigned index) const {
    Seen seen;
    std::array<char, 96> text{};
    NvmlMemory memory{};
    BERTH_CHECK(check(handle_(index, &seen.handle), "nvmlDeviceGetHandleByIndex"));
    BERTH_CHECK(check(minor_(seen.handle, &seen.minor), "nvmlDeviceGetMinorNumber"));
    BERTH_CHECK(check(uuid_(seen.handle, text.data(), text.size()), "nvmlDeviceGetUUID"));
    seen.gpu.uuid = text.data();
    BERTH_CHECK(check(name_(seen.handle, text.data(), text.size()), "nvmlDeviceGetName"));
    seen.gpu.type = type_of(text.data());
    BERTH_CHECK(check(memory_(seen.handle, &memory), "nvmlDeviceGetMemoryInfo"));
    seen.gpu.memory = Bytes(static_cast<std::int64_t>(memory.total));
    int major = 0, minor = 0;
    if (capability_ != nullptr && capability_(seen.handle, &major, &minor) == kNvmlSuccess) {
        seen.gpu.compute_capability = static_cast<std::uint32_t>(major * 10 + minor);
    }
    BERTH_CHECK(check(pci_(seen.handle, &seen.pci), "nvmlDeviceGetPciInfo"));
    // The driver's index is in the order of the bus; the file has the minor number.
    seen.gpu.file = "/dev/nvidia" + std::to_string(seen.minor);
    seen.gpu.cpus = cpus_near(seen.handle);
    return seen;
}

std::vector<int> Nvml::cpus_near(NvmlDevice device) const {
    std::array<unsigned long, 128> words{};
    std::vector<int> cpus;
    if (cpu_affinity_ == nullptr ||
        cpu_affinity_(device, words.size(), words.data()) != kNvmlSuccess) {
        return cpus;
    }
    constexpr std::size_t kBits = sizeof(unsigned long) * 8;
    for (std::size_t cpu = 0; cpu < words.size() * kBits; ++cpu) {
        if ((words[cpu / kBits] >> (cpu % kBits) & 1) != 0) cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
}

// Counted one by one where they lead straight to the other GPU. Where they lead to a switch, all of
// them reach any GPU that the driver says is reached by NVLink.
std::int32_t Nvml::links_between(const Seen& a, const Seen& b) const {
    if (link_state_ == nullptr || link_remote_ == nullptr) return 0;
    std::int32_t active = 0, straight = 0;
    for (unsigned link = 0; link < kLinksMax; ++link) {
        int on = 0;
        NvmlPci remote{};
        if (link_state_(a.handle, link, &on) != kNvmlSuccess || on == 0) continue;
        ++active;
        if (link_remote_(a.handle, link, &remote) == kNvmlSuccess &&
            remote.domain == b.pci.domain && remote.bus == b.pci.bus &&
            remote.device == b.pci.device) {
            ++straight;
        }
    }
    if (straight > 0 || p2p_ == nullptr) return straight;
    int status = -1;
    const bool reached = p2p_(a.handle, b.handle, kP2pNvlink, &status) == kNvmlSuccess;
    return reached && status == 0 ? active : 0;
}

void Nvml::count_links(std::vector<Seen>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < all.size(); ++j) {
            all[i].gpu.links.push_back(i == j ? -1 : links_between(all[i], all[j]));
        }
    }
}

Result<std::vector<FoundGpu>> Nvml::gpus() {
    unsigned count = 0;
    BERTH_CHECK(check(count_(&count), "nvmlDeviceGetCount"));
    std::vector<Seen> all;
    for (unsigned index = 0; index < count; ++index) {
        BERTH_TRY(Seen seen, look_at(index));
        all.push_back(std::move(seen));
    }
    std::ranges::sort(all, {}, &Seen::minor);
    count_links(all);
    std::vector<FoundGpu> gpus;
    for (Seen& seen : all) gpus.push_back(std::move(seen.gpu));
    return gpus;
}

Status Nvml::meter(const std::vector<std::string>& files) {
    unsigned count = 0;
    BERTH_CHECK(check(count_(&count), "nvmlDeviceGetCount"));
    for (unsigned index = 0; index < count; ++index) {
        NvmlDevice device = nullptr;
        unsigned minor = 0;
        BERTH_CHECK(check(handle_(index, &device), "nvmlDeviceGetHandleByIndex"));
        BERTH_CHECK(check(minor_(device, &minor), "nvmlDeviceGetMinorNumber"));
        const auto at = std::ranges::find(files, "/dev/nvidia" + std::to_string(minor));
        if (at == files.end()) continue;
        metered_.emplace_back(static_cast<std::int32_t>(at - files.begin()), device);
    }
    if (!metered_.empty()) return Done{};
    return Error{ErrorCode::failed_precondition, "none of the node's GPUs is the driver's"};
}

GpuReading Nvml::read_one(std::int32_t gpu, NvmlDevice device) const {
    GpuReading reading{.gpu = gpu};
    NvmlUtilisation busy{};
    NvmlMemory memory{};
    unsigned celsius = 0, drawn = 0, limit = 0;
    if (utilisation_ != nullptr && utilisation_(device, &busy) == kNvmlSuccess) {
        reading.utilisation = static_cast<std::int32_t>(busy.gpu);
    }
    if (memory_(device, &memory) == kNvmlSuccess && memory.total > 0) {
        reading.memory = static_cast<std::int32_t>(memory.used * 100 / memory.total);
    }
    if (temperature_ != nullptr && temperature_(device, 0, &celsius) == kNvmlSuccess) {
        reading.temperature = static_cast<std::int32_t>(celsius);
    }
    if (power_ != nullptr && power_limit_ != nullptr && power_(device, &drawn) == kNvmlSuccess &&
        power_limit_(device, &limit) == kNvmlSuccess && limit > 0) {
        reading.power = static_cast<std::int32_t>(drawn * 100ULL / limit);
    }
    return reading;
}

Result<std::vector<GpuReading>> Nvml::read() {
    std::vector<GpuReading> readings;
    for (const auto& [gpu, device] : metered_) readings.push_back(read_one(gpu, device));
    return readings;
}

}  // namespace

Result<std::unique_ptr<GpuInventory>> open_nvml(const char* library) {
    BERTH_TRY(std::unique_ptr<Nvml> nvml, Nvml::open(library));
    return std::unique_ptr<GpuInventory>(std::move(nvml));
}

Result<std::unique_ptr<GpuMeter>> nvml_meter(const NodeSpec& node, const Dimensions& dimensions,
                                             const char* library) {
    std::vector<std::string> files;
    for (const Device& device : node.devices) {
        if (dimensions.at(device.dimension).name == "gpu") files.push_back(device.file);
    }
    if (files.empty()) return Error{ErrorCode::not_found, "the node has no GPU"};
    BERTH_TRY(std::unique_ptr<Nvml> nvml, Nvml::open(library));
    BERTH_CHECK(nvml->meter(files));
    return std::unique_ptr<GpuMeter>(std::move(nvml));
}

}  // namespace berth
