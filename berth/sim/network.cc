#include "berth/sim/network.h"

#include "berth/base/assert.h"

namespace berth::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kOldMessagesMax = 48;
constexpr Duration kLatest = minutes(10);

template <class Message>
void keep(std::deque<Message>& old, const Message& message) {
    old.push_back(message);
    if (old.size() > kOldMessagesMax) old.pop_front();
}

}  // namespace

Network::Network(Stage& stage, std::size_t nodes, const FaultMix& mix, Rng rng)
    : stage_(stage), mix_(mix), rng_(rng), ways_(nodes) {}

std::optional<std::uint64_t> Network::dial(NodeId node) {
    Way& way = ways_[node.index()];
    if (way.to_agent_closed_until > stage_.now() || way.to_controller_closed_until > stage_.now()) {
        return std::nullopt;
    }
    const std::uint64_t link = next_link_++;
    links_[link] = Ties{.node = node};
    way.link = link;
    return link;
}

std::vector<Duration> Network::fate(std::uint64_t link, Time closed_until) {
    const NodeId node = links_.at(link).node;
    if (closed_until > stage_.now()) {
        stage_.count(Fault::message_lost);
        breaks(link, seconds(100));
        return {};
    }
    if (rng_.between(1, 10'000) <= mix_.lost) {
        stage_.count(Fault::message_lost);
        breaks(link, seconds(60));
        return {};
    }
    const auto travel = [&]() -> Duration {
        if (rng_.between(1, 10'000) > mix_.late) return Duration(rng_.between(1, 40));
        stage_.count(Fault::message_late);
        const Duration late(rng_.between(1000, Duration(kLatest).count()));
        disturb(node, late);
        return late;
    };
    std::vector<Duration> arrivals = {travel()};
    if (rng_.between(1, 10'000) <= mix_.repeated) {
        stage_.count(Fault::message_repeated);
        const Duration again = some(seconds(20));
        arrivals.push_back(travel() + again);
    }
    return arrivals;
}

void Network::send_order(std::uint64_t link, const Order& order) {
    const auto ties = links_.find(link);
    if (ties == links_.end() || !ties->second.controller_open) return;
    Way& way = ways_[ties->second.node.index()];
    keep(way.old_orders, order);
    for (const Duration wait : fate(link, way.to_agent_closed_until)) {
        stage_.time.in(wait, [this, link, order] { deliver_order(link, order); });
    }
}

void Network::deliver_order(std::uint64_t link, const Order& order) {
    const auto ties = links_.find(link);
    if (ties == links_.end() || !ties->second.agent_open) return;
    ends_.agent_order(ties->second.node, link, order);
}

void Network::send_report(std::uint64_t link, const Report& report) {
    const auto ties = links_.find(link);
    if (ties == links_.end() || !ties->second.agent_open) return;
    Way& way = ways_[ties->second.node.index()];
    const bool once = std::holds_alternative<Registration>(report.body) ||
                      std::holds_alternative<Heartbeat>(report.body);
    if (!once) keep(way.old_reports, report);
    for (const Duration wait : fate(link, way.to_controller_closed_until)) {
        stage_.time.in(wait, [this, link, report] { deliver_report(link, report); });
    }
}

void Network::deliver_report(std::uint64_t link, const Report& report) {
    const auto ties = links_.find(link);
    if (ties == links_.end() || !ties->second.controller_open) return;
    ends_.controller_report(ties->second.node, link, report);
}

void Network::breaks(std::uint64_t link, Duration within) {
    disturb(links_.at(link).node);
    stage_.time.in(some(within), [this, link] {
        const auto ties = links_.find(link);
        if (ties == links_.end() || !ties->second.agent_open) return;
        ties->second.agent_open = false;
        disturb(ties->second.node);
        ends_.agent_link_down(ties->second.node, link);
    });
    stage_.time.in(some(within), [this, link] {
        const auto ties = links_.find(link);
        if (ties == links_.end() || !ties->second.controller_open) return;
        ties->second.controller_open = false;
        disturb(ties->second.node);
        ends_.controller_link_lost(link);
    });
}

void Network::close_at_agent(std::uint64_t link, Duration within) {
    const auto ties = links_.find(link);
    if (ties == links_.end()) return;
    ties->second.agent_open = false;
    breaks(link, within);
}

void Network::close_at_controller(std::uint64_t link, Duration within) {
    const auto ties = links_.find(link);
    if (ties == links_.end()) return;
    ties->second.controller_open = false;
    breaks(link, within);
}

void Network::controller_died() {
    for (auto& [link, ties] : links_) {
        if (!ties.controller_open) continue;
        ties.controller_open = false;
        if (ties.agent_open) breaks(link, seconds(30));
    }
    std::erase_if(links_, [](const auto& entry) { return !entry.second.agent_open; });
}

void Network::cut(NodeId node) {
    const Way& way = ways_[node.index()];
    if (!way.link || !links_.contains(*way.link)) return;
    stage_.count(Fault::link_cut);
    breaks(*way.link, seconds(rng_.chance(50) ? 1 : 60));
}

void Network::partition(NodeId node, bool to_agent, bool to_controller, Duration length) {
    Way& way = ways_[node.index()];
    const Time until = stage_.now() + length;
    if (to_agent) way.to_agent_closed_until = std::max(way.to_agent_closed_until, until);
    if (to_controller) {
        way.to_controller_closed_until = std::max(way.to_controller_closed_until, until);
    }
    way.disturbed_at = std::max(way.disturbed_at, until);
}

void Network::replay_order(NodeId node, bool only_launches, Duration within) {
    Way& way = ways_[node.index()];
    std::vector<Order> choices;
    for (const Order& order : way.old_orders) {
        if (!only_launches || std::holds_alternative<LaunchAttempt>(order.body)) {
            choices.push_back(order);
        }
    }
    if (choices.empty()) return;
    const Duration wait = some(within);
    stage_.time.in(wait, [this, node, order = rng_.pick(choices)] {
        const Way& now = ways_[node.index()];
        if (!now.link || !links_.contains(*now.link)) return;
        stage_.count(Fault::old_order);
        deliver_order(*now.link, order);
    });
}

void Network::replay_report(NodeId node, Duration within) {
    Way& way = ways_[node.index()];
    if (way.old_reports.empty()) return;
    const auto at = static_cast<std::size_t>(
        rng_.between(0, static_cast<std::int64_t>(way.old_reports.size()) - 1));
    stage_.time.in(some(within), [this, node, report = way.old_reports[at]] {
        const Way& now = ways_[node.index()];
        if (!now.link || !links_.contains(*now.link)) return;
        stage_.count(Fault::old_report);
        deliver_report(*now.link, report);
    });
}

void Network::calm() {
    mix_ = FaultMix{};
    for (Way& way : ways_) way.to_agent_closed_until = way.to_controller_closed_until = Time{};
}

}  // namespace berth::sim
