#include "apps/berth_agent/join.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "apps/berth_agent/node_keys.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/trust/certificates.h"
#include "berth/trust/join_tokens.h"
#include "berth/trust/key_file.h"
#include "berth/trust/ownership.h"

namespace berth {

namespace {

constexpr std::uint16_t kApiPortAfter = 3;  // As in berthd.

std::string short_host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    const std::string whole = name;
    return whole.substr(0, whole.find('.'));
}

// Rejects replies that do not match the token or the node: the controller may be the wrong one, or
// an impostor.
Status check(const api::JoinReply& reply, const JoinToken& token, const std::string& node) {
    BERTH_TRY(const std::string fingerprint, fingerprint_of(reply.authority));
    if (fingerprint != token.fingerprint) {
        return Error{ErrorCode::permission_denied,
                     "the authority that came is not the one that the token names"};
    }
    BERTH_TRY(const CertificateFacts facts, read_certificate(reply.certificate));
    if (facts.name == node) return Done{};
    return Error{ErrorCode::permission_denied, "the certificate that came is for " + facts.name};
}

// The parts of the reply that the node is to trust: the authority's certificate, and the public
// keys of launch orders that follow it.
struct Believed {
    std::string authority, launch_keys;
};

Believed take_apart(const std::string& text) {
    const std::size_t keys = text.find("-----BEGIN PUBLIC KEY-----");
    if (keys == std::string::npos) return {text, ""};
    return {text.substr(0, keys), text.substr(keys)};
}

// Lets the commands of this host find the cluster and its launcher verify the controller. Files of
// another cluster are left alone.
Status tell_commands(const JoinOptions& options, const std::string& api, const Believed& believed) {
    if (!std::filesystem::is_directory(options.config)) return Done{};
    BERTH_CHECK(write_public_file(options.config + "/ca.pem", believed.authority));
    if (!believed.launch_keys.empty()) {
        BERTH_CHECK(write_public_file(options.config + "/launch.pub", believed.launch_keys));
    }
    return write_public_file(options.config + "/controller", api + '\n');
}

// An agent that runs as its own user owns the folder and could place links in it, so root must not
// write there as root.
Status write_as_owner(const std::string& state, const LinkCertificates& keys) {
    struct stat folder{};
    if (::stat(state.c_str(), &folder) != 0)
        return Error{ErrorCode::internal, state + " cannot be looked at"};
    const bool lower = ::geteuid() == 0 && folder.st_uid != 0;
    if (lower && (::setegid(folder.st_gid) != 0 || ::seteuid(folder.st_uid) != 0))
        return Error{ErrorCode::internal, "cannot become the owner of " + state};
    Status written = NodeKeys(state).write(keys);
    if (lower && (::seteuid(0) != 0 || ::setegid(0) != 0))
        return Error{ErrorCode::internal, "cannot become root again"};
    return written;
}

}  // namespace

std::optional<JoinOptions> parse_join_options(int argc, char** argv, int& exit_code) {
    JoinOptions options{
        .node = short_host_name(), .state = "/var/lib/berth-agent", .config = "/etc/berth"};
    CLI::App app("berth-agent join: makes this machine a node of a cluster.");
    app.add_option("token", options.token,
                   "What `berth token create` printed; -: it comes on standard input")
        ->required();
    app.add_option("--controller", options.controller, "HOST[:PORT] that berthd --listen names")
        ->required();
    app.add_option("--api", options.api, "HOST[:PORT] of the API (3 ports further on)");
    app.add_option("--node", options.node, "The node's name in slurm.conf (this host's)");
    app.add_option("--state", options.state, "Directory of the agent (/var/lib/berth-agent)");
    app.add_option("--config", options.config,
                   "Directory in which commands find the controller (/etc/berth)");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& end) {
        exit_code = app.exit(end);
        return std::nullopt;
    }
    if (options.token == "-") std::getline(std::cin, options.token);
    options.state = std::filesystem::absolute(options.state).string();
    options.config = std::filesystem::absolute(options.config).string();
    return options;
}

Result<std::string> api_behind(const std::string& controller) {
    BERTH_TRY(TcpAddress address, parse_tcp_address(controller));
    if (address.port > 65535 - kApiPortAfter)
        return Error{ErrorCode::invalid_argument, "there is no port 3 behind " + controller};
    address.port = static_cast<std::uint16_t>(address.port + kApiPortAfter);
    return to_string(address);
}

Result<std::string> join(const JoinOptions& options) {
    BERTH_TRY(const JoinToken token, parse_join_token(trim(options.token)));
    std::string where = options.api;
    if (where.empty()) {
        BERTH_TRY(where, api_behind(options.controller));
    }
    BERTH_TRY(std::string key, make_key());
    BERTH_TRY(const std::string request, make_request(key, options.node));
    Endpoint endpoint = remote_endpoint(where);
    endpoint.authority.clear();
    endpoint.token.clear();
    endpoint.fingerprint = token.fingerprint;
    Client client(endpoint);
    const auto reply = client.join({token.secret, options.node, request});
    if (!reply) {
        const api::Problem& problem = reply.problem();
        return Error{ErrorCode::unavailable,
                     problem.detail.empty() ? problem.title : problem.detail};
    }
    BERTH_CHECK(check(*reply, token, options.node));
    std::error_code ignored;  // Existing folders belong to the agent's user.
    if (!std::filesystem::exists(options.state, ignored))
        BERTH_CHECK(make_owned_folder(options.state, 0755));
    const Believed believed = take_apart(reply->authority);
    BERTH_CHECK(
        write_as_owner(options.state, {believed.authority, reply->certificate, std::move(key)}));
    BERTH_CHECK(tell_commands(options, where, believed));
    return "node " + options.node + " of cluster " + reply->cluster +
           " has its certificate; start "
           "the agent with --controller " +
           options.controller;
}

}  // namespace berth
