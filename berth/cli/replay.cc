// berth replay and berth sim world: the same code as the daemon's, without the world around it.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "berth/cli/cluster_dir.h"
#include "berth/cli/subcommands.h"
#include "berth/client/client.h"
#include "berth/sim/world.h"
#include "berth/store/replay.h"

namespace berth::cli {
namespace {

std::string hex(std::uint64_t hash) {
    char text[20];
    std::snprintf(text, sizeof text, "%016" PRIx64, hash);
    return text;
}

// Whether the engine of this program decides what is recorded.
bool decides_the_same(const std::string& directory, Output& output) {
    const auto again = decide_again(directory);
    if (!again.ok()) return output.fail(again.error().message), false;
    if (again->first) {
        const auto text = [](const std::string& one) { return one.empty() ? "nothing" : one; };
        output.fail("record " + std::to_string(again->first->sequence) +
                    " has: " + text(again->first->recorded) +
                    "; this program decides: " + text(again->first->ours));
        return false;
    }
    output.out() << "decided again, from record " << again->oldest + 1 << " to " << again->sequence
                 << ": " << again->decisions << " decisions, all of them the same";
    if (again->put_off > 0) output.out() << " (" << again->put_off << " times later than here)";
    output.out() << '\n';
    return true;
}

}  // namespace

int replay(const ReplayOptions& options, Output& output) {
    const ClusterDir dir = ClusterDir::find(options.state);
    const auto replayed = berth::replay(dir.state().string());
    if (!replayed.ok()) return output.fail(replayed.error().message);
    output.out() << "replayed to record " << replayed.value().sequence << " ("
                 << replayed.value().records << " records behind the snapshot at "
                 << replayed.value().snapshot_sequence << "): state " << hex(replayed.value().hash)
                 << '\n';
    if (options.verify) {
        const auto verified = verify(dir.state().string());
        if (!verified.ok()) return output.fail(verified.error().message);
        output.out() << "from the oldest point kept (record " << verified.value().oldest << ", "
                     << verified.value().records << " records): state "
                     << hex(verified.value().hash) << '\n';
    }
    if (options.decide && !decides_the_same(dir.state().string(), output)) return 1;
    Client client(Endpoint{dir.socket().string()},
                  {.timeout = std::chrono::seconds(5), .retry_for = std::chrono::seconds(0)});
    const auto live = client.state_hash();
    if (!live) return output.out() << "no daemon to compare with\n", 0;
    if (live->sequence != replayed.value().sequence) {
        output.out() << "the daemon is already at record " << live->sequence
                     << "; compare while the cluster is idle\n";
        return 0;
    }
    if (live->hash != hex(replayed.value().hash))
        return output.fail("the daemon's state differs: " + live->hash);
    output.out() << "the daemon's state is the same\n";
    return 0;
}

int sim_world(const SimOptions& options, Output& output) {
    sim::WorldSums sums;
    for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
        const sim::WorldReport report = sim::run_world(seed);
        if (options.hashes)
            output.out() << "seed " << seed << ": " << hex(report.decision_hash) << '\n';
        sums.add(report);
    }
    output.out() << sums.to_text();
    for (const sim::WorldReport& report : sums.violated) {
        for (const std::string& line : report.trace) output.out() << line << '\n';
        output.fail(report.violation);
    }
    return sums.violated.empty() ? 0 : 1;
}

}  // namespace berth::cli
