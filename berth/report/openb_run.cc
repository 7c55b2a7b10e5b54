#include "berth/report/openb_run.h"

#include <chrono>
#include <cmath>
#include <map>
#include <tuple>

#include "berth/policy/fragmentation.h"
#include "berth/policy/gpu_choice.h"
#include "berth/policy/view.h"

namespace berth::report {
namespace {

struct NodeState {
    Resources free;
    std::vector<GpuLeft> gpus;
    std::uint64_t counts = 0;   // As View::gpu_counts_on.
    std::uint32_t version = 1;  // Changes with every pod.
};

// There are nodes here and pods on them, no jobs and no time.
class TraceView : public View {
public:
    TraceView(ClusterSpec spec, std::vector<WorkShape> usual)
        : cluster_(std::move(spec)), usual_(std::move(usual)), totals_(totals_of(cluster_)) {
        for (const NodeSpec& node : cluster_.nodes) {
            NodeState state{node.capacity, {}};
            for (const Device& device : node.devices) state.gpus.push_back({device.dimension});
            nodes.push_back(std::move(state));
        }
    }
    Time now() const override { return {}; }
    const ClusterSpec& spec() const override { return cluster_; }
    const ClusterTotals& totals() const override { return totals_; }
    const TresCounts& total(PartitionId) const override { return no_counts_; }
    const Job* find_job(JobId) const override { return nullptr; }
    JobSize size(const Job&) const override { return {}; }
    TresCounts tres(const Job&) const override { return {}; }
    std::vector<const Job*> running() const override { return {}; }
    std::span<const Duration> services() const override { return {}; }
    AssociationStanding association(const Job&) const override { return {}; }
    std::span<const WorkShape> usual_work() const override { return usual_; }
    const Resources& free(NodeId node) const override { return nodes[node.index()].free; }
    std::uint64_t gpu_counts_on(NodeId node) const override { return nodes[node.index()].counts; }

    std::vector<NodeState> nodes;

private:
    ClusterSpec cluster_;
    std::vector<WorkShape> usual_;
    ClusterTotals totals_;
    TresCounts no_counts_;
};

auto pod_key(const OpenbWork& pod) {
    return std::tuple(pod.shape.cpu, pod.memory, pod.shape.gpus, pod.shape.milli, pod.shape.types);
}

std::vector<WorkShape> usual_pods(const std::vector<OpenbWork>& pods) {
    std::map<decltype(pod_key(OpenbWork{})), WorkShape> counted;
    for (const OpenbWork& pod : pods) {
        OpenbWork plain = pod;
        plain.memory = Bytes(0);
        const auto [at, is_new] = counted.try_emplace(pod_key(plain), pod.shape);
        at->second.count = is_new ? 1 : at->second.count + 1;
    }
    std::vector<WorkShape> shapes;
    shapes.reserve(counted.size());
    for (const auto& [key, shape] : counted) shapes.push_back(shape);
    return usual_of(std::move(shapes));
}

// The mean of what was allocated while the requests came to a percentage, rounded.
class MeanAt {
public:
    explicit MeanAt(int percent) : percent_(percent) {}
    void add(double asked, double allocated) {
        if (std::lround(asked) != percent_) return;
        sum_ += allocated;
        ++pods_;
    }
    double value() const { return pods_ == 0 ? 0 : sum_ / pods_; }

private:
    int percent_, pods_ = 0;
    double sum_ = 0;
};

// What was found out about one shape on one node.
struct Known {
    std::uint32_t version = 0;
    bool fits = false;
    GpuChoice choice;
};

class Placing {
public:
    Placing(const Policy& policy, TraceView& view)
        : policy_(policy),
          view_(view),
          each_job_(policy.placement().weighs_gpus() == GpuWeighing::each) {}

    // True: it was placed.
    bool place(const OpenbWork& pod, JobId job) {
        std::vector<Known>& known = shapes_[pod_key(pod)];
        known.resize(view_.nodes.size());
        std::optional<std::size_t> best;
        for (std::size_t n = 0; n < known.size(); ++n) {
            const NodeState& node = view_.nodes[n];
            if (known[n].version != node.version || each_job_) known[n] = look(pod, job, n);
            if (!known[n].fits) continue;
            if (!best || known[n].choice.score > known[*best].choice.score) best = n;
        }
        if (best) take(pod, view_.nodes[*best], known[*best].choice.chosen);
        return best.has_value();
    }

private:
    Known look(const OpenbWork& pod, JobId job, std::size_t n) const {
        const NodeState& node = view_.nodes[n];
        Known known{.version = node.version};
        Resources take;
        take.set_cpu(pod.shape.cpu);
        take.set_memory(pod.memory);
        if (!fits(take, node.free)) return known;
        DeviceMask usable = 0;
        for (std::size_t i = 0; i < node.gpus.size(); ++i) {
            const bool right = (pod.shape.types & dimension_bit(node.gpus[i].type)) != 0;
            if (right && node.gpus[i].milli >= pod.shape.milli) usable |= bit(static_cast<int>(i));
        }
        if (popcount(usable) < pod.shape.gpus) return known;
        known.fits = true;
        const Resources left = node.free - take;
        Candidate candidate{NodeId::from_index(n), take, left, node.gpus, 0, pod.shape.milli, job};
        if (pod.shape.gpus == 1 && pod.shape.milli < kWholeGpu) {
            known.choice = choose_gpu(policy_.placement(), candidate, usable, view_);
            return known;
        }
        for_each_bit(usable, [&](int i) {
            if (popcount(candidate.chosen) < pod.shape.gpus) candidate.chosen |= bit(i);
        });
        known.choice = {candidate.chosen, policy_.placement().score(candidate, view_)};
        return known;
    }

    static void take(const OpenbWork& pod, NodeState& node, DeviceMask chosen) {
        node.free.set_cpu(node.free.cpu() - pod.shape.cpu);
        node.free.set_memory(node.free.memory() - pod.memory);
        for_each_bit(chosen, [&](int i) {
            node.gpus[static_cast<std::size_t>(i)].milli -= pod.shape.milli;
        });
        if (pod.shape.gpus > 0)
            node.counts |= bit(pod.shape.milli < kWholeGpu ? 0 : pod.shape.gpus);
        ++node.version;
    }

    const Policy& policy_;
    TraceView& view_;
    bool each_job_;
    std::map<decltype(pod_key(OpenbWork{})), std::vector<Known>> shapes_;
};

}  // namespace

OpenbShare run_openb(const OpenbTrace& trace, const OpenbOrder& order,
                     const std::vector<RuleSpec>& rules) {
    const auto begun = std::chrono::steady_clock::now();
    ClusterSpec cluster = trace.cluster;
    cluster.nodes = order.nodes;
    cluster.scheduling.rules = rules;
    const Policy policy = build_policy(cluster).value();
    TraceView view(cluster, usual_pods(trace.pods));
    Placing placing(policy, view);
    std::int64_t asked = 0, allocated = 0;
    MeanAt at_100(100), at_130(130);
    const auto percent = [&](std::int64_t milli) {
        return 100.0 * static_cast<double>(milli) / static_cast<double>(trace.gpu_milli);
    };
    for (std::size_t i = 0; i < order.pods.size(); ++i) {
        const OpenbWork& pod = order.pods[i];
        asked += pod.gpu_milli();
        if (placing.place(pod, JobId(static_cast<std::uint32_t>(i + 1)))) {
            allocated += pod.gpu_milli();
        }
        at_100.add(percent(asked), percent(allocated));
        at_130.add(percent(asked), percent(allocated));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    return {at_100.value(), at_130.value(), took.count()};
}

}  // namespace berth::report
