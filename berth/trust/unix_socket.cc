#include "berth/trust/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace berth {

namespace {

Error socket_failed(const std::string& path, const char* doing) {
    const ErrorCode code =
        errno == ECONNREFUSED || errno == ENOENT ? ErrorCode::unavailable : ErrorCode::internal;
    return {code, "unix:" + path + ": " + doing + ": " + std::strerror(errno)};
}

// REQUIRES: the path is not too long; see unix_path().
sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

Result<int> open_socket(const std::string& path) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) return socket_failed(path, "socket");
    return socket;
}

Error close_after(int socket, Error error) {
    ::close(socket);
    return error;
}

}  // namespace

Result<std::string> unix_path(const std::string& address) {
    constexpr std::string_view kScheme = "unix:";
    if (!address.starts_with(kScheme)) {
        return Error{ErrorCode::invalid_argument,
                     "'" + address +
                         "' is no Unix socket: unix:/PATH would be right; agents of other hosts "
                         "come over TLS, which --listen asks for"};
    }
    std::string path = address.substr(kScheme.size());
    if (path.empty() || path.front() != '/') {
        return Error{ErrorCode::invalid_argument,
                     "'" + address + "' must name an absolute path: unix:/PATH"};
    }
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        return Error{ErrorCode::invalid_argument,
                     "'" + path + "' is too long for a socket: " +
                         std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                         " bytes are the most; use a shorter state directory"};
    }
    return path;
}

Result<int> listen_on(const std::string& path) {
    if (Result<int> other = connect_to(path); other.ok()) {
        ::close(*other);
        return Error{ErrorCode::already_exists, "unix:" + path + " is in use by another process"};
    }
    struct stat file{};
    if (lstat(path.c_str(), &file) == 0 && S_ISSOCK(file.st_mode)) unlink(path.c_str());
    BERTH_TRY(const int socket, open_socket(path));
    const sockaddr_un address = address_of(path);
    const mode_t before = umask(0177);
    const int bound = bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    umask(before);
    if (bound != 0) return close_after(socket, socket_failed(path, "bind"));
    if (listen(socket, 4096) != 0) return close_after(socket, socket_failed(path, "listen"));
    return socket;
}

Result<int> connect_to(const std::string& path) {
    BERTH_TRY(const int socket, open_socket(path));
    const sockaddr_un address = address_of(path);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return close_after(socket, socket_failed(path, "connect"));
    }
    return socket;
}

Result<std::uint32_t> peer_uid(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return Error{ErrorCode::permission_denied,
                     std::string("who is at the other end is not known: ") + std::strerror(errno)};
    }
    return std::uint32_t{peer.uid};
}

}  // namespace berth
