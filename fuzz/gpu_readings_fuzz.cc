// The file in which another program notes what a node's GPUs are doing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/base/assert.h"
#include "berth/host/hardware/gpu_meter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto readings = berth::parse_readings(text);
    if (!readings.ok()) return 0;
    for (const berth::GpuReading& one : readings->readings) {
        BERTH_ASSERT(one.gpu >= 0 && one.gpu < 64);
    }
    for (const berth::GpuFault& one : readings->faults) {
        BERTH_ASSERT(one.gpu >= 0 && one.gpu < 64);
    }
    return 0;
}
