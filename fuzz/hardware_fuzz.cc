// What an agent says of its node's GRES may be anything.
#include "berth/control/agents/hardware.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    berth::Dimensions dimensions;
    berth::NodeSpec configured, found;
    configured.devices.push_back({.dimension = *dimensions.intern("gpu", "a100")});
    found.gres_text.assign(data, data + size);
    berth::hardware_shortfall(configured, found, dimensions);
    return 0;
}
