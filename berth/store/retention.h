// Retention: accounting that is older than the site keeps it is deleted, a few jobs at a time
// between the turns, so that no commit waits for it. What is to be archived has been before it
// goes.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "berth/store/accounting.h"
#include "berth/store/sqlite.h"

namespace berth {

struct RetentionSettings {
    // Since their end; nullopt: for ever. Steps go with their job at the latest.
    std::optional<Duration> jobs, steps;
    // Has the records on the disk when it returns, and may be given the same ones again after a
    // crash. Of an error they stay where they are. None: they are not archived.
    std::function<Status(const std::vector<AccountingRecord>&)> archive;
    std::size_t portion = 20;                        // Jobs, in one transaction …
    std::chrono::milliseconds pause{100};            // … and then so long none.
    std::chrono::milliseconds longer_pause{60'000};  // Where nothing was old enough.
};

// "12months", "30days", "36hours", as slurmdbd.conf has it; a bare number is months. A month is 30
// days.
Result<Duration> parse_retention(std::string_view text);

class Retention {
public:
    using Clock = std::chrono::steady_clock;

    static Result<Retention> prepare(Database& database, RetentionSettings settings);

    // One portion, if it is time for one. What could not be archived is said in `trouble`, and is
    // tried again later.
    Status advance(Database& database, Time now, Clock::time_point at, std::string& trouble);

private:
    struct Old {
        std::int64_t id, job, submitted, attempt, ended;
        AccountingRecord record;  // Where it is archived.
        bool unreadable = false;
    };
    Result<std::vector<Old>> find_jobs(Time now);
    static bool keep_unreadable(std::vector<Old>& jobs, std::string& trouble);
    Result<std::vector<Old>> find_steps(Time now);
    Status read_steps(Old& one);
    Status drop(Database& database, const std::vector<Old>& some, bool steps_alone);

    RetentionSettings settings_;
    Clock::time_point next_{};
    // Steps of all jobs up to here, by end and row, are gone.
    std::int64_t swept_end_ = 0, swept_id_ = 0;
    Statement old_jobs_, old_steps_, steps_of_, delete_steps_, delete_job_;
};

}  // namespace berth
