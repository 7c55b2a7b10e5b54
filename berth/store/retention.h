// Retention: deletes accounting that is older than the site's limit, a few jobs at a time between
// turns, so that no commit waits for it. Records to be archived are archived first. The spans of
// nodes and reservations go with the jobs of their time.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "berth/store/accounting.h"
#include "berth/store/sqlite.h"

namespace berth {

struct RetentionSettings {
    // Time since the end; nullopt: for ever. Steps are deleted with their job at the latest.
    std::optional<Duration> jobs, steps;
    // On return the records are durable. After a crash the same records may be passed again. On an
    // error they are kept. Null: no archive.
    std::function<Status(const std::vector<AccountingRecord>&)> archive;
    std::size_t portion = 20;                        // Jobs in one transaction.
    std::chrono::milliseconds pause{100};            // After each transaction.
    std::chrono::milliseconds longer_pause{60'000};  // When nothing was old enough.
};

// "12months", "30days", "36hours", as in slurmdbd.conf. A bare number means months; a month has 30
// days.
Result<Duration> parse_retention(std::string_view text);

class Retention {
public:
    using Clock = std::chrono::steady_clock;

    static Result<Retention> prepare(Database& database, RetentionSettings settings);

    // Deletes one portion if it is time to. A failure to archive is described in `trouble` and
    // retried later.
    Status advance(Database& database, Time now, Clock::time_point at, std::string& trouble);

private:
    struct Old {
        std::int64_t id, job, submitted, attempt, ended;
        AccountingRecord record;  // Filled in only for the archive.
        bool unreadable = false;
    };
    Result<std::vector<Old>> find_jobs(Time now);
    static bool keep_unreadable(std::vector<Old>& jobs, std::string& trouble);
    Result<std::vector<Old>> find_steps(Time now);
    Status read_steps(Old& one);
    Status drop(Database& database, const std::vector<Old>& some, bool steps_alone);
    // True: there were some.
    Result<bool> drop_spans(Database& database, Time now);

    RetentionSettings settings_;
    Clock::time_point next_{};
    // The steps up to this end time and row have been deleted.
    std::int64_t swept_end_ = 0, swept_id_ = 0;
    Statement old_jobs_, old_steps_, steps_of_, delete_steps_, delete_job_, old_spans_,
        delete_spans_;
};

}  // namespace berth
