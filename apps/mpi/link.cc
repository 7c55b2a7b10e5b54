#include "apps/mpi/link.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "berth/base/codec.h"

namespace berth {

std::string MpiLink::encode_ready(const MpiReady& ready) { return encode(ready); }

std::optional<MpiStep> MpiLink::greet() {
    const auto frame = receive(true);
    if (!frame || frame->kind != StepFrameKind::mpi_step) return std::nullopt;
    auto step = decode<MpiStep>(frame->bytes);
    if (!step.ok()) return std::nullopt;
    return std::move(step).value();
}

void MpiLink::send(const std::string& frames) {
    const std::lock_guard<std::mutex> lock(sending_);
    for (std::size_t sent = 0; sent < frames.size();) {
        const ssize_t put = ::send(fd_, frames.data() + sent, frames.size() - sent, MSG_NOSIGNAL);
        if (put > 0) sent += static_cast<std::size_t>(put);
        if (put > 0 || (put < 0 && errno == EINTR)) continue;
        pollfd full{fd_, POLLOUT, 0};
        if (put == 0 || errno != EAGAIN || ::poll(&full, 1, -1) < 0) return;
    }
}

std::optional<StepFrame> MpiLink::receive(bool wait) {
    while (open_) {
        auto frame = reader_.next();
        if (!frame.ok()) break;
        if (*frame) return std::move(*frame);
        char bytes[65536];
        const ssize_t got = ::recv(fd_, bytes, sizeof bytes, wait ? 0 : MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return std::nullopt;
        if (got <= 0) break;
        reader_.add({bytes, static_cast<std::size_t>(got)});
    }
    open_ = false;
    return std::nullopt;
}

}  // namespace berth
