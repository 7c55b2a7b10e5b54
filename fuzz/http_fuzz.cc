// Any bytes on a connection to the API, as an ordinary user's: the server answers or closes, and
// lives.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "berth/server/server_rig.h"

using namespace berth;

namespace {

struct Served {
    Served() {
        (void)cluster.publish(published);
        options.socket = folder + "/berthd.sock";
        server = *HttpServer::start(options, controller, published, archive, log);
        controller.server = server.get();
    }
    std::string folder = [] {
        std::string pattern = "/tmp/berth-fuzz-XXXXXX";
        return std::string(::mkdtemp(pattern.data()));
    }();
    HttpServerOptions options;
    SampleCluster cluster;
    Published published;
    PlayedController controller;
    PlayedArchive archive;
    SilentLog log;
    std::unique_ptr<HttpServer> server;
};

void ask(const Served& served, std::string_view bytes) {
    RawClient client(served.options.socket);
    if (!client.connected()) std::abort();
    (void)client.send(bytes);
    client.send_no_more();
    (void)client.rest(1000);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static Served& served = *new Served;  // Its threads go on to the end.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    ask(served, {reinterpret_cast<const char*>(bytes), size});
    {
        const std::lock_guard lock(served.controller.mutex);
        served.controller.inputs.clear();
    }
    return 0;
}
