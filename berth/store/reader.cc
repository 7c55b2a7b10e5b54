#include "berth/store/reader.h"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "berth/base/codec.h"
#include "berth/base/text.h"
#include "berth/store/accounting_table.h"
#include "berth/store/payload_table.h"
#include "berth/store/schema.h"
#include "berth/store/span_table.h"

namespace berth {

namespace {

// The columns that a filter checks before a row is decoded.
#define BERTH_COLUMNS                                                                 \
    "SELECT job, submitted, attempt, user, account, partition, name, state, latest, " \
    "cancelled_by, row, ended, crc FROM jobs "
constexpr const char* kByWindow =
    BERTH_COLUMNS "WHERE ended >= ? AND submitted <= ? ORDER BY job, submitted, attempt";
constexpr const char* kByUser = BERTH_COLUMNS
    "WHERE user = ? AND ended >= ? AND submitted <= ? ORDER BY job, submitted, attempt";
constexpr const char* kByJob =
    BERTH_COLUMNS "WHERE job = ?1 UNION " BERTH_COLUMNS "WHERE array_job = ?1 ORDER BY 1, 2, 3";
#undef BERTH_COLUMNS
constexpr const char* kSelectSteps =
    "SELECT row, crc FROM steps WHERE job = ? AND submitted = ? AND attempt = ? ORDER BY step";

constexpr const char* kRuns = "SELECT job, row, crc FROM jobs WHERE ended > ? AND submitted < ?";
#define BERTH_SPANS "SELECT name, began, ended, row, crc FROM spans WHERE kind = ?1 AND "
constexpr const char* kSpans = BERTH_SPANS "ended > ?2 AND began < ?3 ORDER BY name, began";
constexpr const char* kSpanBefore =
    BERTH_SPANS "name = ?2 AND began < ?3 ORDER BY began DESC LIMIT 1";
constexpr const char* kSpanAfter = BERTH_SPANS "name = ?2 AND began > ?3 ORDER BY began LIMIT 1";
#undef BERTH_SPANS

Time time_of(std::int64_t column) { return Time(Duration(column)); }

bool is_among(std::string_view name, const std::vector<std::string>& names) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// All spans of one kind, of which `bound` has the bounds of time.
template <class Standing>
Result<std::vector<StandingSpan<Standing>>> read_spans(Statement& bound) {
    std::vector<StandingSpan<Standing>> spans;
    while (true) {
        BERTH_TRY(const bool found, bound.step());
        if (!found) return spans;
        StandingSpan<Standing> span{.name = std::string(bound.bytes(0)),
                                    .began = time_of(bound.number(1))};
        if (bound.number(2) != kOpen) span.ended = time_of(bound.number(2));
        Result<Standing> standing = decode<Standing>(bound.bytes(3));
        if (!standing.ok() || !is_whole(bound, bound.number(1), 3, 4)) {
            bound.reset();
            return Error{ErrorCode::internal,
                         "what is known of " + span.name + " is damaged in the state file"};
        }
        span.standing = *std::move(standing);
        spans.push_back(std::move(span));
    }
}

// The span of the same occurrence of its reservation that lies before it, or after it.
Result<std::optional<ReservationSpan>> neighbor_of(const ReservationSpan& span, Statement& query) {
    query.bind(1, static_cast<std::int64_t>(SpanKind::reservation))
        .bind(2, std::string_view(span.name))
        .bind(3, column_of(span.began));
    BERTH_TRY(std::vector<ReservationSpan> found, read_spans<ReservationStanding>(query));
    if (found.empty() || !are_of_one_occurrence(found.front(), span)) return std::nullopt;
    return std::optional(std::move(found.front()));
}

// An occurrence that was changed in its course has several spans. Adds those beyond the interval
// that these were read for.
Status complete_occurrences(Database& database, std::vector<ReservationSpan>& spans) {
    BERTH_TRY(Statement before, database.prepare(kSpanBefore));
    BERTH_TRY(Statement after, database.prepare(kSpanAfter));
    std::vector<ReservationSpan> all;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        std::vector<ReservationSpan> earlier;
        while (all.empty() || all.back().name != spans[i].name) {
            const ReservationSpan& first = earlier.empty() ? spans[i] : earlier.back();
            BERTH_TRY(auto found, neighbor_of(first, before));
            if (!found) break;
            earlier.push_back(*std::move(found));
        }
        std::move(earlier.rbegin(), earlier.rend(), std::back_inserter(all));
        const bool is_last = i + 1 == spans.size() || spans[i + 1].name != spans[i].name;
        all.push_back(std::move(spans[i]));
        while (is_last) {
            BERTH_TRY(auto found, neighbor_of(all.back(), after));
            if (!found) break;
            all.push_back(*std::move(found));
        }
    }
    spans = std::move(all);
    return Done{};
}

// A job that has not started may name several partitions.
bool is_in_any(std::string_view list, const std::vector<std::string>& partitions) {
    return std::ranges::any_of(split(list, ','), [&](std::string_view partition) {
        return is_among(partition, partitions);
    });
}

Error damaged_job(std::int64_t job) {
    return {ErrorCode::internal,
            "the accounting of job " + std::to_string(job) + " is damaged in the state file"};
}

}  // namespace

