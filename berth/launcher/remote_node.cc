#include "berth/launcher/remote_node.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "berth/base/codec.h"
#include "berth/trust/unix_socket.h"

namespace berth {
namespace {

constexpr int kGreetingMs = 30'000;

void wait_for(int socket, short what, int most) {
    pollfd waited{socket, what, 0};
    ::poll(&waited, 1, most);
}

}  // namespace

Result<std::unique_ptr<RemoteNode>> RemoteNode::connect(const std::string& path,
                                                        const std::string& node) {
    BERTH_TRY(const int socket, connect_to(path));
    std::unique_ptr<RemoteNode> remote(new RemoteNode(socket));
    BERTH_TRY(const std::uint32_t uid, peer_uid(socket));
    if (uid != 0 && uid != ::geteuid()) {
        return Error{ErrorCode::permission_denied,
                     path + " is uid " + std::to_string(uid) + "'s: a launcher is root's"};
    }
    BERTH_CHECK(remote->greet(node));
    return remote;
}

RemoteNode::~RemoteNode() { ::close(socket_); }

Status RemoteNode::greet(const std::string& node) {
    for (;;) {
        BERTH_TRY(const std::optional<std::string> frame, frames_.next());
        if (frame) {
            BERTH_TRY(greeting_, decode<Greeting>(*frame, kMessageRoom));
            break;
        }
        wait_for(socket_, POLLIN, kGreetingMs);
        std::array<char, 16 * 1024> room{};
        const ssize_t got = ::recv(socket_, room.data(), room.size(), MSG_DONTWAIT);
        if (got <= 0)
            return Error{ErrorCode::unavailable, "the launcher does not greet: its log says why"};
        frames_.add({room.data(), static_cast<std::size_t>(got)});
    }
    if (!greeting_.failure.empty())
        return Error{ErrorCode::unavailable, "the launcher cannot serve: " + greeting_.failure};
    if (greeting_.protocol != kLauncherProtocol) {
        return Error{ErrorCode::failed_precondition,
                     "the launcher speaks protocol " + std::to_string(greeting_.protocol) +
                         ", and this agent " + std::to_string(kLauncherProtocol)};
    }
    if (greeting_.node != node) {
        return Error{
            ErrorCode::failed_precondition,
            "the launcher is that of node '" + greeting_.node + "', and not of '" + node + "'"};
    }
    keys_ = greeting_.keys;
    return Done{};
}

std::vector<std::string> RemoteNode::launch_keys() const {
    const std::lock_guard lock(mutex_);
    return keys_;
}

void RemoteNode::lose(const std::string& why) {
    if (!lost_) lost_ = Error{ErrorCode::unavailable, "the launcher is gone: " + why};
    ::shutdown(socket_, SHUT_RDWR);  // Wakes whatever polls it.
}

// The launcher always reads, so this loop ends.
void RemoteNode::act(HostAction action) {
    if (action.index() >= std::max(greeting_.actions, kActionsOfFirstVersion)) return;
    const std::string frame = framed(encode(action));
    for (std::size_t put = 0; put < frame.size() && !lost_;) {
        const ssize_t n =
            ::send(socket_, frame.data() + put, frame.size() - put, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) {
            put += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN) {
            wait_for(socket_, POLLOUT, -1);
        } else if (errno != EINTR) {
            lose(std::strerror(errno));
        }
    }
}

std::vector<AgentEvent> RemoteNode::take_events() {
    std::vector<AgentEvent> events;
    std::array<char, 64 * 1024> room{};
    for (;;) {
        const ssize_t got = ::recv(socket_, room.data(), room.size(), MSG_DONTWAIT);
        if (got > 0) {
            frames_.add({room.data(), static_cast<std::size_t>(got)});
            continue;
        }
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) lose("it has closed the connection");
        if (got < 0 && errno != EAGAIN) lose(std::strerror(errno));
        break;
    }
    for (;;) {
        Result<std::optional<std::string>> frame = frames_.next();
        if (!frame.ok()) lose(frame.error().message);
        if (!frame.ok() || !*frame) return events;
        Result<LauncherEvent> event = decode<LauncherEvent>(**frame, kMessageRoom);
        if (!event.ok()) {
            lose(event.error().message);
            return events;
        }
        if (auto* const keys = std::get_if<KeysKnown>(&*event)) {
            const std::lock_guard lock(mutex_);
            keys_ = std::move(keys->ids);
        } else if (auto one = agent_event(std::move(event).value())) {
            events.push_back(*std::move(one));
        }
    }
}

}  // namespace berth
