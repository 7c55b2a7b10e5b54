// NVIDIA's management library, opened at run time, so that a node without its driver does not need
// it. Declares only the functions in use, as NVIDIA documents them.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <optional>

#include "berth/host/cgroup/device_files.h"
#include "berth/host/hardware/gpu_inventory.h"
#include "berth/host/hardware/gpu_meter.h"
#include "berth/host/hardware/mig.h"
#include "berth/host/os/file_io.h"

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
struct NvmlAttributes {
    unsigned multiprocessors, copy_engines, decoders, encoders, jpegs, ofas;
    unsigned gpu_slices, compute_slices;
    unsigned long long mebibytes;
};

constexpr int kNvmlGpuIsLost = 15;
constexpr unsigned long long kXidEvents = 8;  // nvmlEventTypeXidCriticalError
constexpr int kUncorrected = 1, kSinceBoot = 0;
constexpr int kEventsAtOnce = 1000;

constexpr unsigned kWholeBoard = 0xFFFFFFFF;  // NVML's value for "no GPU instance".

struct NvmlEvent {
    NvmlDevice device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};

class Nvml : public GpuInventory, public GpuMeter {
public:
    static Result<std::unique_ptr<Nvml>> open(const char* library, const char* mig_minors);
    ~Nvml() override {
        if (events_ != nullptr) free_events_(events_);
        if (started_) shutdown_();
        ::dlclose(library_);
    }
    Result<std::vector<FoundGpu>> gpus() override;

    // The device files tell which GPUs to read and their numbers.
    Status meter(const std::vector<std::string>& files);
    Result<std::vector<GpuReading>> read() override;
    std::vector<GpuFault> faults() override;

private:
    struct Seen {
        NvmlDevice handle = nullptr, board = nullptr;  // Equal, unless it is a MIG instance.
        unsigned minor = 0, instance = kWholeBoard;    // Its GPU instance.
        NvmlPci pci{};
        FoundGpu gpu;
    };

    Nvml(void* library, const char* mig_minors) : library_(library), mig_minors_(mig_minors) {}
    template <class Function>
    bool find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(::dlsym(library_, name));
        return function != nullptr;
    }
    Status find_all();
    Status check(int code, const char* what) const;
    Result<std::vector<Seen>> see_all() const;
    Result<Seen> look_at(unsigned index) const;
    std::vector<NvmlDevice> mig_instances_of(NvmlDevice board) const;
    bool is_cut(NvmlDevice board) const;
    Result<Seen> look_at_instance(const Seen& board, NvmlDevice instance,
                                  const MigMinors& minors) const;
    std::vector<int> cpus_near(NvmlDevice device) const;
    void count_links(std::vector<Seen>& all) const;
    std::int32_t links_between(const Seen& a, const Seen& b) const;

    struct Metered {
        std::int32_t gpu = 0;
        NvmlDevice device = nullptr;
        NvmlDevice board = nullptr;  // The GPU that faults are reported for.
        unsigned instance = kWholeBoard;
        unsigned long long ecc = 0;  // Already reported; likewise the next two.
        bool lost = false, remap_failed = false;
    };
    GpuReading read_one(std::int32_t gpu, NvmlDevice device) const;
    void watch_events();
    void add_xids(std::vector<GpuFault>& faults);
    void add_levels(Metered& one, std::vector<GpuFault>& faults) const;

    void* library_;
    const char* mig_minors_;
    bool started_ = false;
    void* events_ = nullptr;
    std::vector<Metered> metered_;
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
    // Missing in some versions of the library, or for some GPUs.
    int (*cpu_affinity_)(NvmlDevice, unsigned, unsigned long*) = nullptr;
    int (*link_state_)(NvmlDevice, unsigned, int*) = nullptr;
    int (*link_remote_)(NvmlDevice, unsigned, NvmlPci*) = nullptr;
    int (*p2p_)(NvmlDevice, NvmlDevice, int, int*) = nullptr;
    int (*capability_)(NvmlDevice, int*, int*) = nullptr;
    int (*utilisation_)(NvmlDevice, NvmlUtilisation*) = nullptr;
    int (*temperature_)(NvmlDevice, int, unsigned*) = nullptr;
    int (*power_)(NvmlDevice, unsigned*) = nullptr;        // Milliwatts.
    int (*power_limit_)(NvmlDevice, unsigned*) = nullptr;  // Milliwatts.
    int (*make_events_)(void**) = nullptr;
    int (*free_events_)(void*) = nullptr;
    int (*register_events_)(NvmlDevice, unsigned long long, void*) = nullptr;
    int (*wait_event_)(void*, NvmlEvent*, unsigned) = nullptr;
    int (*ecc_errors_)(NvmlDevice, int, int, unsigned long long*) = nullptr;
    int (*remapped_)(NvmlDevice, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
    int (*mig_mode_)(NvmlDevice, unsigned*, unsigned*) = nullptr;
    int (*mig_count_)(NvmlDevice, unsigned*) = nullptr;
    int (*mig_handle_)(NvmlDevice, unsigned, NvmlDevice*) = nullptr;
    int (*gpu_instance_)(NvmlDevice, unsigned*) = nullptr;
    int (*compute_instance_)(NvmlDevice, unsigned*) = nullptr;
    int (*attributes_)(NvmlDevice, NvmlAttributes*) = nullptr;
};

