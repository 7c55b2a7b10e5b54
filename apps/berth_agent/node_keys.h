// NodeKeys: key and certificate that prove this node's identity to the controller. They lie in
// STATE/tls; each new certificate comes with a new key.
#pragma once

#include <string>

#include "apps/berth_agent/node_options.h"
#include "berth/base/log.h"
#include "berth/base/time.h"
#include "berth/wire/agent_client.h"

namespace berth {

class NodeKeys {
public:
    explicit NodeKeys(std::string state) : folder_(state + "/tls"), open_(std::move(state)) {}

    // not_found: this node has not joined. Key and certificate are in one file, so that they always
    // match.
    Result<LinkCertificates> read() const;
    Status write(const LinkCertificates& keys) const;
    // The authority's certificate alone, for commands of every user on this node.
    std::string authority_path() const { return berth::authority_path(open_); }

    // Gets a new certificate when less than a third of the present one's lifetime is left.
    Status renew_if_due(const TcpAddress& controller, Time now, LogSink& log) const;

private:
    std::string folder_, open_;
};

}  // namespace berth
