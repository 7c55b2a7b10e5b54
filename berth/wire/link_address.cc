#include "berth/wire/link_address.h"

#include "berth/base/text.h"
#include "berth/trust/unix_socket.h"

namespace berth {

std::string to_string(const TcpAddress& address) {
    const bool v6 = address.host.find(':') != std::string::npos;
    return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

Result<TcpAddress> parse_tcp_address(const std::string& text, std::uint16_t port) {
    const auto wrong = [&](const std::string& why) {
        return Error{ErrorCode::invalid_argument,
                     "'" + text + "' is no address: " + why + "; HOST:PORT would be right"};
    };
    TcpAddress address{.host = text, .port = port};
    std::string rest;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string::npos) return wrong("there is no ]");
        address.host = text.substr(1, end - 1);
        rest = text.substr(end + 1);
    } else if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
        address.host = text.substr(0, colon);
        rest = text.substr(colon);
    }
    if (address.host.empty() || address.host.find_first_of("/ []") != std::string::npos)
        return wrong("it names no host");
    if (rest.empty()) return address;
    const auto number = parse_int64(rest.substr(1));
    if (rest.front() != ':' || !number.ok() || *number < 1 || *number > 65535)
        return wrong("the port should be a number from 1 to 65535");
    address.port = static_cast<std::uint16_t>(*number);
    return address;
}

Result<LinkAddress> parse_link_address(const std::string& text) {
    if (text.starts_with("unix:") || text.starts_with('/')) {
        BERTH_TRY(std::string path, unix_path(text));
        return LinkAddress(UnixAddress{std::move(path)});
    }
    BERTH_TRY(TcpAddress address, parse_tcp_address(text));
    return LinkAddress(std::move(address));
}

}  // namespace berth
