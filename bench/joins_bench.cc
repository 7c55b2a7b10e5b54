// Nodes that join a cluster one after the other, beside one configuration with all of them. CPU
// time until the engine has decided with the last of them.
#include <cstdio>
#include <ctime>

#include "berth/engine/cycle/engine.h"
#include "berth/testing/builders.h"

namespace berth::bench {
namespace {

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void run(std::uint32_t nodes) {
    const ClusterSpec all = testing::make_cluster(nodes, {.gpus = 8});
    ClusterSpec first = all;
    first.nodes.resize(1);
    for (PartitionSpec& partition : first.partitions) partition.nodes = {NodeId(0)};

    const double begin = cpu_ms();
    Engine configured;
    configured.apply(Time{}, SpecInstalled{all});
    configured.cycle(Time{}, 1);
    const double between = cpu_ms();
    Engine joined;
    joined.apply(Time{}, SpecInstalled{first});
    for (std::uint32_t n = 1; n < nodes; ++n) {
        joined.apply(Time{}, NodeDescribed{.node = all.nodes[n], .dimensions = all.dimensions});
    }
    joined.cycle(Time{}, 1);
    const double end = cpu_ms();
    std::printf("%7u %16.1f ms %16.1f ms %8.2f\n", nodes, between - begin, end - between,
                (end - between) / (between - begin));
}

}  // namespace
}  // namespace berth::bench

int main() {
    std::printf("%7s %19s %19s %8s\n", "nodes", "one configuration", "one by one", "ratio");
    for (const std::uint32_t nodes : {100U, 1'000U, 10'000U}) berth::bench::run(nodes);
    return 0;
}
