// The small languages of a job's request that the engine reads: --constraint and --gpu-bind.
#include <string_view>

#include "berth/base/assert.h"
#include "berth/engine/placement/features.h"
#include "berth/engine/placement/gpu_bind.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto features = berth::FeatureExpression::parse(text); features.ok()) {
        for (std::size_t i = 0; i < features->alternatives(); ++i) {
            (void)features->matches({"a", "b"}, i);
        }
    }
    if (const auto bind = berth::GpuBind::parse(text); bind.ok()) {
        berth::NodeSpec node;
        node.devices.resize(8);
        for (std::uint32_t i = 0; i < 8; ++i) node.devices[i].index = i;
        const std::vector<berth::BitSet> cores(3, berth::BitSet::all(4));
        const auto seen = berth::bind_gpus(*bind, node, 0x5a, cores, true);
        if (seen.ok()) {
            for (const berth::DeviceMask one : *seen) BERTH_ASSERT((one & ~0x5aULL) == 0);
        }
    }
    return 0;
}