struct StoreReader::Parts {
    std::mutex turn;
    Database database;
    Statement by_window, by_user, by_job, steps;
    PayloadTable payloads;
    std::mutex runs_turn;
    Database runs_database;
    Statement runs;

    bool wanted(const Statement& row, const AccountingFilter& filter) const;
    Result<AccountingRecord> read(const Statement& row);
    Status collect(Statement& rows, const AccountingFilter& filter, AccountingAnswer& answer);
};

StoreReader::StoreReader(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
StoreReader::StoreReader(StoreReader&&) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&&) noexcept = default;
StoreReader::~StoreReader() = default;

Result<StoreReader> StoreReader::open(const std::string& directory) {
    const std::string path = directory + '/' + kStateFile;
    auto parts = std::make_unique<Parts>();
    BERTH_TRY(parts->database, Database::open(path, {.read_only = true}));
    BERTH_CHECK(check_schema(parts->database, path));
    BERTH_TRY(parts->by_window, parts->database.prepare(kByWindow));
    BERTH_TRY(parts->by_user, parts->database.prepare(kByUser));
    BERTH_TRY(parts->by_job, parts->database.prepare(kByJob));
    BERTH_TRY(parts->steps, parts->database.prepare(kSelectSteps));
    BERTH_TRY(parts->payloads, PayloadTable::prepare(parts->database));
    BERTH_TRY(parts->runs_database, Database::open(path, {.read_only = true}));
    BERTH_TRY(parts->runs, parts->runs_database.prepare(kRuns));
    return StoreReader(std::move(parts));
}

bool StoreReader::Parts::wanted(const Statement& row, const AccountingFilter& filter) const {
    if (filter.nothing || (!filter.duplicates && row.number(8) == 0)) return false;
    const auto state = static_cast<JobState>(row.number(7));
    const bool of_state =
        filter.states.empty() ||
        std::find(filter.states.begin(), filter.states.end(), state) != filter.states.end();
    return of_state && is_among(row.bytes(3), filter.users) &&
           is_among(row.bytes(4), filter.accounts) && is_in_any(row.bytes(5), filter.partitions) &&
           is_among(row.bytes(6), filter.names);
}

Result<AccountingRecord> StoreReader::Parts::read(const Statement& row) {
    Result<AccountingRecord> record = decode<AccountingRecord>(row.bytes(10));
    if (!record.ok() || !is_whole(row, row.number(0), 10, 12)) return damaged_job(row.number(0));
    if (!row.is_null(9)) record->cancelled_by = static_cast<std::uint32_t>(row.number(9));
    if (!record->started_at) return record;
    steps.bind(1, row.number(0)).bind(2, row.number(1)).bind(3, row.number(2));
    while (true) {
        BERTH_TRY(const bool found, steps.step());
        if (!found) break;
        Result<AccountedStep> step = decode<AccountedStep>(steps.bytes(0));
        if (!step.ok() || !is_whole(steps, row.number(0), 0, 1)) return damaged_job(row.number(0));
        record->steps.push_back(std::move(step).value());
    }
    // By id, the script would be the last step.
    std::vector<AccountedStep>& all = record->steps;
    std::stable_partition(all.begin(), all.end(),
                          [](const AccountedStep& step) { return step.id == kBatchStep; });
    return record;
}

