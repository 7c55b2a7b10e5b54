#include "berth/store/accounting_table.h"

#include "berth/base/codec.h"
#include "berth/engine/state/job_queries.h"
#include "berth/store/crc32c.h"

namespace berth {

namespace {

Error damaged_row(JobId job) {
    return {ErrorCode::internal,
            "the accounting of job " + to_string(job) + " is damaged in the state file"};
}

const Step* find(const Job& job, StepId id) {
    for (const Step& step : job.steps) {
        if (step.id == id) return &step;
    }
    return nullptr;
}

constexpr const char* kUpsert = R"sql(
INSERT INTO jobs(job, submitted, attempt, latest, array_job, user, account, partition, name,
                 state, ended, cancelled_by, row, crc)
VALUES(?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
ON CONFLICT(job, submitted, attempt) DO UPDATE SET
    array_job = ?4, user = ?5, account = ?6, partition = ?7, name = ?8, state = ?9, ended = ?10,
    cancelled_by = coalesce(?11, cancelled_by), row = ?12, crc = ?13
)sql";

}  // namespace

bool is_whole(const Statement& found, std::int64_t job, int row, int row_crc) {
    if (found.is_null(row_crc)) return true;
    return found.number(row_crc) == crc32c_of(static_cast<std::uint64_t>(job), found.bytes(row));
}

std::int64_t column_of(Time at) { return at.time_since_epoch().count(); }

Result<AccountingTable> AccountingTable::prepare(Database& database) {
    AccountingTable table;
    BERTH_TRY(table.upsert_, database.prepare(kUpsert));
    BERTH_TRY(table.not_latest_,
              database.prepare("UPDATE jobs SET latest = 0 WHERE job = ?1 AND latest = 1 AND "
                               " (submitted < ?2 OR (submitted = ?2 AND attempt < ?3))"));
    BERTH_TRY(table.open_before_,
              database.prepare("SELECT row, crc FROM jobs WHERE job = ? AND submitted = ? AND "
                               "attempt < ? AND ended = 9223372036854775807"));
    BERTH_TRY(table.newest_, database.prepare("SELECT row, crc FROM jobs WHERE job = ? "
                                              "ORDER BY submitted DESC, attempt DESC LIMIT 1"));
    BERTH_TRY(table.upsert_step_,
              database.prepare("INSERT OR REPLACE INTO steps VALUES(?, ?, ?, ?, ?, ?, ?)"));
    BERTH_TRY(
        table.find_step_,
        database.prepare("SELECT row, crc FROM steps WHERE job = ? AND submitted = ? AND attempt "
                         "= ? AND step = ?"));
    BERTH_TRY(
        table.open_steps_,
        database.prepare("SELECT row, crc FROM steps WHERE job = ? AND submitted = ? AND attempt "
                         "= ? AND open = 1"));
    return table;
}

Status AccountingTable::write(const Record& record, const ClusterState& after) {
    for (const auto& [id, touched] : touched_by(record)) {
        BERTH_CHECK(write_job(record, id, touched, after));
    }
    return Done{};
}

Status AccountingTable::write_job(const Record& record, JobId id, const Touched& touched,
                                  const ClusterState& after) {
    const Job* const job = after.find_job(id);
    if (job == nullptr) return write_gone(record, id, touched, after.spec());
    AccountingRecord row = row_of(*job, after.spec(), current_priority(after, id));
    const bool is_ending = row.state == JobState::completing;
    if (is_ending || job->suspension) {
        BERTH_TRY(const std::optional<AccountingRecord> before, newest_row(id));
        if (before) note_stood_still(row, *before);
        if (is_ending) note_lost_node(row, before, touched);
    }
    BERTH_CHECK(close_earlier_runs(record, row, touched));
    const bool cancelled = row.state == JobState::cancelled;
    BERTH_CHECK(put(row, cancelled ? cancelled_by(touched) : std::nullopt));
    if (touched.tasks_cancelled) BERTH_CHECK(write_cancelled_tasks(record, id, touched, after));
    return write_steps(record, *job, row, touched, after.spec());
}

// The job left the state in this record. Everything before that is in its row, if it has one.
Status AccountingTable::write_gone(const Record& record, JobId id, const Touched& touched,
                                   const ClusterSpec& spec) {
    BERTH_TRY(std::optional<AccountingRecord> row, newest_row(id));
    if (touched.submitted != nullptr) row = row_of(*touched.submitted, spec, 0);
    if (!row || (row->ended_at && !row->completing)) return Done{};
    settle_forgotten(*row, touched, record.now);
    BERTH_CHECK(put(*row, cancelled_by(touched)));
    BERTH_CHECK(settle_stored_steps(record, *row, touched));
    return close_steps(record, *row, touched, nullptr, nullptr);
}

// The fact names tasks; their own records are among the array's members in the state.
Status AccountingTable::write_cancelled_tasks(const Record& record, JobId array,
                                              const Touched& touched, const ClusterState& after) {
    for (const JobId id : array_members(after, array)) {
        const Job& task = *after.find_job(id);
        const bool now = task.state == JobState::cancelled && task.ended_at == record.now;
        if (!now || task.started_at) continue;
        BERTH_CHECK(put(row_of(task, after.spec(), 0), touched.cancelled->by_uid));
    }
    return Done{};
}

// For a run that ended with a requeue: the state describes the next run already.
Status AccountingTable::close_earlier_runs(const Record& record, const AccountingRecord& newest,
                                           const Touched& touched) {
    if (newest.attempt.value() <= 1) return Done{};
    BERTH_TRY(std::vector<AccountingRecord> rows, open_rows_before(newest));
    for (AccountingRecord& row : rows) {
        BERTH_CHECK(settle_stored_steps(record, row, touched));
        settle_requeued(row, touched, record.now);
        BERTH_CHECK(put(row, std::nullopt));
        BERTH_CHECK(close_steps(record, row, touched, nullptr, nullptr));
    }
    return not_latest_.bind(1, newest.job.value())
        .bind(2, column_of(newest.submitted_at))
        .bind(3, newest.attempt.value())
        .run();
}

// Writes the steps of the run that the state still has.
Status AccountingTable::write_steps(const Record& record, const Job& job,
                                    const AccountingRecord& row, const Touched& touched,
                                    const ClusterSpec& spec) {
    const bool has_script = !job.spec.command->interactive;
    if (touched.started && job.started_at && has_script) {
        BERTH_CHECK(put(row, batch_step_of(job, spec)));
    }
    for (const StepCreated* const fact : touched.steps_created) {
        const Step* const step = find(job, fact->step.id);
        if (fact->attempt != row.attempt || step == nullptr) continue;
        BERTH_CHECK(put(row, row_of(*step, spec)));
    }
    for (const StepEnded* const fact : touched.steps_ended) {
        if (fact->attempt != row.attempt) continue;
        BERTH_TRY(std::optional<AccountedStep> stored, find_step(row, fact->step));
        const Step* const step = find(job, fact->step);
        // Of the ended steps the state keeps only the latest.
        if (step == nullptr && (!stored || stored->ended_at)) continue;
        AccountedStep next = step != nullptr ? row_of(*step, spec) : *stored;
        if (stored) next.used = std::move(stored->used);
        add_usage(next, *fact, spec);
        if (step == nullptr) settle_step(next, fact, record.now);
        BERTH_CHECK(put(row, next));
    }
    BERTH_CHECK(settle_stored_steps(record, row, touched));
    if (!is_final(job.state) || !row.started_at) return Done{};
    return close_steps(record, row, touched, &job, &spec);
}

// The state has no step for the script: its end comes with the end of the attempt.
Status AccountingTable::settle_stored_steps(const Record& record, const AccountingRecord& row,
                                            const Touched& touched) {
    for (const AttemptEnded* const ended : touched.ended) {
        if (ended->attempt != row.attempt || !(ended->batch_exit || ended->out_of_memory)) continue;
        BERTH_TRY(std::optional<AccountedStep> batch, find_step(row, kBatchStep));
        if (!batch) continue;
        // The run may have ended before that was learned: see apply_runs.cc.
        settle_batch(*batch, *ended, std::min(record.now, ended->ended_at.value_or(record.now)));
        BERTH_CHECK(put(row, *batch));
    }
    return Done{};
}

// The attempt has ended, and so have all its steps, as told by the state or else by the facts.
Status AccountingTable::close_steps(const Record& record, const AccountingRecord& row,
                                    const Touched& touched, const Job* job,
                                    const ClusterSpec* spec) {
    BERTH_TRY(std::vector<AccountedStep> open, open_steps(row));
    for (AccountedStep& step : open) {
        const Step* const known = job == nullptr ? nullptr : find(*job, step.id);
        const StepEnded* ended = nullptr;
        for (const StepEnded* const fact : touched.steps_ended) {
            if (fact->step == step.id && fact->attempt == row.attempt) ended = fact;
        }
        if (known != nullptr && known->ended_at) {
            std::optional<StepTotals> used = std::move(step.used);
            step = row_of(*known, *spec);
            step.used = std::move(used);
        } else if (step.id == kBatchStep && row.state == JobState::node_fail) {
            settle_batch(step, AttemptEnded{.lost = true}, record.now);
        } else {
            settle_step(step, ended, record.now);
        }
        BERTH_CHECK(put(row, step));
    }
    return Done{};
}

// ---- Rows.

Status AccountingTable::put(const AccountingRecord& row,
                            std::optional<std::uint32_t> cancelled_by) {
    const bool open = row.completing || !row.ended_at;
    const std::string bytes = encode(row);
    upsert_.bind(1, row.job.value())
        .bind(2, column_of(row.submitted_at))
        .bind(3, row.attempt.value())
        .bind(5, row.owner.user)
        .bind(6, row.account)
        .bind(7, row.partition)
        .bind(8, row.name)
        .bind(9, static_cast<std::int64_t>(row.state))
        .bind(10, open ? kOpen : column_of(*row.ended_at))
        .bind_bytes(12, bytes)
        .bind(13, crc32c_of(row.job.value(), bytes));
    std::optional<JobId> whole = row.array_job;  // The id by which the row is found as well.
    if (row.het) whole = row.het->first;
    whole ? upsert_.bind(4, whole->value()) : upsert_.bind_null(4);
    cancelled_by ? upsert_.bind(11, *cancelled_by) : upsert_.bind_null(11);
    return upsert_.run();
}

Status AccountingTable::put(const AccountingRecord& of, const AccountedStep& step) {
    const std::string bytes = encode(step);
    return upsert_step_.bind(1, of.job.value())
        .bind(2, column_of(of.submitted_at))
        .bind(3, of.attempt.value())
        .bind(4, step.id.value())
        .bind(5, step.ended_at ? 0 : 1)
        .bind_bytes(6, bytes)
        .bind(7, crc32c_of(of.job.value(), bytes))
        .run();
}

Result<std::vector<AccountingRecord>> AccountingTable::open_rows_before(
    const AccountingRecord& newest) {
    open_before_.bind(1, newest.job.value())
        .bind(2, column_of(newest.submitted_at))
        .bind(3, newest.attempt.value());
    std::vector<AccountingRecord> rows;
    while (true) {
        BERTH_TRY(const bool found, open_before_.step());
        if (!found) return rows;
        const bool whole = is_whole(open_before_, newest.job.value(), 0, 1);
        Result<AccountingRecord> row = decode<AccountingRecord>(open_before_.bytes(0));
        if (!whole || !row.ok()) return damaged_row(newest.job);
        rows.push_back(std::move(row).value());
    }
}

Result<std::optional<AccountingRecord>> AccountingTable::newest_row(JobId job) {
    BERTH_TRY(const bool found, newest_.bind(1, job.value()).step());
    if (!found) return std::optional<AccountingRecord>();
    const bool whole = is_whole(newest_, job.value(), 0, 1);
    Result<AccountingRecord> row = decode<AccountingRecord>(newest_.bytes(0));
    newest_.reset();
    if (!whole || !row.ok()) return damaged_row(job);
    return std::optional<AccountingRecord>(std::move(row).value());
}

Result<std::optional<AccountedStep>> AccountingTable::find_step(const AccountingRecord& of,
                                                                StepId id) {
    find_step_.bind(1, of.job.value())
        .bind(2, column_of(of.submitted_at))
        .bind(3, of.attempt.value())
        .bind(4, id.value());
    BERTH_TRY(const bool found, find_step_.step());
    if (!found) return std::optional<AccountedStep>();
    const bool whole = is_whole(find_step_, of.job.value(), 0, 1);
    Result<AccountedStep> step = decode<AccountedStep>(find_step_.bytes(0));
    find_step_.reset();
    if (!whole || !step.ok()) return damaged_row(of.job);
    return std::optional<AccountedStep>(std::move(step).value());
}

Result<std::vector<AccountedStep>> AccountingTable::open_steps(const AccountingRecord& of) {
    open_steps_.bind(1, of.job.value())
        .bind(2, column_of(of.submitted_at))
        .bind(3, of.attempt.value());
    std::vector<AccountedStep> steps;
    while (true) {
        BERTH_TRY(const bool found, open_steps_.step());
        if (!found) return steps;
        const bool whole = is_whole(open_steps_, of.job.value(), 0, 1);
        Result<AccountedStep> step = decode<AccountedStep>(open_steps_.bytes(0));
        if (!whole || !step.ok()) return damaged_row(of.job);
        steps.push_back(std::move(step).value());
    }
}

}  // namespace berth
