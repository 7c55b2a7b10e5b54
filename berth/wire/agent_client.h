// AgentClient: the agent's end of its link to the controller. It connects, and reconnects.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "berth/agent/ports.h"
#include "berth/base/log.h"
#include "berth/wire/link_address.h"

namespace berth {

struct AgentClientSettings {
    std::string address;  // "unix:/path", or "host:port" of a controller on another host.
    // For TCP. Called before each connection, since certificates are renewed.
    std::function<Result<LinkCertificates>()> certificates;
    std::string node;  // The node's name.
    std::string version;
    // Ids of the controller keys that a launcher here trusts. Called at each connection.
    std::function<std::vector<std::string>()> launch_keys = nullptr;
    // Doubles with each failure, up to longest_wait.
    Duration first_wait = std::chrono::milliseconds(100);
    Duration longest_wait = std::chrono::seconds(5);
    std::size_t queued_reports_max = 100'000;
    Duration ping_every = std::chrono::seconds(20);
    Duration ping_timeout = std::chrono::seconds(20);
    Duration connect_timeout = std::chrono::seconds(10);
};

// Gets a new certificate for the node that the present one names. Uses a connection of its own.
Result<std::string> renew_certificate(const TcpAddress& controller, const LinkCertificates& own,
                                      const std::string& request);

class AgentClient final : public Uplink {
public:
    // Receives LinkUp, LinkDown and OrderCame. Called from several threads, but in order for each
    // link.
    using Push = std::function<void(AgentEvent)>;

    // An unusable address is an error; a controller that does not listen yet is none.
    static Result<std::unique_ptr<AgentClient>> start(AgentClientSettings settings, LogSink& log,
                                                      Push push);
    ~AgentClient() override;

    void send(OutgoingReport report) override;  // Dropped if the link is gone.
    void close(std::uint64_t link) override;

private:
    struct Parts;
    explicit AgentClient(std::shared_ptr<Parts> parts);
    std::shared_ptr<Parts> parts_;
};

}  // namespace berth
