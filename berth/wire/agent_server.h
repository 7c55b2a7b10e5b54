// AgentServer: the controller's end of the links to its agents.
//
// On this machine agents come over a Unix socket, and the kernel says who they are: only root, the
// user that the controller runs as, or one that the site names, may be one, and that one only the
// agent of this host's own node. Those of other hosts
// come over TCP with mutual TLS 1.3, and each is the node that its certificate names, whatever it
// says of itself. There is no TCP without it. Whoever breaks the protocol or does not read what it
// is sent loses its link, and starts over with a new registration: nothing is lost by that, since
// orders are given until they are done.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/log.h"
#include "berth/control/core/ports.h"
#include "berth/wire/link_address.h"

namespace berth {

// For agents of other hosts.
struct TlsListening {
    TcpAddress at;
    LinkCertificates own;
    // A certificate for this node, which has proved that it is it. None: they are not renewed here.
    std::function<Result<std::string>(const std::string& request, const std::string& node)> renew;
    // Why this certificate is not believed, though the authority has signed it; empty: it is. None:
    // all are. It may change its mind: see cut_node().
    std::function<std::string(const std::string& certificate)> objection_to;
};

struct AgentServerSettings {
    std::string address;  // "unix:/path".
    std::optional<TlsListening> tls;
    // The last to touch an order to this node: says that it is ours, by one of the keys that the
    // node knows. None: nodes believe the link.
    std::function<void(const std::string& node, const std::vector<std::string>& known_keys,
                       Order& order)>
        sign;
    // A user that agents of this host may be besides root and our own, and which nodes they may be.
    std::optional<std::uint32_t> agent_uid;
    std::function<bool(const std::string& node)> is_of_this_host;  // None: no node.
    std::size_t links_max = 20'000;
    std::size_t queued_orders_max = 20'000;    // Of one link …
    std::size_t queued_bytes_max = 256 << 20;  // … and their size.
    Duration ping_every = std::chrono::seconds(20);
    Duration ping_timeout = std::chrono::seconds(20);  // Then the peer is dead, and its link lost.
    Duration handshake_timeout = std::chrono::seconds(5);  // Of TLS.
};

class AgentServer final : public Agents {
public:
    // Takes AgentInput and LinkLost. Called from several threads; may make its caller wait.
    using Push = std::function<void(Input)>;
    // What a launch is to have besides: script and environment, of the batch host. Called on a
    // thread of this server's, one at a time.
    using LoadPayload = std::function<Result<JobPayload>(const LaunchAttempt&)>;

    static Result<std::unique_ptr<AgentServer>> start(AgentServerSettings settings, LogSink& log,
                                                      Push push, LoadPayload load_payload);
    ~AgentServer() override;  // Cuts all links.

    // Both return before it is done; what was sent before a close goes before it.
    void send(OutgoingOrder order) override;
    void close(Link link) override;

    // The links over TLS of this node, whose certificate has come to be objected to.
    void cut_node(const std::string& node);

    std::size_t links() const;

    struct Parts;  // Of agent_server.cc.

private:
    explicit AgentServer(std::shared_ptr<Parts> parts);
    std::shared_ptr<Parts> parts_;
};

}  // namespace berth
