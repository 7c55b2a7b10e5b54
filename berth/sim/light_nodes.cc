#include "berth/sim/light_nodes.h"

#include <algorithm>

namespace berth::sim {
namespace {

constexpr std::int32_t kTerm = 15;
constexpr const char* kBoot = "boot-1";

Link link_of(NodeId node) { return Link{node.value() + std::uint64_t{1}}; }

}  // namespace

LightNodes::LightNodes(const ClusterSpec& cluster, Duration latency, ScriptOf script_of)
    : cluster_(cluster), latency_(latency), script_of_(std::move(script_of)) {}

AgentInput LightNodes::report(NodeId node, ReportBody body) const {
    return {link_of(node), cluster_.node(node).name, Report{kBoot, 1, std::move(body)}};
}

std::vector<Input> LightNodes::registrations(Time now) const {
    std::vector<Input> inputs;
    for (std::size_t i = 0; i < cluster_.nodes.size(); ++i) {
        if (cluster_.nodes[i].gone) continue;
        Registration all;
        all.node = cluster_.nodes[i].name;
        all.boot_id = kBoot;
        all.session = 1;
        all.instance = "simulated";
        all.agent_started_at = now;
        all.found = cluster_.nodes[i];
        inputs.emplace_back(report(NodeId::from_index(i), std::move(all)));
    }
    return inputs;
}

LightNodes::Live* LightNodes::find(JobId job, Attempt attempt, NodeId node) {
    if (job.index() >= live_.size()) return nullptr;
    const auto found = std::ranges::find_if(live_[job.index()], [&](const Live& one) {
        return one.attempt == attempt && one.node == node;
    });
    return found == live_[job.index()].end() ? nullptr : &*found;
}

void LightNodes::take(Time now, const OutgoingOrder& order) {
    if (const auto* one = std::get_if<LaunchAttempt>(&order.order.body)) {
        launch(now, order.node, *one);
    } else if (const auto* other = std::get_if<EndAttempt>(&order.order.body)) {
        end(now, order.node, *other);
    }
}

void LightNodes::launch(Time now, NodeId node, const LaunchAttempt& launch) {
    if (find(launch.job, launch.attempt, node) != nullptr) return;  // Said twice.
    if (live_.size() <= launch.job.index()) live_.resize(launch.job.index() + 1);
    live_[launch.job.index()].push_back({launch.attempt, node, launch.batch_host});
    const Time up = now + latency_;
    due_.put(up, {Due::What::started, node, launch.job, launch.attempt, {}});
    if (!launch.batch_host) return;
    const Script script = script_of_(launch);
    due_.put(up + script.length + latency_,
             {Due::What::over, node, launch.job, launch.attempt, {.code = script.exit_code}});
}

// All that runs here takes TERM for an answer.
void LightNodes::end(Time now, NodeId node, const EndAttempt& order) {
    Live* const live = find(order.job, order.attempt, node);
    if (live != nullptr && live->ending) return;
    if (live != nullptr) live->ending = true;
    due_.put(now + 2 * latency_,
             {Due::What::clean, node, order.job, order.attempt, {.signal = kTerm}});
}

void LightNodes::collect(Time now, std::vector<Input>& inputs) {
    while (due_.next() && *due_.next() <= now) {
        const Due due = due_.take();
        if (due.what == Due::What::started) {
            if (find(due.job, due.attempt, due.node) == nullptr) continue;
            inputs.emplace_back(report(due.node, AttemptStarted{due.job, due.attempt}));
            continue;
        }
        AttemptReport ended{.job = due.job, .attempt = due.attempt, .live = false};
        Live* const live = find(due.job, due.attempt, due.node);
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
