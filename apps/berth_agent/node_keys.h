// NodeKeys: what proves to the controller which node this is. They lie in STATE/tls, and each new
// certificate comes with a new key.
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

    // not_found: this node has not joined. Key and certificate are one file, so that they fit.
    Result<LinkCertificates> read() const;
    Status write(const LinkCertificates& keys) const;
    // The authority alone, for the commands of everyone here.
    std::string authority_path() const { return berth::authority_path(open_); }

    // A new certificate when the present one has less than a third of its life left.
    Status renew_if_due(const TcpAddress& controller, Time now, LogSink& log) const;

private:
    std::string folder_, open_;
};

}  // namespace berth