Status StoreReader::Parts::collect(Statement& rows, const AccountingFilter& filter,
                                   AccountingAnswer& answer) {
    while (!answer.more) {
        BERTH_TRY(const bool found, rows.step());
        if (!found) return Done{};
        if (!wanted(rows, filter)) continue;
        Result<AccountingRecord> record = read(rows);
        if (!record.ok()) {
            rows.reset();
            return std::move(record).error();
        }
        if (filter.requeued_only && !record->requeued) continue;
        answer.more = answer.records.size() == filter.limit;
        if (!answer.more) answer.records.push_back(std::move(record).value());
    }
    rows.reset();
    return Done{};
}

Result<AccountingAnswer> StoreReader::accounting(const AccountingFilter& filter) {
    const std::lock_guard turn(parts_->turn);
    const std::int64_t from = filter.from ? column_of(*filter.from) : 0;
    const std::int64_t until = filter.until ? column_of(*filter.until) : kOpen;
    AccountingAnswer answer;
    if (filter.jobs.empty() && filter.users.size() == 1) {
        parts_->by_user.bind(1, std::string_view(filter.users.front()))
            .bind(2, from)
            .bind(3, until);
        BERTH_CHECK(parts_->collect(parts_->by_user, filter, answer));
        return answer;
    }
    if (filter.jobs.empty()) {
        parts_->by_window.bind(1, from).bind(2, until);
        BERTH_CHECK(parts_->collect(parts_->by_window, filter, answer));
        return answer;
    }
    std::set<JobId> jobs(filter.jobs.begin(), filter.jobs.end());
    for (const JobId job : jobs) {
        parts_->by_job.bind(1, job.value());
        BERTH_CHECK(parts_->collect(parts_->by_job, filter, answer));
    }
    return answer;
}

Status StoreReader::each_run(const RunFilter& filter,
                             const std::function<void(const AccountingRecord&)>& take) {
    const std::lock_guard turn(parts_->runs_turn);
    Statement& rows = parts_->runs;
    rows.bind(1, column_of(filter.from)).bind(2, column_of(filter.until));
    while (true) {
        BERTH_TRY(const bool found, rows.step());
        if (!found) return Done{};
        const Result<AccountingRecord> record = decode<AccountingRecord>(rows.bytes(1));
        if (!record.ok() || !is_whole(rows, rows.number(0), 1, 2)) {
            const std::int64_t job = rows.number(0);
            rows.reset();
            return damaged_job(job);
        }
        take(*record);
    }
}

// Prepared at each call: a file that no controller has opened since has no such table.
Result<Spans> StoreReader::spans(Time from, Time until) {
    const std::lock_guard turn(parts_->runs_turn);
    Database& database = parts_->runs_database;
    Spans spans;
    BERTH_TRY(Statement query, database.prepare(kSpans));
    const auto bind = [&](SpanKind kind) {
        query.bind(1, static_cast<std::int64_t>(kind))
            .bind(2, column_of(from))
            .bind(3, column_of(until));
    };
    bind(SpanKind::node);
    BERTH_TRY(spans.nodes, read_spans<NodeStanding>(query));
    bind(SpanKind::reservation);
    BERTH_TRY(spans.reservations, read_spans<ReservationStanding>(query));
    BERTH_CHECK(complete_occurrences(database, spans.reservations));
    BERTH_TRY(Statement first, database.prepare("SELECT min(began) FROM spans WHERE kind = 0"));
    BERTH_TRY(const bool found, first.step());
    if (!found || first.is_null(0)) return spans;
    BERTH_TRY(const std::int64_t kept, read_meta(database, kSpansKeptSince, 0));
    spans.since = time_of(std::max(first.number(0), kept));
    return spans;
}

Result<std::vector<NodeEventSpan>> StoreReader::node_events(Time from, Time until) {
    const std::lock_guard turn(parts_->runs_turn);
    BERTH_TRY(Statement query, parts_->runs_database.prepare(kSpans));
    query.bind(1, static_cast<std::int64_t>(SpanKind::event))
        .bind(2, column_of(from))
        .bind(3, column_of(until));
    return read_spans<NodeEvent>(query);
}

Result<JobPayload> StoreReader::payload(JobId job, std::optional<JobId> array_job) {
    const std::lock_guard turn(parts_->turn);
    return parts_->payloads.load(job, array_job);
}

}  // namespace berth
