#include "berth/client/endpoint.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "berth/base/text.h"
#include "berth/client/own_token.h"
#include "berth/model/slurm_variables.h"

namespace berth {
namespace {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Empty where there is none, or none that we may read: what is missing is found out by the call.
std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_line(const std::string& text) {
    return std::string(trim(std::string_view(text).substr(0, text.find('\n'))));
}

}  // namespace

std::string own_token() {
    if (std::string given = environment(kSlurmJwt); !given.empty()) return given;
    const std::string file = environment("BERTH_TOKEN_FILE");
    return file.empty() ? "" : first_line(content(file));
}

Endpoint remote_endpoint(const std::string& address) {
    Endpoint endpoint{.host = address, .port = kApiPort};
    const std::size_t colon = address.rfind(':');
    const bool bare_v6 =
        colon != std::string::npos && address.find(':') != colon && !address.starts_with('[');
    if (colon != std::string::npos && !bare_v6 && !address.ends_with(']')) {
        const auto port = parse_int64(std::string_view(address).substr(colon + 1));
        if (port.ok() && *port > 0 && *port <= 65535) {
            endpoint.port = static_cast<std::uint16_t>(*port);
            endpoint.host = address.substr(0, colon);
        }
    }
    if (endpoint.host.starts_with('[') && endpoint.host.ends_with(']'))
        endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
    const std::string authority = environment("BERTH_CA");
    endpoint.authority = content(authority.empty() ? kAuthorityFile : authority);
    endpoint.token = own_token();
    return endpoint;
}

Endpoint find_endpoint() {
    const std::string remote = environment("BERTH_CONTROLLER");
    if (std::string given = environment("BERTH_SOCKET");
        !given.empty() && (remote.empty() || exists(given)))
        return {.socket = std::move(given)};
    if (!remote.empty()) return remote_endpoint(remote);
    const std::string run_dir = environment("XDG_RUNTIME_DIR");
    if (exists(kSystemSocket)) return {.socket = kSystemSocket};
    if (!run_dir.empty()) {
        if (std::string own = run_dir + "/berth/berthd.sock"; exists(own))
            return {.socket = std::move(own)};
    }
    if (const std::string known = first_line(content(kControllerFile)); !known.empty())
        return remote_endpoint(known);
    return {.socket = kSystemSocket};
}

}  // namespace berth
