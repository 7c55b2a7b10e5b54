// AgentClient: the agent's end of its link to the controller. It connects, and connects again.
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
    // For the latter. Asked before each connection, since certificates are renewed.
    std::function<Result<LinkCertificates>()> certificates;
    std::string node;  // Its name.
    std::string version;
    // Ids of the keys by which a launcher here knows the controller, asked at each connection.
    std::function<std::vector<std::string>()> launch_keys = nullptr;
    Duration first_wait = std::chrono::milliseconds(100);  // Doubles with each failure …
    Duration longest_wait = std::chrono::seconds(5);       // … up to this.
    std::size_t queued_reports_max = 100'000;
    Duration ping_every = std::chrono::seconds(20);
    Duration ping_timeout = std::chrono::seconds(20);
    Duration connect_timeout = std::chrono::seconds(10);
};

// A further certificate for the node that the present one names. Takes a connection of its own.
Result<std::string> renew_certificate(const TcpAddress& controller, const LinkCertificates& own,
                                      const std::string& request);

class AgentClient final : public Uplink {
public:
    // Takes LinkUp, LinkDown and OrderCame. Called from several threads, but for one link in order.
    using Push = std::function<void(AgentEvent)>;

    // Refuses an address that it cannot use; that nobody listens there yet is no error.
    static Result<std::unique_ptr<AgentClient>> start(AgentClientSettings settings, LogSink& log,
                                                      Push push);
    ~AgentClient() override;

    void send(OutgoingReport report) override;  // Of a link that is gone: forgotten.
    void close(std::uint64_t link) override;

private:
    struct Parts;
    explicit AgentClient(std::shared_ptr<Parts> parts);
    std::shared_ptr<Parts> parts_;
};

}  // namespace berth
