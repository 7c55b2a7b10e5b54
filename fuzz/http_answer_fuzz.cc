// Any bytes in answer to a command: read as an HTTP answer, whole or in parts, or called what they
// are.
#include <cstdint>
#include <string>

#include "berth/base/assert.h"
#include "berth/client/http.h"
#include "berth/client/toy_server.h"

using berth::HttpConnection;
using berth::Patience;
using berth::ToyServer;
using berth::WireFault;
using berth::WireOutcome;

namespace {

std::string& answer() {
    static std::string& text = *new std::string;
    return text;
}

void play(int fd, int) {
    char request[4096];
    if (::recv(fd, request, sizeof request, 0) <= 0) return;
    (void)::send(fd, answer().data(), answer().size(), MSG_NOSIGNAL);
    ::shutdown(fd, SHUT_WR);
    (void)::recv(fd, request, sizeof request, 0);  // Until the other side closes.
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static ToyServer& server = *new ToyServer(play);
    if (size == 0) return 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    answer().assign(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    static const Patience patience{.timeout = std::chrono::seconds(5)};
    HttpConnection connection({.socket = server.path()}, patience);
    const WireOutcome outcome = connection.exchange({.target = "/v1/ping"}, bytes[0] % 2 == 0);
    BERTH_ASSERT(outcome.fault != WireFault::timed_out);
    if (outcome.streaming) {
        char part[100];
        while (connection.read_body(part, sizeof part) > 0) {
        }
    }
    return 0;
}
