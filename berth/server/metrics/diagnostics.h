// Diagnostics: counts and times of the controller's work, for sdiag. Thread-safe. Not durable:
// counters restart with the daemon and each day (UTC).
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>

#include "berth/api/messages.h"
#include "berth/api/routes.h"
#include "berth/control/core/ports.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

class Diagnostics final : public Observer {
public:
    using Clock = std::chrono::steady_clock;

    explicit Diagnostics(Time since = {}) : since_(since) {}

    void part_begins(TurnPart part) override;
    void cycle_begins() override;
    void cycle_ended(const CycleWork& work) override;
    void recorded(const Record& record, const ClusterState& after) override;
    void called(api::RouteId route, const Principal& who, Clock::duration took);
    void note_threads(std::int64_t threads);

    // The counters, with the jobs of this snapshot.
    api::DiagnosticsRow row(const Snapshot& snapshot, Time now);
    void reset(Time now);  // Resets everything except what counts since the start.

private:
    struct CycleStart {
        Clock::time_point at;
        std::chrono::nanoseconds cpu{};  // CPU time of the controller's thread.
    };
    static constexpr std::size_t kTurnParts = 6;
    using TurnTimes = std::array<std::optional<Clock::duration>, kTurnParts>;
    struct Figures {
        std::int64_t count = 0, total = 0;
    };

    void end_turn();
    void start_day(Time now);
    void count_end(const Job& job);

    static constexpr std::size_t kUsersMax = 10'000;  // Later users are counted together.

    // Only for the controller's thread.
    TurnPart part_ = TurnPart::waiting;
    Clock::time_point part_began_at_ = Clock::now();
    TurnTimes turn_;

    std::mutex mutex_;
    Time since_;
    std::int64_t day_ = 0;
    std::optional<CycleStart> began_;                     // The current cycle.
    api::DiagnosticsRow counts_;                          // Without calls and users.
    std::array<api::TurnFigures, kTurnParts + 1> turns_;  // The last one is the whole turn.
    std::map<api::RouteId, Figures> calls_;
    std::map<std::uint32_t, std::pair<std::string, Figures>> users_;
};

}  // namespace berth
