// Diagnostics: what the controller has done and how long it took, counted where it happens and read
// by sdiag. From any thread. It is not durable: a restart counts anew, as does each day (UTC).
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

    // What was counted, with the jobs of this edition.
    api::DiagnosticsRow row(const Snapshot& snapshot, Time now);
    void reset(Time now);  // All but what counts since the start.

private:
    static constexpr std::size_t kTurnParts = 6;
    using TurnTimes = std::array<std::optional<Clock::duration>, kTurnParts>;
    struct Figures {
        std::int64_t count = 0, total = 0;
    };

    void end_turn();
    void start_day(Time now);
    void count_end(const Job& job);

    static constexpr std::size_t kUsersMax = 10'000;  // Those that come later are not told apart.

    // Of the controller's thread alone.
    TurnPart part_ = TurnPart::waiting;
    Clock::time_point part_began_at_ = Clock::now();
    TurnTimes turn_;

    std::mutex mutex_;
    Time since_;
    std::int64_t day_ = 0;
    std::optional<Clock::time_point> began_at_;           // The cycle under way.
    api::DiagnosticsRow counts_;                          // Without calls and users.
    std::array<api::TurnFigures, kTurnParts + 1> turns_;  // The last one is the whole.
    std::map<api::RouteId, Figures> calls_;
    std::map<std::uint32_t, std::pair<std::string, Figures>> users_;
};

}  // namespace berth
