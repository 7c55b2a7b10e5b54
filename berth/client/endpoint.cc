#include "berth/client/endpoint.h"

#include <unistd.h>

#include <array>
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

// The value behind "key=" where a line of slurm.conf begins with it; the first, as Slurm's clients
// ask the first controller first.
std::string value_in_conf(const std::string& conf, std::string_view key) {
    for (const std::string_view line : split(conf, '\n')) {
        const std::string_view text = trim(line.substr(0, line.find('#')));
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos || !iequals(trim(text.substr(0, equals)), key))
            continue;
        return std::string(trim(text.substr(equals + 1)));
    }
    return {};
}

bool is_this_host(std::string_view name) {
    std::array<char, 256> own{};
    if (::gethostname(own.data(), own.size() - 1) != 0) return false;
    const std::string_view whole = own.data();
    return iequals(name, "localhost") || iequals(name, whole) ||
           iequals(name, whole.substr(0, whole.find('.')));
}

// "head:6820", of the $SLURM_CONF that names a controller elsewhere; empty: there is none.
// SlurmctldPort is the agents'; commands have the port three higher.
std::string controller_of_conf(const std::string& file) {
    constexpr std::int64_t kAgentsPort = 6817;
    const std::string conf = file.empty() ? "" : content(file);
    const std::string host = value_in_conf(conf, "SlurmctldHost");
    const std::string name = host.substr(0, host.find('('));
    if (name.empty() || is_this_host(name)) return {};
    std::string address = host.substr(name.size());  // "(10.0.0.1)"
    address = address.size() > 2 ? address.substr(1, address.size() - 2) : name;
    if (address.find(':') != std::string::npos) address = "[" + address + "]";
    const auto port = parse_int64(value_in_conf(conf, "SlurmctldPort"));
    const bool is_port = port.ok() && *port > 0 && *port <= 65535 - (kApiPort - kAgentsPort);
    return address + ":" + std::to_string((is_port ? *port : kAgentsPort) + kApiPort - kAgentsPort);
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
    if (const std::string named = controller_of_conf(environment(kSlurmConf)); !named.empty())
        return remote_endpoint(named);
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
