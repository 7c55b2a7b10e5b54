#include "berth/server/http/unix_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace berth {
namespace {

constexpr int kUnixBacklog = 1024;

Error socket_error(const std::string& path, const std::string& what) {
    return {ErrorCode::failed_precondition,
            "cannot listen at " + path + ": " + what + ": " + std::strerror(errno)};
}

// A socket that a dead controller left behind is taken away; one that is alive is not.
Status make_way(const std::string& path, const sockaddr_un& address) {
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0) return Done{};
    if (!S_ISSOCK(found.st_mode)) {
        return Error{ErrorCode::failed_precondition,
                     "cannot listen at " + path + ": there is something that is no socket"};
    }
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
    const bool alive =
        ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
        errno == EAGAIN;
    ::close(probe);
    if (alive) {
        return Error{ErrorCode::already_exists,
                     "cannot listen at " + path + ": another controller does"};
    }
    if (::unlink(path.c_str()) != 0) return socket_error(path, "cannot take the old one away");
    return Done{};
}

}  // namespace

Result<int> listen_at(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return Error{ErrorCode::invalid_argument,
                     "'" + path + "' should be a socket path of 1 to 107 bytes"};
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    BERTH_CHECK(make_way(path, address));
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return socket_error(path, "socket");
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
    const auto* const name = reinterpret_cast<const sockaddr*>(&address);
    const char* failed = nullptr;
    if (::bind(fd, name, sizeof address) != 0) {
        failed = "bind";
    } else if (::chmod(path.c_str(), 0666) != 0) {
        failed = "chmod";
    } else if (::listen(fd, kUnixBacklog) != 0) {
        failed = "listen";
    }
    if (failed == nullptr) return fd;
    const Error error = socket_error(path, failed);
    ::close(fd);
    return error;
}

}  // namespace berth
