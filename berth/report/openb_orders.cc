#include "berth/report/openb_orders.h"

#include "berth/base/rng.h"
#include "berth/report/go_random.h"

namespace berth::report {
namespace {

std::int64_t asked_by(const std::vector<OpenbWork>& pods) {
    std::int64_t asked = 0;
    for (const OpenbWork& pod : pods) asked += pod.gpu_milli();
    return asked;
}

// Numbers that something else draws from the same source before the nodes are numbered: it seems,
// the watches that its API client begins, each with a time limit of its own. Ten was found by
// trying all below 70 on six runs: with any other, single runs are not the published ones.
constexpr int kOthersDraw = 10;

// The paper's program logs one number before it draws any other. It shuffles the pods (by name),
// adds pods of the trace up to 130 % of the GPUs, and numbers the nodes (by name) at random; among
// nodes of one score it takes that with the lowest number. What it adds ends before the first pod
// that, counted with one of its GPUs, would come above 130 %.
OpenbOrder published_order(const OpenbTrace& trace, std::uint64_t seed) {
    GoRandom random(static_cast<std::int64_t>(seed));
    random.next();
    OpenbOrder order{trace.pods, {trace.cluster.nodes.begin(), trace.cluster.nodes.end()}};
    random.shuffle(order.pods);
    std::int64_t asked = asked_by(order.pods);
    for (;;) {
        const std::int32_t drawn = random.below(static_cast<std::int32_t>(trace.pods.size()));
        const OpenbWork& pod = trace.pods[static_cast<std::size_t>(drawn)];
        if ((asked + pod.shape.milli) * 10 > trace.gpu_milli * 13) break;
        asked += pod.gpu_milli();
        order.pods.push_back(pod);
    }
    for (int i = 0; i < kOthersDraw; ++i) random.next();
    const auto numbers = random.permutation(static_cast<std::int32_t>(order.nodes.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        order.nodes[static_cast<std::size_t>(numbers[i])] = trace.cluster.nodes[i];
    }
    return order;
}

template <class T>
void shuffle(std::vector<T>& items, Rng& rng) {
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(
            items[i - 1],
            items[static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(i) - 1))]);
    }
}

OpenbOrder our_order(const OpenbTrace& trace, std::uint64_t seed) {
    Rng rng(seed);
    OpenbOrder order{trace.pods, {trace.cluster.nodes.begin(), trace.cluster.nodes.end()}};
    shuffle(order.pods, rng);
    std::int64_t asked = asked_by(order.pods);
    while (asked * 10 < trace.gpu_milli * 13) {
        order.pods.push_back(rng.pick(trace.pods));
        asked += order.pods.back().gpu_milli();
    }
    shuffle(order.nodes, rng);
    return order;
}

}  // namespace

OpenbOrder openb_order(const OpenbTrace& trace, OpenbOrders orders, std::uint64_t seed) {
    return orders == OpenbOrders::published ? published_order(trace, seed) : our_order(trace, seed);
}

}  // namespace berth::report
