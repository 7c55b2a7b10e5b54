#include "berth/store/later.h"

#include <algorithm>

#include "berth/store/schema.h"

namespace berth {

namespace {

// More than the number of controller starts between a copy and its use.
constexpr std::int64_t kEpochsSkipped = 1'000'000;

// Ids below the next one are never issued again, so enough ids must remain above it.
Result<std::uint32_t> next_job_after(const ClusterState& state, std::uint32_t skip) {
    const std::uint32_t next = state.next_job_id().value();
    const std::uint32_t most = state.spec().scheduling.max_job_id;
    const std::uint32_t left = most - std::min(most, next);
    if (skip <= left / 2) return next + skip;
    return Error{ErrorCode::invalid_argument,
                 "skipping " + std::to_string(skip) + " job ids leaves too few of the " +
                     std::to_string(left) + " up to MaxJobId: skip fewer"};
}

}  // namespace

Result<std::uint32_t> count_as_later(Database& database, const Recovered& recovered,
                                     std::uint32_t skip_jobs) {
    BERTH_TRY(const std::uint32_t next_job, next_job_after(recovered.state, skip_jobs));
    BERTH_TRY(const std::int64_t epoch, read_meta(database, "epoch"));
    BERTH_CHECK(write_meta(database, "epoch", epoch + kEpochsSkipped));
    BERTH_CHECK(write_meta(database, kRestoredNextJob, next_job));
    return next_job;
}

Status check_sound(Database& database, const std::string& path) {
    BERTH_TRY(Statement check, database.prepare("PRAGMA integrity_check(1)"));
    BERTH_TRY(const bool row, check.step());
    const std::string said = row ? std::string(check.bytes(0)) : "nothing";
    check.reset();
    if (said == "ok") return Done{};
    return Error{ErrorCode::failed_precondition,
                 path + " is damaged (" + said + "): restore the state from a copy"};
}

}  // namespace berth