Result<std::unique_ptr<Nvml>> Nvml::open(const char* library, const char* mig_minors) {
    void* const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
        return Error{ErrorCode::not_found, std::string("no NVIDIA driver here: ") + ::dlerror()};
    }
    std::unique_ptr<Nvml> nvml(new Nvml(opened, mig_minors));
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
    find(make_events_, "nvmlEventSetCreate");
    find(free_events_, "nvmlEventSetFree");
    find(register_events_, "nvmlDeviceRegisterEvents");
    find(wait_event_, "nvmlEventSetWait_v2");
    find(ecc_errors_, "nvmlDeviceGetTotalEccErrors");
    find(remapped_, "nvmlDeviceGetRemappedRows");
    find(mig_mode_, "nvmlDeviceGetMigMode");
    find(mig_count_, "nvmlDeviceGetMaxMigDeviceCount");
    find(mig_handle_, "nvmlDeviceGetMigDeviceHandleByIndex");
    find(gpu_instance_, "nvmlDeviceGetGpuInstanceId");
    find(compute_instance_, "nvmlDeviceGetComputeInstanceId");
    find(attributes_, "nvmlDeviceGetAttributes_v2");
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
    seen.board = seen.handle;
    BERTH_CHECK(check(minor_(seen.handle, &seen.minor), "nvmlDeviceGetMinorNumber"));
    BERTH_CHECK(check(uuid_(seen.handle, text.data(), text.size()), "nvmlDeviceGetUUID"));
    seen.gpu.uuid = text.data();
    BERTH_CHECK(check(name_(seen.handle, text.data(), text.size()), "nvmlDeviceGetName"));
    seen.gpu.type = type_of(text.data());
    const int told = memory_(seen.handle, &memory);
    if (told != kNvmlGpuIsLost) BERTH_CHECK(check(told, "nvmlDeviceGetMemoryInfo"));
    seen.gpu.memory = Bytes(static_cast<std::int64_t>(memory.total));
    int major = 0, minor = 0;
    if (capability_ != nullptr && capability_(seen.handle, &major, &minor) == kNvmlSuccess) {
        seen.gpu.compute_capability = static_cast<std::uint32_t>(major * 10 + minor);
    }
    BERTH_CHECK(check(pci_(seen.handle, &seen.pci), "nvmlDeviceGetPciInfo"));
    // The driver's index follows the bus order; the file name has the minor number.
    seen.gpu.file = "/dev/nvidia" + std::to_string(seen.minor);
    seen.gpu.cpus = cpus_near(seen.handle);
    return seen;
}

