// Accounting rows, written in the same transaction as the journal record that they derive from, so
// each fact counts exactly once.
#pragma once

#include <limits>

#include "berth/store/accounting_facts.h"
#include "berth/store/sqlite.h"

namespace berth {

class AccountingTable {
public:
    static Result<AccountingTable> prepare(Database& database);

    // REQUIRES: the caller has an open transaction.
    Status write(const Record& record, const ClusterState& after);

private:
    Status write_job(const Record& record, JobId id, const Touched& touched,
                     const ClusterState& after);
    Status write_gone(const Record& record, JobId id, const Touched& touched,
                      const ClusterSpec& spec);
    Status write_cancelled_tasks(const Record& record, JobId array, const Touched& touched,
                                 const ClusterState& after);
    Status close_earlier_runs(const Record& record, const AccountingRecord& newest,
                              const Touched& touched);
    Status write_steps(const Record& record, const Job& job, const AccountingRecord& row,
                       const Touched& touched, const ClusterSpec& spec);
    Status settle_stored_steps(const Record& record, const AccountingRecord& row,
                               const Touched& touched);
    Status close_steps(const Record& record, const AccountingRecord& row, const Touched& touched,
                       const Job* job, const ClusterSpec* spec);

    Status put(const AccountingRecord& row, std::optional<std::uint32_t> cancelled_by);
    Status put(const AccountingRecord& of, const AccountedStep& step);
    Result<std::vector<AccountingRecord>> open_rows_before(const AccountingRecord& newest);
    Result<std::optional<AccountingRecord>> newest_row(JobId job);
    Result<std::optional<AccountedStep>> find_step(const AccountingRecord& of, StepId id);
    Result<std::vector<AccountedStep>> open_steps(const AccountingRecord& of);

    Statement upsert_, not_latest_, open_before_, newest_, upsert_step_, find_step_, open_steps_;
};

// Whether a row that a statement has found, in columns `row` and `row_crc`, is undamaged and
// belongs to this job. Rows of version 3 have no checksum, and pass.
bool is_whole(const Statement& found, std::int64_t job, int row, int row_crc);

// Times are stored as milliseconds. kOpen stands for "not ended" and sorts last.
inline constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();
std::int64_t column_of(Time at);

}  // namespace berth
