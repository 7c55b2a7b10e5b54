// Connection: the one link to the controller. Nothing goes over it before the registration is
// welcomed; after that heartbeats, and the spool again and again until it is acknowledged.
#pragma once

#include "berth/agent/agent_turn.h"
#include "berth/agent/memory.h"

namespace berth {

class Connection {
public:
    // A link has come up: the whole inventory goes out first. One that was up before is superseded.
    void up(std::uint64_t link, Registration inventory, Time now, AgentTurn& turn);
    void down(std::uint64_t link);
    // The inventory goes out over the same link once more, as of a new session.
    void register_anew(Registration inventory, Time now, AgentTurn& turn) {
        up(*link_, std::move(inventory), now, turn);
    }
    // False: it has come before.
    bool welcome(const Welcome& order, Time now);

    bool is(std::uint64_t link) const { return link_ == link; }
    bool is_welcome() const { return link_ && welcomed_; }
    std::uint64_t session() const { return session_; }

    // Sends what the turn's effects report, or keeps it for the welcome. Without a link it is
    // dropped: the next registration says it all.
    void report(std::vector<ReportBody> reports, Time now, AgentTurn& turn);
    // Goes out with the next heartbeat.
    void keep(std::vector<GpuReading> readings) { readings_ = std::move(readings); }
    // What is due by now: a heartbeat, the spool once more, or giving the link up.
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
    std::vector<ReportBody> waiting_;  // For the welcome.
    std::vector<GpuReading> readings_;
};

}  // namespace berth
