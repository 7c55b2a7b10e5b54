// AgentServer: the controller's end of the links to its agents.
//
// - Local agents connect over a Unix socket, and the kernel authenticates them. Only three users
//   are accepted: root, the controller's own user, and one that the site names; that one only as
//   the agent of this host's own node.
// - Remote agents connect over TCP with mutual TLS 1.3. Each is the node that its certificate
//   names, whatever it claims. There is no TCP without TLS.
//
// An agent that violates the protocol or does not read its orders loses its link and registers
// again. Nothing is lost, since orders are repeated until they are carried out.
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

// For agents on other hosts.
struct TlsListening {
    TcpAddress at;
    LinkCertificates own;
    // Issues a certificate for a node that has authenticated itself. Null: no renewal here.
    std::function<Result<std::string>(const std::string& request, const std::string& node)> renew;
    // Why this certificate is not accepted although the authority signed it; empty: it is. Null:
    // all are accepted. The result may change later: see cut_node().
    std::function<std::string(const std::string& certificate)> objection_to;
};

struct AgentServerSettings {
    std::string address;  // "unix:/path".
    std::optional<TlsListening> tls;
    // Signs an order for this node just before it is sent, with one of the keys that the node
    // trusts. Null: orders are not signed, and nodes trust the link.
    std::function<void(const std::string& node, const std::vector<std::string>& known_keys,
                       Order& order)>
        sign;
    // A user besides root and our own that agents of this host may run as, and the nodes that this
    // user may serve.
    std::optional<std::uint32_t> agent_uid;
    std::function<bool(const std::string& node)> is_of_this_host;  // Null: no node.
    std::size_t links_max = 20'000;
    std::size_t queued_orders_max = 20'000;    // For each link.
    std::size_t queued_bytes_max = 256 << 20;  // The size of these orders.
    Duration ping_every = std::chrono::seconds(20);
    Duration ping_timeout = std::chrono::seconds(20);      // After that the link counts as lost.
    Duration handshake_timeout = std::chrono::seconds(5);  // For TLS.
};

class AgentServer final : public Agents {
public:
    // Receives AgentInput and LinkLost. Called from several threads; may block.
    using Push = std::function<void(Input)>;
    // Loads the payload of a launch, for the batch host: script and environment. Called on a thread
    // of the server, one call at a time.
    using LoadPayload = std::function<Result<JobPayload>(const LaunchAttempt&)>;

    static Result<std::unique_ptr<AgentServer>> start(AgentServerSettings settings, LogSink& log,
                                                      Push push, LoadPayload load_payload);
    ~AgentServer() override;  // Cuts all links.

    // Both return before the work is done. Orders sent before a close() leave before it.
    void send(OutgoingOrder order) override;
    void close(Link link) override;

    // Cuts the TLS links of this node, whose certificate is no longer accepted.
    void cut_node(const std::string& node);

    std::size_t links() const;

    struct Parts;  // Defined in agent_server.cc.

private:
    explicit AgentServer(std::shared_ptr<Parts> parts);
    std::shared_ptr<Parts> parts_;
};

}  // namespace berth
