#include "berth/trust/here.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace berth {

bool is_from_here(int socket) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return false;
    constexpr std::uint32_t kNet = 127;
    if (peer.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(peer);
        return ntohl(v4.sin_addr.s_addr) >> 24 == kNet;
    }
    if (peer.ss_family != AF_INET6) return peer.ss_family == AF_UNIX;
    const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&address) ||
           (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == kNet);
}

}  // namespace berth
