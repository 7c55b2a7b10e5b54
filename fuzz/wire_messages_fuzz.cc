// What an agent, or who says it is one, may send: and what a controller may.
#include <cstddef>
#include <cstdint>

#include "berth/wire/link_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const int length = static_cast<int>(size);
    berth::wire::FromAgent report;
    if (report.ParseFromArray(bytes, length)) {
        const auto read = berth::from_wire(report);
        if (read.ok()) (void)berth::to_wire(*read);
    }
    berth::wire::FromController order;
    if (order.ParseFromArray(bytes, length)) {
        const auto read = berth::from_wire(order);
        if (read.ok()) (void)berth::to_wire(*read);
    }
    return 0;
}
