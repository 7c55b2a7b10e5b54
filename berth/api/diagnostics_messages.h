// Messages about the controller's own work: what sdiag prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"

namespace berth::api {

// GET /v1/diagnostics: what the controller has done since `since`, for sdiag. Lengths are in
// microseconds.
struct CallFigures {
    std::string name;  // "POST /v1/jobs"; or the user.
    std::uint32_t uid = 0;
    std::int64_t count = 0, total = 0;
    BERTH_FIELDS(CallFigures, name, uid, count, total)
};
struct CycleFigures {
    std::int64_t cycles = 0;
    std::int64_t last = 0, most = 0, total = 0;
    std::int64_t total_cpu = 0;                    // CPU time of the controller's thread in them.
    std::int64_t last_depth = 0, total_depth = 0;  // Looks at a job.
    std::int64_t last_tries = 0, total_tries = 0;  // Searches for a place.
    std::int64_t last_queue = 0, total_queue = 0;
    std::int64_t last_planned = 0, total_planned = 0;
    std::optional<Time> last_at;
    BERTH_FIELDS(CycleFigures, cycles, last, most, total, total_cpu, last_depth, total_depth,
                 last_tries, total_tries, last_queue, total_queue, last_planned, total_planned,
                 last_at)
};
// A part of the controller's turns; one named "turn" is all of them but waiting.
struct TurnFigures {
    std::string part;
    std::int64_t count = 0, total = 0, most = 0;
    std::int64_t in_longest_turn = 0;  // What it took there.
    BERTH_FIELDS(TurnFigures, part, count, total, most, in_longest_turn)
};
struct DiagnosticsRow {
    Time now{}, since{};
    std::int64_t jobs_submitted = 0, jobs_started = 0, jobs_completed = 0, jobs_canceled = 0,
                 jobs_failed = 0;
    std::int64_t jobs_pending = 0, jobs_running = 0;  // Now; each task of an array is one.
    CycleFigures cycles;  // All of them; a cycle that was cut off goes on in the next one.
    CycleFigures rounds;  // Those that saw to the whole queue and its plan.
    std::int64_t ended_with_queue = 0, ended_with_most_starts = 0, ended_out_of_budget = 0;
    std::int64_t backfilled = 0, backfilled_since_start = 0;  // Starts before an earlier job's.
    std::int64_t clock_latency = 0;                           // Of 1000 looks at the clock.
    std::int64_t server_threads = 0;
    std::vector<CallFigures> calls;  // By route.
    std::vector<CallFigures> users;
    std::vector<TurnFigures> turns;
    BERTH_FIELDS(DiagnosticsRow, now, since, jobs_submitted, jobs_started, jobs_completed,
                 jobs_canceled, jobs_failed, jobs_pending, jobs_running, cycles, rounds,
                 ended_with_queue, ended_with_most_starts, ended_out_of_budget, backfilled,
                 backfilled_since_start, clock_latency, server_threads, calls, users, turns)
};

}  // namespace berth::api
