#include "berth/sim/light_nodes.h"

#include <algorithm>
#include <utility>

namespace berth::sim {
namespace {

constexpr std::int32_t kTerm = 15;
std::string boot_id(std::uint64_t boots) { return "boot-" + std::to_string(boots); }

}  // namespace

LightNodes::LightNodes(const ClusterSpec& cluster, Duration latency, ScriptOf script_of,
                       CutShort cut_short)
    : cluster_(cluster),
      latency_(latency),
      script_of_(std::move(script_of)),
      cut_short_(std::move(cut_short)),
      nodes_(cluster.nodes.size()) {}

// Each boot of a node has its own link.
Link LightNodes::link_of(NodeId node) const {
    return Link{node.value() + std::uint64_t{1} +
                cluster_.nodes.size() * (nodes_[node.index()].boots - 1)};
}

AgentInput LightNodes::report(NodeId node, ReportBody body) const {
    const std::uint64_t boots = nodes_[node.index()].boots;
    return {link_of(node), cluster_.node(node).name,
            Report{boot_id(boots), boots, std::move(body)}};
}

AgentInput LightNodes::registration(NodeId node, Time now) const {
    Registration all;
    all.node = cluster_.node(node).name;
    all.boot_id = boot_id(nodes_[node.index()].boots);
    all.session = nodes_[node.index()].boots;
    all.instance = all.boot_id;
    all.agent_started_at = now;
    all.found = cluster_.node(node);
    return report(node, std::move(all));
}

std::vector<Input> LightNodes::registrations(Time now) const {
    std::vector<Input> inputs;
    for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
        if (!cluster_.nodes[i].gone) inputs.emplace_back(registration(NodeId::from_index(i), now));
    }
    return inputs;
}

Input LightNodes::lose(NodeId node, Time now) {
    BERTH_ASSERT(is_up(node));
    nodes_[node.index()].up = false;
    for (std::size_t job = 0; job < live_.size(); ++job) {
        std::erase_if(live_[job], [&](const Live& one) {
            if (one.node != node) return false;
            cut_short_(JobId(static_cast<std::uint32_t>(job)), one.attempt,
                       one.frozen_at.value_or(now) - one.stood);
            return true;
        });
    }
    return LinkLost{link_of(node)};
}

Input LightNodes::bring_back(NodeId node, Time now) {
    BERTH_ASSERT(!is_up(node));
    nodes_[node.index()].up = true;
    ++nodes_[node.index()].boots;
    return registration(node, now);
}

LightNodes::Live* LightNodes::find(JobId job, Attempt attempt, NodeId node) {
    if (job.index() >= live_.size()) return nullptr;
    const auto found = std::ranges::find_if(live_[job.index()], [&](const Live& one) {
        return one.attempt == attempt && one.node == node;
    });
    return found == live_[job.index()].end() ? nullptr : &*found;
}

void LightNodes::take(Time now, const OutgoingOrder& order) {
    if (!is_up(order.node)) return;
    if (const auto* one = std::get_if<LaunchAttempt>(&order.order.body)) {
        launch(now, order.node, *one);
    } else if (const auto* other = std::get_if<EndAttempt>(&order.order.body)) {
        end(now, order.node, *other);
    } else if (const auto* change = std::get_if<FreezeAttempt>(&order.order.body)) {
        freeze(now, order.node, *change);
    }
}

void LightNodes::launch(Time now, NodeId node, const LaunchAttempt& launch) {
    if (find(launch.job, launch.attempt, node) != nullptr) return;  // A repeated order.
    if (live_.size() <= launch.job.index()) live_.resize(launch.job.index() + 1);
    live_[launch.job.index()].push_back({launch.attempt, node, launch.batch_host});
    const Time up = now + latency_;
    due_.put(up, {Due::What::started, node, launch.job, launch.attempt, {}});
    if (!launch.batch_host) return;
    const Script script = script_of_(launch);
    Live& live = live_[launch.job.index()].back();
    live.over_at = up + script.length + latency_;
    live.exit = {.code = script.exit_code};
    due_.put(live.over_at, {Due::What::over, node, launch.job, launch.attempt, live.exit});
}

// A frozen script goes on for as long as it had left.
void LightNodes::freeze(Time now, NodeId node, const FreezeAttempt& order) {
    Live* const live = find(order.job, order.attempt, node);
    if (live == nullptr || live->ending || order.change < live->change) return;
    live->change = order.change;
    if (order.frozen && !live->frozen_at) {
        live->frozen_at = now;
        ++live->clock;
    } else if (!order.frozen && live->frozen_at) {
        const Duration stood = now - *std::exchange(live->frozen_at, std::nullopt);
        live->stood += stood;
        live->over_at += stood;
        if (live->batch_host) {
            due_.put(live->over_at,
                     {Due::What::over, node, order.job, order.attempt, live->exit, live->clock});
        }
    }
    due_.put(now + latency_, {Due::What::frozen, node, order.job, order.attempt, {}, order.change});
}

// Every script here ends on SIGTERM.
void LightNodes::end(Time now, NodeId node, const EndAttempt& order) {
    Live* const live = find(order.job, order.attempt, node);
    if (live != nullptr && live->ending) return;
    if (live != nullptr) {
        live->ending = true;
        cut_short_(order.job, order.attempt, live->frozen_at.value_or(now) - live->stood);
    }
    due_.put(now + 2 * latency_,
             {Due::What::clean, node, order.job, order.attempt, {.signal = kTerm}});
}

void LightNodes::collect(Time now, std::vector<Input>& inputs) {
    while (due_.next() && *due_.next() <= now) {
        const Due due = due_.take();
        if (!is_up(due.node)) continue;
        Live* const live = find(due.job, due.attempt, due.node);
        if (due.what == Due::What::started) {
            if (live == nullptr) continue;
            inputs.emplace_back(report(due.node, AttemptStarted{due.job, due.attempt}));
            continue;
        }
        if (due.what == Due::What::frozen) {
            if (live == nullptr || live->ending || live->change != due.number) continue;
            inputs.emplace_back(
                report(due.node, AttemptFrozen{due.job, due.attempt, due.number, true}));
            continue;
        }
        // It was frozen before that.
        if (due.what == Due::What::over && live != nullptr && live->clock != due.number) continue;
        AttemptReport ended{.job = due.job, .attempt = due.attempt, .live = false};
        if (live == nullptr) {
            if (due.what == Due::What::over) continue;  // It was ended before.
            ended.never_ran = true;
        } else {
            if (live->batch_host) ended.batch_exit = due.exit;
            auto& lives = live_[due.job.index()];
            lives.erase(lives.begin() + (live - lives.data()));
        }
        inputs.emplace_back(report(due.node, std::move(ended)));
    }
}

}  // namespace berth::sim
