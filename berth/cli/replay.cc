// berth replay and berth sim world: the same code as the daemon's, without the world around it.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <thread>

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

// The daemon's hash, and the state file's at the same record: a cluster at work goes on meanwhile.
// A record that the daemon has applied may not be in the file yet.
Result<Replayed> replay_beside(const std::string& directory,
                               std::optional<std::uint64_t> daemon_at) {
    constexpr int kTries = 50;
    constexpr auto kPause = std::chrono::milliseconds(100);
    Result<Replayed> replayed = berth::replay(directory, daemon_at);
    for (int i = 1; i < kTries && replayed.ok() && daemon_at && replayed->sequence < *daemon_at;
         ++i) {
        std::this_thread::sleep_for(kPause);
        replayed = berth::replay(directory, daemon_at);
    }
    return replayed;
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
    Client client(Endpoint{dir.socket().string()},
                  {.timeout = std::chrono::seconds(5), .retry_for = std::chrono::seconds(0)});
    const auto live = client.state_hash();
    const auto replayed =
        replay_beside(dir.state().string(), live ? std::optional(live->sequence) : std::nullopt);
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
    if (!live) return output.out() << "no daemon to compare with\n", 0;
    if (live->sequence != replayed.value().sequence) {
        return output.fail("the daemon is at record " + std::to_string(live->sequence) +
                           ", which the state file does not have: is it another daemon's?");
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
