// RemoteNode: the agent's Node where a launcher of root's does what the agent may not.
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
    // Refuses one that is neither root nor we ourselves, or is for another node.
    static Result<std::unique_ptr<RemoteNode>> connect(const std::string& path,
                                                       const std::string& node);
    ~RemoteNode() override;

    const std::vector<RunKey>& alive() const { return greeting_.alive; }
    const std::vector<std::string>& not_isolated() const { return greeting_.not_isolated; }
    // From any thread: ids of those by which the launcher knows the controller now.
    std::vector<std::string> launch_keys() const;

    void act(HostAction action) override;

    int fd() const { return socket_; }
    std::vector<AgentEvent> take_events();  // Never blocks.

    // Why nothing more will come. The agent ends then: another one finds what runs by itself.
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
