// A stand-in for NVIDIA's library: four GPUs, two and two linked straight by NVLink, their minor
// numbers the other way round than their indices. With FAKE_NVML_MIG=3 that GPU, of minor 0, is cut
// into a 3g.40gb and a 1g.10gb. For the tests of module host.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <string>

namespace {

struct Pci {
    char short_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
struct Memory {
    unsigned long long total, free, used;
};

char handles[4];
char instances[2];

// The third of what may be is a hole.
struct Cut {
    unsigned gpu_instance, compute_instance, slices;
    unsigned long long mebibytes;
    const char* uuid;
};
constexpr Cut kCuts[] = {{2, 0, 3, 40'320, "MIG-fake-a"}, {7, 0, 1, 9'728, "MIG-fake-b"}};

const Cut* cut_of(void* device) {
    for (unsigned i = 0; i < 2; ++i) {
        if (device == &instances[i]) return &kCuts[i];
    }
    return nullptr;
}

unsigned index_of(void* device) {
    return static_cast<unsigned>(static_cast<char*>(device) - handles);
}

int copy(char* out, unsigned size, const char* text) {
    if (std::strlen(text) >= size) return 7;
    std::strcpy(out, text);
    return 0;
}

struct Event {
    void* device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};

bool is_named(const char* variable, void* device) {
    const char* const index = std::getenv(variable);
    return index != nullptr && static_cast<unsigned>(index[0] - '0') == index_of(device);
}

int list(unsigned* count, unsigned* clocks, std::initializer_list<unsigned> all) {
    if (*count < all.size()) return 7;
    *count = static_cast<unsigned>(all.size());
    for (const unsigned clock : all) *clocks++ = clock;
    return 0;
}

// In the file FAKE_NVML_CLOCKS, a line each.
int note_clocks(void* device, const std::string& what) {
    const char* const path = std::getenv("FAKE_NVML_CLOCKS");
    if (path == nullptr) return 3;
    std::ofstream(path, std::ios::app) << index_of(device) << ": " << what << '\n';
    return 0;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's.
extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int) { return "Fake error"; }
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 4;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    *device = &handles[index];
    return index < 4 ? 0 : 2;
}
int nvmlDeviceGetUUID(void* device, char* out, unsigned size) {
    if (const Cut* cut = cut_of(device)) return copy(out, size, cut->uuid);
    char text[] = "GPU-fake-0";
    text[9] = static_cast<char>('0' + index_of(device));
    return copy(out, size, text);
}
int nvmlDeviceGetName(void*, char* out, unsigned size) {
    return copy(out, size, "NVIDIA A100-SXM4-80GB");
}
int nvmlDeviceGetMinorNumber(void* device, unsigned* minor) {
    *minor = 3 - index_of(device);
    return 0;
}
int nvmlDeviceGetSupportedMemoryClocks(void*, unsigned* count, unsigned* clocks) {
    return list(count, clocks, {1215, 405});
}
int nvmlDeviceGetSupportedGraphicsClocks(void*, unsigned memory, unsigned* count,
                                         unsigned* clocks) {
    if (memory == 1215) return list(count, clocks, {1410, 1110, 810, 210});
    return memory == 405 ? list(count, clocks, {405, 210}) : 6;
}
int nvmlDeviceSetApplicationsClocks(void* device, unsigned memory, unsigned graphics) {
    return note_clocks(device, std::to_string(memory) + " " + std::to_string(graphics));
}
int nvmlDeviceResetApplicationsClocks(void* device) { return note_clocks(device, "reset"); }
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
    if (const Cut* cut = cut_of(device)) {
        *memory = {cut->mebibytes << 20, 0, cut->mebibytes << 19};
        return 0;
    }
    if (is_named("FAKE_NVML_LOST", device)) return 15;
    *memory = {80ULL << 30, 80ULL << 30, 0};
    return 0;
}
int nvmlDeviceGetPciInfo_v3(void* device, Pci* pci) {
    *pci = {};
    pci->bus = 16 + index_of(device);
    return 0;
}
int nvmlDeviceGetCpuAffinity(void* device, unsigned, unsigned long* words) {
    words[0] = index_of(device) < 2 ? 0x3 : 0xc;
    return 0;
}
int nvmlDeviceGetNvLinkState(void*, unsigned link, int* active) {
    *active = link < 4 ? 1 : 0;
    return link < 12 ? 0 : 2;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned, Pci* pci) {
    *pci = {};
    pci->bus = 16 + (index_of(device) ^ 1U);
    return 0;
}
int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
    *major = 8;
    *minor = 0;
    return 0;
}
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
    *current = *pending = is_named("FAKE_NVML_MIG", device) ? 1 : 0;
    return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) {
    *count = 7;
    return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** instance) {
    if (!is_named("FAKE_NVML_MIG", device)) return 3;
    if (index != 0 && index != 2) return 6;
    *instance = &instances[index / 2];
    return 0;
}
int nvmlDeviceGetGpuInstanceId(void* device, unsigned* id) {
    *id = cut_of(device)->gpu_instance;
    return 0;
}
int nvmlDeviceGetComputeInstanceId(void* device, unsigned* id) {
    *id = cut_of(device)->compute_instance;
    return 0;
}
struct Attributes {
    unsigned multiprocessors, engines[5], gpu_slices, compute_slices;
    unsigned long long mebibytes;
};
int nvmlDeviceGetAttributes_v2(void* device, Attributes* has) {
    const Cut& cut = *cut_of(device);
    *has = {14, {}, cut.slices, cut.slices, cut.mebibytes};
    return 0;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
    if (cut_of(device) != nullptr) return 3;
    rates[0] = 10 * index_of(device);
    rates[1] = 0;
    return 0;
}
int nvmlDeviceGetTemperature(void* device, int, unsigned* celsius) {
    if (cut_of(device) != nullptr) return 3;
    *celsius = 30 + index_of(device);
    return 0;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
    if (cut_of(device) != nullptr) return 3;
    *milliwatts = 100'000;
    return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
    *milliwatts = 400'000;
    return 0;
}
int nvmlDeviceGetP2PStatus(void*, void*, int, int* status) {
    *status = 1;
    return 0;
}

