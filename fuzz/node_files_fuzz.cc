// What an agent and its shepherds read back from their own disk, and of the system: any bytes.
#include <algorithm>
#include <cstdint>
#include <string>

#include "berth/agent/memory.h"
#include "berth/base/assert.h"
#include "berth/base/codec.h"
#include "berth/host/cgroup/cgroup_mounts.h"
#include "berth/host/hardware/gpu_inventory.h"
#include "berth/host/run/run_spec.h"

namespace berth {
namespace {

template <class T>
void check_record(std::string_view bytes) {
    const auto read = decode<T>(bytes);
    if (!read.ok()) return;
    const std::string written = encode(*read);
    const auto again = decode<T>(written);
    BERTH_ASSERT(again.ok() && encode(*again) == written);
}

// What an agent remembers, under keys as it writes them and under any.
void check_memory(std::string_view text) {
    const std::string_view key = text.substr(0, text.find('='));
    const std::string value(text.substr(std::min(text.size(), key.size() + 1)));
    std::vector<MemoryWrite> stored = {{std::string(key), value}};
    for (const char* const known : {"boot", "epoch", "session", "tombstone.7", "attempt.7.1",
                                    "step.7.1.0", "end.7.1", "end.7.1.0"}) {
        stored.push_back({known, value});
    }
    const Memory memory(stored);
    BERTH_ASSERT(memory.attempts().contains({JobId(7), Attempt(1)}) && memory.boot_id() == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size == 0) return 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    switch (bytes[0] % 8) {
        case 0: check_record<RunSpec>(text); break;
        case 1: check_record<RunStatus>(text); break;
        case 2: check_record<ExitRecord>(text); break;
        case 3: check_record<ProcessMark>(text); break;
        case 4: (void)parse_cgroup_mounts(text); break;
        case 5: (void)simulate_gpus(text); break;
        default: check_memory(text); break;
    }
    return 0;
}

}  // namespace berth
