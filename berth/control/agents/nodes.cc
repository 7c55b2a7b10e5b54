#include "berth/control/agents/nodes.h"

namespace berth {

Nodes::Nodes(const ClusterState& state) : sessions_(state.spec().nodes.size()) {
    install(state.spec());
}

void Nodes::install(const ClusterSpec& spec) {
    sessions_.resize(spec.nodes.size());
    by_name_.clear();
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        by_name_.emplace(spec.nodes[i].name, NodeId::from_index(i));
    }
}

void Nodes::reinstall(Ledger& ledger, const ClusterSpec& before) {
    const ClusterSpec& spec = ledger.state().spec();
    install(spec);
    // What agents are told when they register.
    const bool told_otherwise = before.scheduling.heartbeat != spec.scheduling.heartbeat ||
                                before.scheduling.agent_timeout != spec.scheduling.agent_timeout ||
                                before.care != spec.care || before.dimensions != spec.dimensions;
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
        const NodeId node = NodeId::from_index(i);
        const std::optional<Link> link = sessions_.of(node).link;
        if (link && (told_otherwise || before.nodes[i] != spec.nodes[i])) ledger.close(*link);
        // A shorter patience counts from here on: who was right until now is not late.
        if (link || ledger.state().condition(node).responding)
            sessions_.of(node).heard_at = ledger.now();
        sessions_.mark(node);
    }
}

void Nodes::lose(Ledger& ledger, Link link) {
    const std::optional<NodeId> node = sessions_.node_on(link);
    if (!node) return;
    ledger.log(LogLevel::info, "node " + ledger.state().spec().node(*node).name +
                                   ": the link to its agent is lost");
    sessions_.close(*node);
    sessions_.mark(*node);  // The clock of its silence runs on from when it was last heard.
}

std::optional<Time> Nodes::silence_due(const ClusterState& state, NodeId node) const {
    const NodeSession& session = sessions_.of(node);
    if (!session.link && !state.condition(node).responding) return std::nullopt;
    return session.heard_at + state.spec().scheduling.agent_timeout;
}

// A silent link is closed, so that there is one way back: a registration with the whole inventory.
void Nodes::note_silence(Ledger& ledger) {
    for (const NodeId node : sessions_.take_due(ledger.now())) {
        sessions_.mark(node);
        const std::optional<Time> due = silence_due(ledger.state(), node);
        if (!due || *due > ledger.now()) {
            settle_silent(ledger, node);
            care_for(ledger, node);
            continue;
        }
        ledger.log(LogLevel::warning,
                   "node " + ledger.state().spec().node(node).name +
                       " is not responding: nothing heard for " +
                       std::to_string(seconds(ledger.now() - sessions_.of(node).heard_at)) +
                       " seconds");
        if (ledger.state().condition(node).responding) ledger.record(NodeSilent{node});
        if (const std::optional<Link> link = sessions_.of(node).link) ledger.close(*link);
        sessions_.close(node);
        sessions_.of(node).silent_at = ledger.now();
        keep_down(ledger, node);
    }
}

void Nodes::end_at_once(const Job& job) {
    for (const NodeShare& share : job.allocation->shares) {
        RunProgress& run = sessions_.of(share.node).run({job.id, job.attempt});
        run.at_once = true;
        run.delivery = {};
        sessions_.mark(share.node);
    }
}

void Nodes::start_step(const Job& job, const Step& step, LaunchStep common) {
    const auto launch = std::make_shared<const LaunchStep>(std::move(common));
    for (const StepShare& share : step.shares) {
        RunProgress& run = sessions_.of(share.node).run({job.id, job.attempt});
        StepProgress& progress = run.steps[step.id];
        progress.launch = launch;
        progress.srun = {launch->io_address, launch->io_token};
        sessions_.mark(share.node);
    }
}

std::optional<SrunPlace> Nodes::srun_of(const Job& job, const Step& step) const {
    for (const StepShare& share : step.shares) {
        const auto& runs = sessions_.of(share.node).runs;
        const auto run = runs.find(job.id);
        if (run == runs.end() || run->second.attempt != job.attempt) continue;
        const auto found = run->second.steps.find(step.id);
        if (found == run->second.steps.end() || found->second.srun.token.empty()) continue;
        return found->second.srun;
    }
    return std::nullopt;
}

void Nodes::end_step(const Job& job, const Step& step) {
    for (const StepShare& share : step.shares) {
        StepProgress& progress = sessions_.of(share.node).run({job.id, job.attempt}).steps[step.id];
        progress.ending = true;
        progress.delivery = {};
        sessions_.mark(share.node);
    }
}

void Nodes::signal(Ledger& ledger, const Job& job, std::span<const NodeId> nodes,
                   const SignalAttempt& order) {
    BERTH_ASSERT(order.job == job.id && order.attempt == job.attempt);
    for (const NodeId node : nodes) give(ledger, node, order);
}

void Nodes::notify(Ledger& ledger, const Job& job, const std::string& text) {
    give(ledger, job.nodes.front(), NotifyAttempt{job.id, job.attempt, text});
}

// What changed of a job that holds nodes concerns them only where it is another run, or its end.
void Nodes::mark_changed(const ClusterState& state, const ClusterState::Touched& touched) {
    for (const JobId id : touched.gone) seen_.erase(id);
    for (const JobId id : touched.jobs) {
        const Job* const job = state.find_job(id);
        if (job == nullptr || !job->allocation) {
            seen_.erase(id);
            continue;
        }
        const Seen is{job->attempt, job->state, job->suspension ? job->suspension->changes : 0,
                      job->is_configuring()};
        const auto [was, is_new] = seen_.emplace(id, is);
        if (!is_new && was->second == is) continue;
        was->second = is;
        for (const NodeShare& share : job->allocation->shares) sessions_.mark(share.node);
    }
}

}  // namespace berth
