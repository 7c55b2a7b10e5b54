// Connection: the link to the controller. Until the controller welcomes the registration, nothing
// else is sent. Then follow heartbeats, and the spool, which is repeated until it is acknowledged.
#pragma once

#include "berth/agent/agent_turn.h"
#include "berth/agent/memory.h"

namespace berth {

class Connection {
public:
    // A link has come up: sends the whole inventory. Supersedes an earlier link.
    void up(std::uint64_t link, Registration inventory, Time now, AgentTurn& turn);
    void down(std::uint64_t link);
    // Sends the inventory again over the same link, as a new session. REQUIRES: a link is up.
    void register_anew(Registration inventory, Time now, AgentTurn& turn) {
        up(*link_, std::move(inventory), now, turn);
    }
    // Returns false for a repeated welcome.
    bool welcome(const Welcome& order, Time now);

    bool is(std::uint64_t link) const { return link_ == link; }
    bool is_welcome() const { return link_ && welcomed_; }
    std::uint64_t session() const { return session_; }

    // Sends the reports, or keeps them until the welcome. Without a link they are dropped: the next
    // registration contains their content.
    void report(std::vector<ReportBody> reports, Time now, AgentTurn& turn);
    // For the next heartbeat.
    void keep(std::vector<GpuReading> readings) { readings_ = std::move(readings); }
    // Does what is due: sends a heartbeat, sends the spool again, or gives the link up.
    void keep_alive(const Memory& memory, Time now, AgentTurn& turn);
    std::optional<Time> next_due(const Memory& memory) const;

private:
    void send(ReportBody body, Time now, AgentTurn& turn);
    Time heartbeat_due() const;

    std::optional<std::uint64_t> link_;
    std::string boot_id_;
    std::uint64_t session_ = 0;
    bool welcomed_ = false;
    Time registered_at_{}, sent_at_{}, repeated_at_{}, heartbeat_at_{};
    Duration heartbeat_ = std::chrono::seconds(30);
    std::vector<ReportBody> waiting_;  // Until the welcome.
    std::vector<GpuReading> readings_;
};

}  // namespace berth
