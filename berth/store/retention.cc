#include "berth/store/retention.h"

#include <algorithm>
#include <array>

#include "berth/base/codec.h"
#include "berth/base/text.h"
#include "berth/store/accounting_table.h"
#include "berth/store/schema.h"

namespace berth {
namespace {

constexpr std::string_view kSweptEnd = "steps_swept_end";
// The shortest retention: records that the controller may still update are never deleted.
constexpr Duration kLeast = std::chrono::hours(1);
constexpr Duration kMost = std::chrono::hours(24) * 365 * 100;

constexpr const char* kOldJobs =
    "SELECT id, job, submitted, attempt, ended, row, cancelled_by, crc FROM jobs "
    "WHERE ended < ?1 ORDER BY ended LIMIT ?2";
constexpr const char* kOldSteps =
    "SELECT id, job, submitted, attempt, ended FROM jobs "
    "WHERE (ended, id) > (?3, ?4) AND ended < ?1 ORDER BY ended, id LIMIT ?2";

constexpr const char* kOldSpans =
    "SELECT kind, name, began, ended FROM spans WHERE kind IN (0, 1, 2) AND ended < ?1 LIMIT ?2";

}  // namespace

Result<Duration> parse_retention(std::string_view text) {
    struct Unit {
        std::string_view letters;  // Any prefix of the word counts.
        Duration length;
    };
    constexpr std::array kUnits = {Unit{"months", std::chrono::hours(24 * 30)},
                                   Unit{"days", std::chrono::hours(24)},
                                   Unit{"hours", std::chrono::hours(1)}};
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view unit = text.substr(digits);
    const auto count = parse_int64(text.substr(0, digits));
    const auto found = std::ranges::find_if(
        kUnits, [unit](const Unit& one) { return one.letters.starts_with(unit); });
    const bool sane =
        count.ok() && *count > 0 && found != kUnits.end() && *count <= kMost / found->length;
    if (sane) return std::max(*count * found->length, kLeast);
    return Error{
        ErrorCode::invalid_argument,
        "'" + std::string(text) + "' should be a length of time, like 12months, 30days or 36hours"};
}

Result<Retention> Retention::prepare(Database& database, RetentionSettings settings) {
    Retention retention;
    retention.settings_ = std::move(settings);
    BERTH_TRY(retention.old_jobs_, database.prepare(kOldJobs));
    BERTH_TRY(retention.old_steps_, database.prepare(kOldSteps));
    BERTH_TRY(retention.steps_of_,
              database.prepare("SELECT row, crc FROM steps WHERE job = ? AND submitted = ? AND "
                               "attempt = ? ORDER BY step"));
    BERTH_TRY(
        retention.delete_steps_,
        database.prepare("DELETE FROM steps WHERE job = ? AND submitted = ? AND attempt = ?"));
    BERTH_TRY(retention.delete_job_, database.prepare("DELETE FROM jobs WHERE id = ?"));
    BERTH_TRY(retention.old_spans_, database.prepare(kOldSpans));
    BERTH_TRY(retention.delete_spans_,
              database.prepare("DELETE FROM spans WHERE kind = ?1 AND name = ?2 AND began = ?3"));
    BERTH_TRY(retention.swept_end_, read_meta(database, kSweptEnd, 0));
    return retention;
}

Status Retention::advance(Database& database, Time now, Clock::time_point at,
                          std::string& trouble) {
    if ((!settings_.jobs && !settings_.steps) || at < next_) return Done{};
    next_ = at + settings_.pause;
    BERTH_TRY(std::vector<Old> jobs, find_jobs(now));
    if (keep_unreadable(jobs, trouble)) next_ = at + settings_.longer_pause;
    if (!jobs.empty() && settings_.archive) {
        std::vector<AccountingRecord> records;
        records.reserve(jobs.size());
        for (const Old& one : jobs) records.push_back(one.record);
        const Status archived = settings_.archive(records);
        if (!archived.ok()) {
            trouble = "old accounting stays where it is, since it cannot be archived: " +
                      archived.error().message;
            next_ = at + settings_.longer_pause;
            return Done{};
        }
    }
    if (!jobs.empty()) return drop(database, jobs, false);
    BERTH_TRY(const std::vector<Old> steps, find_steps(now));
    if (!steps.empty()) return drop(database, steps, true);
    BERTH_TRY(const bool spans, drop_spans(database, now));
    if (spans) return Done{};
    next_ = at + settings_.longer_pause;
    return Done{};
}

// An unreadable record cannot be archived and is therefore kept. Returns true if there is one.
bool Retention::keep_unreadable(std::vector<Old>& jobs, std::string& trouble) {
    const auto unreadable = std::ranges::find_if(jobs, &Old::unreadable);
    if (unreadable == jobs.end()) return false;
    trouble = "the accounting of job " + std::to_string(unreadable->job) +
              " cannot be read, so it is neither archived nor deleted: the state file is damaged";
    std::erase_if(jobs, [](const Old& one) { return one.unreadable; });
    return true;
}

Result<std::vector<Retention::Old>> Retention::find_jobs(Time now) {
    std::vector<Old> found;
    if (!settings_.jobs) return found;
    old_jobs_.bind(1, column_of(now - *settings_.jobs))
        .bind(2, static_cast<std::int64_t>(settings_.portion));
    for (;;) {
        BERTH_TRY(const bool row, old_jobs_.step());
        if (!row) break;
        Old one{old_jobs_.number(0), old_jobs_.number(1), old_jobs_.number(2),
                old_jobs_.number(3), old_jobs_.number(4), {}};
        if (settings_.archive) {
            Result<AccountingRecord> record = decode<AccountingRecord>(old_jobs_.bytes(5));
            one.unreadable = !record.ok() || !is_whole(old_jobs_, one.job, 5, 7);
            if (!one.unreadable) one.record = *std::move(record);
            if (!old_jobs_.is_null(6))
                one.record.cancelled_by = static_cast<std::uint32_t>(old_jobs_.number(6));
        }
        found.push_back(std::move(one));
    }
    if (!settings_.archive) return found;
    for (Old& one : found) BERTH_CHECK(read_steps(one));
    return found;
}

Status Retention::read_steps(Old& one) {
    steps_of_.bind(1, one.job).bind(2, one.submitted).bind(3, one.attempt);
    for (;;) {
        BERTH_TRY(const bool row, steps_of_.step());
        if (!row) return Done{};
        Result<AccountedStep> step = decode<AccountedStep>(steps_of_.bytes(0));
        if (step.ok() && is_whole(steps_of_, one.job, 0, 1)) {
            one.record.steps.push_back(*std::move(step));
        } else {
            one.unreadable = true;
        }
    }
}

Result<std::vector<Retention::Old>> Retention::find_steps(Time now) {
    std::vector<Old> found;
    if (!settings_.steps) return found;
    old_steps_.bind(1, column_of(now - *settings_.steps))
        .bind(2, static_cast<std::int64_t>(settings_.portion))
        .bind(3, swept_end_)
        .bind(4, swept_id_);
    for (;;) {
        BERTH_TRY(const bool row, old_steps_.step());
        if (!row) return found;
        found.push_back({old_steps_.number(0),
                         old_steps_.number(1),
                         old_steps_.number(2),
                         old_steps_.number(3),
                         old_steps_.number(4),
                         {}});
    }
}

Status Retention::drop(Database& database, const std::vector<Old>& some, bool steps_alone) {
    BERTH_TRY(Transaction transaction, Transaction::begin(database));
    for (const Old& one : some) {
        BERTH_CHECK(
            delete_steps_.bind(1, one.job).bind(2, one.submitted).bind(3, one.attempt).run());
        if (!steps_alone) BERTH_CHECK(delete_job_.bind(1, one.id).run());
    }
    if (steps_alone) BERTH_CHECK(write_meta(database, kSweptEnd, some.back().ended));
    BERTH_CHECK(transaction.commit());
    if (steps_alone) {
        swept_end_ = some.back().ended;
        swept_id_ = some.back().id;
    }
    return Done{};
}

Result<bool> Retention::drop_spans(Database& database, Time now) {
    if (!settings_.jobs) return false;
    struct Span {
        std::int64_t kind, began;
        std::string name;
    };
    std::vector<Span> some;
    std::int64_t kept_since = 0;
    old_spans_.bind(1, column_of(now - *settings_.jobs))
        .bind(2, static_cast<std::int64_t>(settings_.portion));
    for (;;) {
        BERTH_TRY(const bool row, old_spans_.step());
        if (!row) break;
        some.push_back(
            {old_spans_.number(0), old_spans_.number(2), std::string(old_spans_.bytes(1))});
        kept_since = std::max(kept_since, old_spans_.number(3));
    }
    if (some.empty()) return false;
    BERTH_TRY(Transaction transaction, Transaction::begin(database));
    for (const Span& span : some) {
        BERTH_CHECK(delete_spans_.bind(1, span.kind).bind(2, span.name).bind(3, span.began).run());
    }
    BERTH_TRY(const std::int64_t before, read_meta(database, kSpansKeptSince, 0));
    BERTH_CHECK(write_meta(database, kSpansKeptSince, std::max(before, kept_since)));
    BERTH_CHECK(transaction.commit());
    return true;
}

}  // namespace berth
