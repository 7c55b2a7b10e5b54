// Any bytes in answer to a command: read as an HTTP answer, whole or in parts, or called what they
// are.
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "berth/base/assert.h"
#include "berth/client/http.h"
#include "berth/client/toy_server.h"

using berth::HttpConnection;
using berth::Patience;
using berth::ToyServer;
using berth::WireFault;
using berth::WireOutcome;

namespace {

// What the server says next; it reads it on a thread of its own.
class Answer {
public:
    void set(std::string text) {
        const std::lock_guard lock(mutex_);
        text_ = std::move(text);
    }
    std::string get() {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    std::mutex mutex_;
    std::string text_;
};

Answer& answer() {
    static Answer& one = *new Answer;
    return one;
}

void play(int fd, int) {
    char request[4096];
    if (::recv(fd, request, sizeof request, 0) <= 0) return;
    const std::string text = answer().get();
    (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    ::shutdown(fd, SHUT_WR);
    (void)::recv(fd, request, sizeof request, 0);  // Until the other side closes.
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static ToyServer& server = *new ToyServer(play);
    if (size == 0) return 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are letters here.
    answer().set(std::string(reinterpret_cast<const char*>(bytes) + 1, size - 1));
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