// What goes wrong stands in the environment: "79@2 63@0", each told once, in order;
// FAKE_NVML_XID_OF is the GPU instance that it concerns.
int nvmlEventSetCreate(void** set) {
    *set = handles;
    return 0;
}
int nvmlEventSetFree(void*) { return 0; }
int nvmlDeviceRegisterEvents(void*, unsigned long long, void*) { return 0; }
int nvmlEventSetWait_v2(void*, Event* event, unsigned) {
    static std::size_t told = 0;
    const char* const all = std::getenv("FAKE_NVML_XIDS");
    if (all == nullptr || told >= std::strlen(all)) return 10;
    char* rest = nullptr;
    event->data = std::strtoull(all + told, &rest, 10);
    event->device = &handles[rest[1] - '0'];
    event->type = 8;
    const char* const instance = std::getenv("FAKE_NVML_XID_OF");
    event->gpu_instance = event->compute_instance =
        instance == nullptr ? 0xFFFFFFFF : static_cast<unsigned>(instance[0] - '0');
    told = static_cast<std::size_t>(rest - all) + 3;
    return 0;
}
int nvmlDeviceGetTotalEccErrors(void* device, int, int, unsigned long long* count) {
    const char* const set = std::getenv("FAKE_NVML_ECC");
    const bool named = set != nullptr && static_cast<unsigned>(set[2] - '0') == index_of(device);
    *count = named ? static_cast<unsigned long long>(set[0] - '0') : 0;
    return 0;
}
int nvmlDeviceGetRemappedRows(void* device, unsigned*, unsigned*, unsigned*, unsigned* failed) {
    *failed = is_named("FAKE_NVML_REMAP_FAILED", device) ? 1 : 0;
    return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
