#include "berth/slurm/step/step_attachment.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

#include "berth/trust/here.h"
#include "berth/trust/tls.h"

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

constexpr auto kHandshake = 10s;

Error unreachable(const std::string& address, const std::string& why) {
    return {ErrorCode::unavailable, "cannot reach the srun of the step at " + address + ": " + why};
}

// "host:port", "[::1]:port". The socket, or -1 and why.
std::pair<int, std::string> connect_to(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos) return {-1, "that is not host:port"};
    std::string host = address.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int wrong = getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &hints, &found);
    if (wrong != 0) return {-1, gai_strerror(wrong)};
    int fd = -1;
    std::string why = "no address";
    for (const addrinfo* one = found; one != nullptr && fd < 0; one = one->ai_next) {
        fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, one->ai_addr, one->ai_addrlen) == 0) break;
        why = std::strerror(errno);
        if (fd >= 0) close(std::exchange(fd, -1));
    }
    freeaddrinfo(found);
    return {fd, why};
}

}  // namespace

struct StepAttachment::State {
    int fd = -1;
    std::optional<TlsStream> tls;
    StepFrameReader reader;
    ~State() {
        tls.reset();
        if (fd >= 0) close(fd);
    }

    bool send_all(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = tls ? tls->write(bytes.data(), bytes.size())
                                  : ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
            if (n > 0 || (n < 0 && errno == EINTR)) continue;
            pollfd full{fd, POLLOUT, 0};
            if (n == 0 || errno != EAGAIN || ::poll(&full, 1, kSendMilliseconds) <= 0) return false;
        }
        return true;
    }
    // False: it is over.
    bool read_more() {
        char bytes[65536];
        const ssize_t n = tls ? tls->read(bytes, sizeof bytes) : ::read(fd, bytes, sizeof bytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (n > 0) reader.add({bytes, static_cast<std::size_t>(n)});
        return n > 0;
    }
};

StepAttachment::StepAttachment(std::unique_ptr<State> state) : state_(std::move(state)) {}
StepAttachment::StepAttachment(StepAttachment&&) noexcept = default;
StepAttachment& StepAttachment::operator=(StepAttachment&&) noexcept = default;
StepAttachment::~StepAttachment() = default;

Result<StepAttachment> StepAttachment::to(const std::string& address, const std::string& token) {
    auto state = std::make_unique<State>();
    std::string why;
    std::tie(state->fd, why) = connect_to(address);
    if (state->fd < 0) return unreachable(address, why);
    if (!is_from_here(state->fd)) {
        auto secured = TlsStream::by_secret(state->fd, token, kHandshake);
        if (!secured.ok()) return unreachable(address, secured.error().message);
        state->tls = std::move(secured).value();
    }
    const std::string hello = encode_hello({.token = token, .node_index = kAttached, .ranks = {}});
    if (!state->send_all(hello)) return unreachable(address, "it has gone");
    return StepAttachment(std::move(state));
}

StepAttachment::Heard StepAttachment::wait(int input) {
    for (;;) {
        auto frame = state_->reader.next();
        if (!frame.ok()) return {.over = true};
        if (*frame) return {.frame = std::move(*frame)};
        pollfd waiting[2] = {{state_->fd, POLLIN, 0}, {input, POLLIN, 0}};
        const bool more = state_->tls && state_->tls->has_more();
        if (!more && ::poll(waiting, 2, -1) < 0) continue;
        if (more || waiting[0].revents != 0) {
            if (!state_->read_more()) return {.over = true};
        } else if (waiting[1].revents != 0) {
            return {};
        }
    }
}

bool StepAttachment::send_input(std::uint32_t task, std::string_view bytes) {
    return state_->send_all(encode_frames(StepFrameKind::standard_in, task, bytes));
}

}  // namespace berth::slurm
