#include "berth/store/accounting_table.h"

#include "berth/base/codec.h"

namespace berth {

namespace {

Error damaged(JobId job) {
    return {ErrorCode::internal, "the accounting of job " + to_string(job) + " cannot be read"};
}

constexpr const char* kUpsert = R"sql(
INSERT INTO jobs(job, submitted, attempt, split, latest, array_job, user, account, partition, name,
                 state, ended, cancelled_by, row)
VALUES(?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
ON CONFLICT(job, submitted, attempt, split) DO UPDATE SET
    array_job = ?5, user = ?6, account = ?7, partition = ?8, name = ?9, state = ?10, ended = ?11,
    cancelled_by = coalesce(?12, cancelled_by), row = ?13
)sql";

}  // namespace

std::int64_t column_of(Time at) { return at.time_since_epoch().count(); }

Result<AccountingTable> AccountingTable::prepare(Database& database) {
    AccountingTable table;
    BERTH_TRY(table.upsert_, database.prepare(kUpsert));
    BERTH_TRY(
        table.not_latest_,
        database.prepare("UPDATE jobs SET latest = 0 WHERE job = ?1 AND latest = 1 AND split = "
                         "0 AND (submitted < ?2 OR (submitted = ?2 AND attempt < ?3))"));
    BERTH_TRY(table.open_before_,
              database.prepare("SELECT row FROM jobs WHERE job = ? AND submitted = ? AND attempt < "
                               "? AND ended = 9223372036854775807 AND split = 0"));
    BERTH_TRY(table.newest_, database.prepare("SELECT row FROM jobs WHERE job = ? AND split = 0 "
                                              "ORDER BY submitted DESC, attempt DESC LIMIT 1"));
    BERTH_TRY(table.upsert_step_,
              database.prepare("INSERT OR REPLACE INTO steps VALUES(?, ?, ?, ?, ?, ?)"));
    BERTH_TRY(
        table.find_step_,
        database.prepare("SELECT row FROM steps WHERE job = ? AND submitted = ? AND attempt = "
                         "? AND step = ?"));
    BERTH_TRY(
        table.open_steps_,
        database.prepare("SELECT row FROM steps WHERE job = ? AND submitted = ? AND attempt = "
                         "? AND open = 1"));
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
    const AccountingRecord row = row_of(*job, after.spec(), after.priority(id));
    BERTH_CHECK(close_earlier_runs(record, row, touched));
    BERTH_CHECK(put(row, 0, cancelled_by(touched)));
    BERTH_CHECK(write_cancelled_tasks(record, row, touched));
    return write_steps(record, *job, row, touched, after.spec());
}

// The job left the state in this very record. What came before it is in its row, if it has one.
Status AccountingTable::write_gone(const Record& record, JobId id, const Touched& touched,
                                   const ClusterSpec& spec) {
    BERTH_TRY(std::optional<AccountingRecord> row, newest_row(id));
    if (touched.submitted != nullptr) row = row_of(*touched.submitted, spec, 0);
    if (!row || row->ended_at) return Done{};
    settle_forgotten(*row, touched, record.now);
    BERTH_CHECK(put(*row, 0, cancelled_by(touched)));
    BERTH_CHECK(settle_stored_steps(record, *row, touched));
    return close_steps(record, *row, touched, nullptr, nullptr);
}

Status AccountingTable::write_cancelled_tasks(const Record& record, const AccountingRecord& array,
                                              const Touched& touched) {
    std::uint64_t split = record.sequence << 16;  // No record holds that many of one array.
    for (const JobCancelled* const cancelled : touched.tasks_cancelled) {
        const AccountingRecord row = row_of_cancelled_tasks(array, *cancelled, record.now);
        BERTH_CHECK(put(row, ++split, cancelled->by_uid));
    }
    return Done{};
}

// A run that ended in the queue: the state speaks of the next one already.
Status AccountingTable::close_earlier_runs(const Record& record, const AccountingRecord& newest,
                                           const Touched& touched) {
    if (newest.attempt.value() <= 1) return Done{};
    BERTH_TRY(std::vector<AccountingRecord> rows, open_rows_before(newest));
    for (AccountingRecord& row : rows) {
        BERTH_CHECK(settle_stored_steps(record, row, touched));
        settle_requeued(row, touched, record.now);
        BERTH_CHECK(put(row, 0, std::nullopt));
        BERTH_CHECK(close_steps(record, row, touched, nullptr, nullptr));
    }
    return not_latest_.bind(1, newest.job.value())
        .bind(2, column_of(newest.submitted_at))
        .bind(3, newest.attempt.value())
        .run();
}

// Steps of the run that the state still knows.
Status AccountingTable::write_steps(const Record& record, const Job& job,
                                    const AccountingRecord& row, const Touched& touched,
                                    const ClusterSpec& spec) {
    if (touched.started && job.started_at) BERTH_CHECK(put(row, batch_step_of(job, spec)));
    for (const Step& step : job.steps) {
        const auto is_of = [&](const auto* fact) {
            if constexpr (std::is_same_v<decltype(fact), const StepCreated*>) {
                return fact->step.id == step.id;
            } else {
                return fact->step == step.id;
            }
        };
        if (std::any_of(touched.steps_created.begin(), touched.steps_created.end(), is_of) ||
            std::any_of(touched.steps_ended.begin(), touched.steps_ended.end(), is_of)) {
            BERTH_CHECK(put(row, row_of(step, spec)));
        }
    }
    BERTH_CHECK(settle_stored_steps(record, row, touched));
    if (!is_final(job.state) || !row.started_at) return Done{};
    return close_steps(record, row, touched, &job, &spec);
}

// The script's end stands in no step of the state: it comes with the end of the attempt.
Status AccountingTable::settle_stored_steps(const Record& record, const AccountingRecord& row,
                                            const Touched& touched) {
    for (const AttemptEnded* const ended : touched.ended) {
        if (ended->attempt != row.attempt || !(ended->batch_exit || ended->out_of_memory)) continue;
        BERTH_TRY(std::optional<AccountedStep> batch, find_step(row, kBatchStep));
        if (!batch) continue;
        settle_batch(*batch, *ended, row.state, record.now);
        BERTH_CHECK(put(row, *batch));
    }
    return Done{};
}

// The attempt is over: so are all its steps, as the state tells it or else as the facts do.
Status AccountingTable::close_steps(const Record& record, const AccountingRecord& row,
                                    const Touched& touched, const Job* job,
                                    const ClusterSpec* spec) {
    BERTH_TRY(std::vector<AccountedStep> open, open_steps(row));
    for (AccountedStep& step : open) {
        const Step* known = nullptr;
        const StepEnded* ended = nullptr;
        for (std::size_t i = 0; job != nullptr && i < job->steps.size(); ++i) {
            if (job->steps[i].id == step.id) known = &job->steps[i];
        }
        for (const StepEnded* const fact : touched.steps_ended) {
            if (fact->step == step.id && fact->attempt == row.attempt) ended = fact;
        }
        if (known != nullptr && known->ended_at) {
            step = row_of(*known, *spec);
        } else if (step.id == kBatchStep && row.state == JobState::node_fail) {
            settle_batch(step, AttemptEnded{.lost = true}, row.state, record.now);
        } else {
            settle_step(step, ended, record.now);
        }
        BERTH_CHECK(put(row, step));
    }
    return Done{};
}

// ---- Rows.

Status AccountingTable::put(const AccountingRecord& row, std::uint64_t split,
                            std::optional<std::uint32_t> cancelled_by) {
    const std::string bytes = encode(row);
    upsert_.bind(1, row.job.value())
        .bind(2, column_of(row.submitted_at))
        .bind(3, row.attempt.value())
        .bind(4, static_cast<std::int64_t>(split))
        .bind(6, row.owner.user)
        .bind(7, row.account)
        .bind(8, row.partition)
        .bind(9, row.name)
        .bind(10, static_cast<std::int64_t>(row.state))
        .bind(11, row.ended_at ? column_of(*row.ended_at) : kOpen)
        .bind_bytes(13, bytes);
    row.array_job ? upsert_.bind(5, row.array_job->value()) : upsert_.bind_null(5);
    cancelled_by ? upsert_.bind(12, *cancelled_by) : upsert_.bind_null(12);
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
        Result<AccountingRecord> row = decode<AccountingRecord>(open_before_.bytes(0));
        if (!row.ok()) return damaged(newest.job);
        rows.push_back(std::move(row).value());
    }
}

Result<std::optional<AccountingRecord>> AccountingTable::newest_row(JobId job) {
    BERTH_TRY(const bool found, newest_.bind(1, job.value()).step());
    if (!found) return std::optional<AccountingRecord>();
    Result<AccountingRecord> row = decode<AccountingRecord>(newest_.bytes(0));
    newest_.reset();
    if (!row.ok()) return damaged(job);
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
    Result<AccountedStep> step = decode<AccountedStep>(find_step_.bytes(0));
    find_step_.reset();
    if (!step.ok()) return damaged(of.job);
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
        Result<AccountedStep> step = decode<AccountedStep>(open_steps_.bytes(0));
        if (!step.ok()) return damaged(of.job);
        steps.push_back(std::move(step).value());
    }
}

}  // namespace berth
