// RemoteNode: the agent's Node when a launcher that runs as root does what the agent has no
// permission for.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/launcher/protocol.h"

namespace berth {

class RemoteNode final : public Node {
public:
    // Refuses a launcher that runs neither as root nor as our own user, or that serves another
    // node.
    static Result<std::unique_ptr<RemoteNode>> connect(const std::string& path,
                                                       const std::string& node);
    ~RemoteNode() override;

    const std::vector<RunKey>& alive() const { return greeting_.alive; }
    const std::vector<std::string>& not_isolated() const { return greeting_.not_isolated; }
    // Ids of the controller keys that the launcher trusts now. May be called from any thread.
    std::vector<std::string> launch_keys() const;

    void act(HostAction action) override;

    int fd() const { return socket_; }
    std::vector<AgentEvent> take_events();  // Does not block.

    // Why no more events come. The agent then exits; its successor finds the live runs.
    const std::optional<Error>& lost() const { return lost_; }

private:
    explicit RemoteNode(int socket) : socket_(socket) {}
    Status greet(const std::string& node);
    void lose(const std::string& why);

    int socket_;
    Frames frames_;
    Greeting greeting_;
    mutable std::mutex mutex_;
    std::vector<std::string> keys_;
    std::optional<Error> lost_;
};

}  // namespace berth
