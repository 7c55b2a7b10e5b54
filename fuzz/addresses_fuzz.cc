// Where somebody is to be found, in every form that an option, a file or a request gives it in.
#include <cstdint>
#include <string>

#include "berth/base/assert.h"
#include "berth/client/endpoint.h"
#include "berth/model/dependency_text.h"
#include "berth/server/http/metrics_listener.h"
#include "berth/wire/link_address.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using berth::parse_dependencies;
    using berth::parse_link_address;
    using berth::parse_metrics_address;
    using berth::parse_tcp_address;
    using berth::remote_endpoint;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    const std::string text(reinterpret_cast<const char*>(bytes), size);
    if (const auto address = parse_tcp_address(text); address.ok()) {
        const auto again = parse_tcp_address(to_string(*address));
        BERTH_ASSERT(again.ok() && *again == *address);
    }
    (void)parse_link_address(text);
    (void)remote_endpoint(text);
    (void)parse_metrics_address(text);
    (void)parse_dependencies(text);
    return 0;
}
