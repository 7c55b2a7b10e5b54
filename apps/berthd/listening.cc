#include "apps/berthd/listening.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth {

namespace {

constexpr const char* kEverywhere = "0.0.0.0";

std::string setting(const ClusterSpec& spec, std::string_view key) {
    const auto found = std::ranges::find_if(
        spec.settings, [&](const auto& one) { return iequals(one.first, key); });
    return found == spec.settings.end() || found->second == "(null)" ? "" : found->second;
}

bool is_wildcard(const std::string& host) { return host == kEverywhere || host == "::"; }
bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// From SlurmctldHost=name(address) and SlurmctldPort=6817 or 6817-6820, of which the first port is
// used.
Result<TcpAddress> configured(const ClusterSpec& spec) {
    const std::string host = setting(spec, "SlurmctldHost[0]");
    const std::string port = setting(spec, "SlurmctldPort");
    const std::size_t open = host.find('(');
    const std::string name =
        open == std::string::npos ? host : host.substr(open + 1, host.find(')') - open - 1);
    if (name.empty()) {
        return Error{ErrorCode::invalid_argument,
                     "--listen config: slurm.conf should name this host by SlurmctldHost"};
    }
    const bool v6 = name.find(':') != std::string::npos;
    const std::string bare = v6 ? "[" + name + "]" : name;
    return parse_tcp_address(port.empty() ? bare : bare + ":" + port.substr(0, port.find('-')));
}

}  // namespace

Result<std::optional<Listening>> listening_of(const ControllerOptions& options,
                                              const ClusterSpec& spec,
                                              const std::string& host_name) {
    if (options.listen.empty()) {
        if (options.api_listen.empty()) return std::optional<Listening>();
        return Error{ErrorCode::invalid_argument, "--api-listen goes with --listen"};
    }
    Listening listening;
    const bool by_config = options.listen == "config";
    if (by_config) {
        BERTH_TRY(listening.link, configured(spec));
    } else {
        BERTH_TRY(listening.link, parse_tcp_address(options.listen));
    }
    std::string reached = listening.link.host;
    // A host's own name often resolves to a loopback address.
    if (by_config && !is_loopback(reached)) listening.link.host = kEverywhere;
    if (is_wildcard(reached)) reached = host_name;
    if (listening.link.port > 65535 - kApiPortAfter)
        return Error{ErrorCode::invalid_argument, "--listen should leave 3 ports behind its own"};
    const auto api_port = static_cast<std::uint16_t>(listening.link.port + kApiPortAfter);
    listening.api = {listening.link.host, api_port};
    if (!options.api_listen.empty()) {
        BERTH_TRY(listening.api, parse_tcp_address(options.api_listen, api_port));
    }
    listening.advertised = {reached, listening.api.port};
    listening.names = {host_name, "localhost", "127.0.0.1"};
    if (std::ranges::find(listening.names, reached) == listening.names.end())
        listening.names.push_back(reached);
    return std::optional(std::move(listening));
}

}  // namespace berth
