#include "berth/server/http/unix_listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace berth {
namespace {

constexpr int kUnixBacklog = 1024;

Error socket_error(const std::string& path, const std::string& what) {
    return {ErrorCode::failed_precondition,
            "cannot listen at " + path + ": " + what + ": " + std::strerror(errno)};
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

// A socket that a dead controller left behind may be replaced; one that is alive may not.
Status check_place(const std::string& path) {
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0) return Done{};
    if (!S_ISSOCK(found.st_mode)) {
        return Error{ErrorCode::failed_precondition,
                     "cannot listen at " + path + ": there is something that is no socket"};
    }
    const sockaddr_un address = address_of(path);
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
    return Done{};
}

// In the same folder, and no longer: a socket's path has at most 107 bytes.
std::string name_beside(std::string path) {
    path.back() = path.back() == '~' ? '_' : '~';
    return path;
}

}  // namespace

// The socket gets its name last: a client that finds it may connect.
Result<int> listen_at(const std::string& path) {
    if (path.empty() || path.size() >= sizeof sockaddr_un{}.sun_path) {
        return Error{ErrorCode::invalid_argument,
                     "'" + path + "' should be a socket path of 1 to 107 bytes"};
    }
    BERTH_CHECK(check_place(path));
    const std::string made = name_beside(path);
    BERTH_CHECK(check_place(made));
    ::unlink(made.c_str());  // Of a controller that died here.
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return socket_error(path, "socket");
    const sockaddr_un address = address_of(made);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets.
    const auto* const name = reinterpret_cast<const sockaddr*>(&address);
    const char* failed = nullptr;
    if (::bind(fd, name, sizeof address) != 0) {
        failed = "bind";
    } else if (::chmod(made.c_str(), 0666) != 0) {
        failed = "chmod";
    } else if (::listen(fd, kUnixBacklog) != 0) {
        failed = "listen";
    } else if (::rename(made.c_str(), path.c_str()) != 0) {
        failed = "rename";
    }
    if (failed == nullptr) return fd;
    const Error error = socket_error(path, failed);
    ::close(fd);
    ::unlink(made.c_str());
    return error;
}

}  // namespace berth