bool Nvml::is_cut(NvmlDevice board) const {
    unsigned current = 0, pending = 0;
    return mig_mode_ != nullptr && mig_count_ != nullptr && mig_handle_ != nullptr &&
           gpu_instance_ != nullptr && compute_instance_ != nullptr && attributes_ != nullptr &&
           mig_mode_(board, &current, &pending) == kNvmlSuccess && current == 1;
}

// The driver's indices have gaps where no instance exists.
std::vector<NvmlDevice> Nvml::mig_instances_of(NvmlDevice board) const {
    std::vector<NvmlDevice> instances;
    unsigned most = 0;
    if (!is_cut(board) || mig_count_(board, &most) != kNvmlSuccess) return instances;
    for (unsigned index = 0; index < most; ++index) {
        NvmlDevice instance = nullptr;
        if (mig_handle_(board, index, &instance) == kNvmlSuccess) instances.push_back(instance);
    }
    return instances;
}

Result<Nvml::Seen> Nvml::look_at_instance(const Seen& board, NvmlDevice instance,
                                          const MigMinors& minors) const {
    Seen seen = board;
    seen.handle = instance;
    std::array<char, 96> text{};
    unsigned compute_instance = 0;
    NvmlAttributes has{};
    BERTH_CHECK(check(uuid_(instance, text.data(), text.size()), "nvmlDeviceGetUUID"));
    seen.gpu.uuid = text.data();
    BERTH_CHECK(check(gpu_instance_(instance, &seen.instance), "nvmlDeviceGetGpuInstanceId"));
    BERTH_CHECK(
        check(compute_instance_(instance, &compute_instance), "nvmlDeviceGetComputeInstanceId"));
    BERTH_CHECK(check(attributes_(instance, &has), "nvmlDeviceGetAttributes"));
    seen.gpu.type += "_" + mig_profile(has.gpu_slices, has.compute_slices, has.mebibytes);
    seen.gpu.memory = Bytes(static_cast<std::int64_t>(has.mebibytes) * 1024 * 1024);
    BERTH_TRY(seen.gpu.file, mig_files(minors, board.minor, seen.instance, compute_instance));
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

// Counts the links that lead directly to the other GPU. Links to a switch all count, if the driver
// says that the other GPU is reachable through NVLink.
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
            // MIG instances are linked neither to other GPUs nor to each other.
            const bool linked = all[i].instance == kWholeBoard && all[j].instance == kWholeBoard;
            all[i].gpu.links.push_back(i == j ? -1 : linked ? links_between(all[i], all[j]) : 0);
        }
    }
}

// All GPUs and instances that can be allocated, by minor number.
Result<std::vector<Nvml::Seen>> Nvml::see_all() const {
    unsigned count = 0;
    BERTH_CHECK(check(count_(&count), "nvmlDeviceGetCount"));
    std::vector<Seen> all;
    std::optional<MigMinors> minors;
    for (unsigned index = 0; index < count; ++index) {
        BERTH_TRY(Seen board, look_at(index));
        if (!is_cut(board.handle)) {
            all.push_back(std::move(board));
            continue;
        }
        if (!minors) minors = parse_mig_minors(read_file(mig_minors_).value_or(""));
        for (NvmlDevice const instance : mig_instances_of(board.handle)) {
            BERTH_TRY(Seen seen, look_at_instance(board, instance, *minors));
            all.push_back(std::move(seen));
        }
    }
    std::ranges::stable_sort(all, {}, &Seen::minor);
    return all;
}

Result<std::vector<FoundGpu>> Nvml::gpus() {
    BERTH_TRY(std::vector<Seen> all, see_all());
    count_links(all);
    std::vector<FoundGpu> gpus;
    gpus.reserve(all.size());
    for (Seen& seen : all) gpus.push_back(std::move(seen.gpu));
    return gpus;
}

