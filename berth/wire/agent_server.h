// AgentServer: the controller's end of the links to its agents.
//
// Agents come over a Unix socket, and the kernel says who they are: only root, or the user that the
// controller runs as, may be one. TCP comes with mutual TLS, in a later version; until then it is
// refused. Whoever breaks the protocol or does not read what it is sent loses its link, and starts
// over with a new registration: nothing is lost by that, since orders are given until they are
// done.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "berth/base/log.h"
#include "berth/control/ports.h"

namespace berth {

struct AgentServerSettings {
    std::string address;  // "unix:/path".
    std::size_t links_max = 20'000;
    std::size_t queued_orders_max = 20'000;    // Of one link …
    std::size_t queued_bytes_max = 256 << 20;  // … and their size.
    Duration ping_every = std::chrono::seconds(20);
    Duration ping_timeout = std::chrono::seconds(20);  // Then the peer is dead, and its link lost.
};

class AgentServer final : public Agents {
public:
    // Takes AgentInput and LinkLost. Called from several threads; may make its caller wait.
    using Push = std::function<void(Input)>;
    // The script and environment of a launch. Called on a thread of this server's, one at a time.
    using LoadPayload = std::function<Result<JobPayload>(const LaunchAttempt&)>;

    static Result<std::unique_ptr<AgentServer>> start(AgentServerSettings settings, LogSink& log,
                                                      Push push, LoadPayload load_payload);
    ~AgentServer() override;  // Cuts all links.

    // Both return before it is done; what was sent before a close goes before it.
    void send(OutgoingOrder order) override;
    void close(Link link) override;

    std::size_t links() const;

    struct Parts;  // Of agent_server.cc.

private:
    explicit AgentServer(std::shared_ptr<Parts> parts);
    std::shared_ptr<Parts> parts_;
};

}  // namespace berth
