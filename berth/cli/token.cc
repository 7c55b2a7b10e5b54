// berth token and berth cert: what lets machines join the cluster, and keeps them out again.
#include <algorithm>
#include <ostream>

#include "berth/api/json.h"
#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/cli/output.h"
#include "berth/cli/subcommands.h"
#include "berth/client/client.h"

namespace berth::cli {
namespace {

// "90", "90s", "30m", "12h"
Result<Duration> parse_lifetime(const std::string& text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string unit = text.substr(digits);
    const auto number = parse_int64(std::string_view(text).substr(0, digits));
    const std::int64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : 3600;
    if (!number.ok() || *number < 1 || *number > 86'400 || (factor == 3600 && unit != "h")) {
        return Error{ErrorCode::invalid_argument,
                     "'" + text + "' should be a lifetime, like 90s, 30m or 12h"};
    }
    return Duration(std::chrono::seconds(*number * factor));
}

}  // namespace

int token_create(const TokenOptions& options, Output& output) {
    const auto nodes = expand_hostlist(options.nodes);
    if (!nodes.ok()) return output.fail(nodes.error().message);
    const auto lifetime = parse_lifetime(options.lifetime);
    if (!lifetime.ok()) return output.fail(lifetime.error().message);
    Client client;
    const auto made = client.create_join_token({.nodes = *nodes, .lifetime = *lifetime});
    if (!made) return output.fail(made.problem());
    output.out() << (options.json ? api::to_json(*made) : made->token) << '\n';
    return 0;
}

int cert_revoke(const std::string& nodes, Output& output) {
    const auto names = expand_hostlist(nodes);
    if (!names.ok()) return output.fail(names.error().message);
    if (names->empty()) return output.fail("name the nodes, like gpu[1-3]");
    Client client;
    for (const std::string& node : *names) {
        const auto done = client.revoke_certificates(node);
        if (!done) return output.fail(done.problem());
        output.out() << "the certificates of node " << node
                     << " are revoked; to let it join again: berth token create --node " << node
                     << '\n';
    }
    return 0;
}

}  // namespace berth::cli
