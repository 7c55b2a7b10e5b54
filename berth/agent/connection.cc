#include "berth/agent/connection.h"

#include <algorithm>

namespace berth {
namespace {

// Without a welcome by then, the registration or its answer was lost: the agent opens a new link.
constexpr Duration kWelcomeWait = std::chrono::seconds(30);
// Ends in the spool are sent again after this time without acknowledgement.
constexpr Duration kRepeatEnds = std::chrono::seconds(15);
constexpr Duration kHeartbeatMin = std::chrono::seconds(1);

}  // namespace

void Connection::up(std::uint64_t link, Registration inventory, Time now, AgentTurn& turn) {
    if (link_ && *link_ != link) turn.close = link_;
    link_ = link;
    boot_id_ = inventory.boot_id;
    session_ = inventory.session;
    welcomed_ = false;
    waiting_.clear();
    registered_at_ = repeated_at_ = now;
    send(std::move(inventory), now, turn);
}

void Connection::down(std::uint64_t link) {
    if (link_ != link) return;
    link_.reset();
    welcomed_ = false;
    waiting_.clear();
}

bool Connection::welcome(const Welcome& order, Time now) {
    if (!link_ || welcomed_) return false;
    welcomed_ = true;
    heartbeat_ = std::max(order.heartbeat, kHeartbeatMin);
    repeated_at_ = heartbeat_at_ = now;
    return true;
}

void Connection::send(ReportBody body, Time now, AgentTurn& turn) {
    sent_at_ = now;
    turn.reports.push_back({*link_, Report{boot_id_, session_, std::move(body)}});
}

void Connection::report(std::vector<ReportBody> reports, Time now, AgentTurn& turn) {
    if (!link_) return;
    std::ranges::move(reports, std::back_inserter(waiting_));
    if (!welcomed_) return;
    for (ReportBody& body : std::exchange(waiting_, {})) send(std::move(body), now, turn);
}

void Connection::keep_alive(const Memory& memory, Time now, AgentTurn& turn) {
    if (!link_) return;
    if (!welcomed_) {
        if (now < registered_at_ + kWelcomeWait) return;
        turn.close = link_;
        return down(*link_);
    }
    if (now >= repeated_at_ + kRepeatEnds) {
        repeated_at_ = now;
        for (const auto& [run, end] : memory.step_ends()) send(end, now, turn);
        for (const auto& [key, end] : memory.ends()) send(end, now, turn);
    }
    if (now >= heartbeat_due()) {
        heartbeat_at_ = now;
        send(Heartbeat{std::exchange(readings_, {})}, now, turn);
    }
}

// Other reports also show that the agent is alive, but do not carry readings.
Time Connection::heartbeat_due() const {
    return (readings_.empty() ? sent_at_ : heartbeat_at_) + heartbeat_;
}

std::optional<Time> Connection::next_due(const Memory& memory) const {
    if (!link_) return std::nullopt;
    if (!welcomed_) return registered_at_ + kWelcomeWait;
    const Time heartbeat = heartbeat_due();
    const bool spooled = !memory.ends().empty() || !memory.step_ends().empty();
    return spooled ? std::min(heartbeat, repeated_at_ + kRepeatEnds) : heartbeat;
}

}  // namespace berth
