// Any bytes on a connection to the API, as an ordinary user's: the server answers or closes, and
// lives.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "berth/server/http/server_rig.h"

using berth::PlayedServer;
using berth::RawClient;

namespace {

void ask(const PlayedServer& served, std::string_view bytes) {
    RawClient client(served.options.socket);
    if (!client.connected()) std::abort();
    (void)client.send(bytes);
    client.send_no_more();
    (void)client.rest(1000);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static PlayedServer& served = *[] {
        auto* const one = new PlayedServer;  // Its threads go on to the end.
        if (!one->open().ok()) std::abort();
        return one;
    }();
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    ask(served, {reinterpret_cast<const char*>(bytes), size});
    {
        const std::lock_guard lock(served.controller.mutex);
        served.controller.inputs.clear();
    }
    return 0;
}