Status Nvml::meter(const std::vector<std::string>& files) {
    BERTH_TRY(const std::vector<Seen> all, see_all());
    for (const Seen& seen : all) {
        const auto at = std::ranges::find_if(
            files, [&](const std::string& own) { return same_files(own, seen.gpu.file); });
        if (at == files.end()) continue;
        metered_.push_back({.gpu = static_cast<std::int32_t>(at - files.begin()),
                            .device = seen.handle,
                            .board = seen.board,
                            .instance = seen.instance});
    }
    watch_events();
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
    readings.reserve(metered_.size());
    for (const Metered& one : metered_) readings.push_back(read_one(one.gpu, one.device));
    return readings;
}

// Without events from the driver there are no Xids; the other faults are still checked.
void Nvml::watch_events() {
    const bool all = make_events_ != nullptr && free_events_ != nullptr &&
                     register_events_ != nullptr && wait_event_ != nullptr;
    if (!all || make_events_(&events_) != kNvmlSuccess) {
        events_ = nullptr;
        return;
    }
    for (const Metered& one : metered_) register_events_(one.board, kXidEvents, events_);
}

void Nvml::add_xids(std::vector<GpuFault>& faults) {
    NvmlEvent event{};
    for (int i = 0; i < kEventsAtOnce; ++i) {
        if (events_ == nullptr || wait_event_(events_, &event, 0) != kNvmlSuccess) return;
        if (event.type != kXidEvents) continue;
        for (const Metered& one : metered_) {
            // An event of one GPU instance does not concern the others.
            const bool is_meant = event.gpu_instance == kWholeBoard ||
                                  one.instance == kWholeBoard || event.gpu_instance == one.instance;
            if (one.board != event.device || !is_meant) continue;
            const GpuFault fault{.gpu = one.gpu,
                                 .kind = GpuFaultKind::xid,
                                 .code = static_cast<std::int64_t>(event.data)};
            if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(fault);
        }
    }
}

void Nvml::add_levels(Metered& one, std::vector<GpuFault>& faults) const {
    NvmlMemory memory{};
    const bool lost = memory_(one.board, &memory) == kNvmlGpuIsLost;
    if (lost && !one.lost) faults.push_back({.gpu = one.gpu, .kind = GpuFaultKind::lost});
    one.lost = lost;
    if (lost) return;
    unsigned long long errors = 0;
    if (ecc_errors_ != nullptr &&
        ecc_errors_(one.board, kUncorrected, kSinceBoot, &errors) == kNvmlSuccess) {
        if (errors > one.ecc) {
            faults.push_back({.gpu = one.gpu,
                              .kind = GpuFaultKind::ecc,
                              .code = static_cast<std::int64_t>(errors)});
        }
        one.ecc = errors;
    }
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (remapped_ != nullptr &&
        remapped_(one.board, &corrected, &uncorrected, &pending, &failed) == kNvmlSuccess) {
        if (failed != 0 && !one.remap_failed) {
            faults.push_back({.gpu = one.gpu, .kind = GpuFaultKind::row_remap});
        }
        one.remap_failed = failed != 0;
    }
}

std::vector<GpuFault> Nvml::faults() {
    std::vector<GpuFault> faults;
    add_xids(faults);
    for (Metered& one : metered_) add_levels(one, faults);
    return faults;
}

}  // namespace

Result<std::unique_ptr<GpuInventory>> open_nvml(const char* library, const char* mig_minors) {
    BERTH_TRY(std::unique_ptr<Nvml> nvml, Nvml::open(library, mig_minors));
    return std::unique_ptr<GpuInventory>(std::move(nvml));
}

Result<std::unique_ptr<GpuMeter>> nvml_meter(const NodeSpec& node, const Dimensions& dimensions,
                                             const char* library, const char* mig_minors) {
    std::vector<std::string> files;
    for (const Device& device : node.devices) {
        if (dimensions.at(device.dimension).name == "gpu") files.push_back(device.file);
    }
    if (files.empty()) return Error{ErrorCode::not_found, "the node has no GPU"};
    BERTH_TRY(std::unique_ptr<Nvml> nvml, Nvml::open(library, mig_minors));
    BERTH_CHECK(nvml->meter(files));
    return std::unique_ptr<GpuMeter>(std::move(nvml));
}

}  // namespace berth
