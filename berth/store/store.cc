#include "berth/store/store.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "berth/store/accounting_table.h"
#include "berth/store/checkpointer.h"
#include "berth/store/compaction.h"
#include "berth/store/disk_file.h"
#include "berth/store/free_space.h"
#include "berth/store/journal_table.h"
#include "berth/store/later.h"
#include "berth/store/log_room.h"
#include "berth/store/payload_table.h"
#include "berth/store/recovery.h"
#include "berth/store/retention.h"
#include "berth/store/schema.h"
#include "berth/store/span_table.h"
#include "berth/store/sqlite.h"
#include "berth/store/state_lock.h"
#include "berth/store/tail.h"

namespace berth {

struct Store::Parts {
    StateLock lock;  // First member, so that it is released last.
    Database database;
    JournalTable journal;
    PayloadTable payloads;
    AccountingTable accounting;
    SpanTable spans;
    Compaction compaction;
    FreeSpace space;
    LogSink& log;
    Checkpointer checkpointer;
    LogRoom log_room;
    std::size_t live_snapshot_things;
    Retention retention;
    TailFile tail;
    Time last_at{};  // Of the last record.
    bool failed = false, tail_failed = false;

    Result<JournalTable::Stored> write(const Record& record, const ClusterState& after);
    void write_tail();
    Status drop_what_is_old();
};

namespace {

// Scripts and environments must stay private. SQLite gives the files that it creates beside the
// database the database's mode.
Status keep_private(const std::string& path) {
    for (const char* const beside : {"", "-wal", "-shm"}) {
        const int make = *beside == 0 ? O_CREAT : 0;
        const int file = ::open((path + beside).c_str(), O_RDWR | O_CLOEXEC | make, 0600);
        const bool done = file >= 0 ? fchmod(file, 0600) == 0 : make == 0 && errno == ENOENT;
        const int why = errno;
        if (file >= 0) close(file);
        if (!done) return Error{ErrorCode::internal, path + beside + ": " + std::strerror(why)};
    }
    return Done{};
}

// A tail without its database: the database was lost or moved away, and an empty cluster would
// start.
Status check_not_gone(const std::string& path, bool accept_loss) {
    if (accept_loss || ::access(path.c_str(), F_OK) == 0) return Done{};
    const Result<std::optional<Chain>> tail = read_tail(path);
    if (tail.ok() && (!*tail || (*tail)->sequence == 0)) return Done{};
    return Error{ErrorCode::failed_precondition,
                 path + " is not there, but " + tail_path(path) +
                     " is: move that away and restore the state from a copy (berth restore), or "
                     "begin with an empty cluster by --accept-loss"};
}

std::size_t things_in(const ClusterState& state) {
    return state.jobs().size() + state.spec().nodes.size();
}

// `known`: the epoch of the last record. A controller takes its epoch before it writes in it.
Result<Epoch> take_epoch(Database& database, Epoch known) {
    BERTH_TRY(const std::int64_t last, read_meta(database, "epoch"));
    if (last < 0 || static_cast<std::uint64_t>(last) < known.value()) {
        return Error{ErrorCode::failed_precondition,
                     "the state file says epoch " + std::to_string(last) +
                         ", and its last record is of epoch " + to_string(known) +
                         ": the state file is damaged. Restore it from a copy"};
    }
    BERTH_CHECK(write_meta(database, "epoch", last + 1));
    return Epoch(static_cast<std::uint64_t>(last + 1));
}

// Reads the file as it was left. Nothing is written before the file is known to be complete.
Result<Recovered> recover_whole(Database& database, const std::string& path, bool accept_loss,
                                LogSink& log) {
    const Result<std::optional<Chain>> tail = read_tail(path);
    const bool has_mark = tail.ok() && *tail;
    BERTH_TRY(Recovered recovered,
              recover(database, RecoverFrom::newest,
                      {.mark = has_mark ? std::optional((*tail)->sequence) : std::nullopt}));
    BERTH_TRY(const std::int64_t had_tail, read_meta(database, kHasTail, 0));
    std::optional<std::string> loss;
    if (!tail.ok()) {
        loss = ": " + tail.error().message;
    } else if (has_mark) {
        loss = loss_told_by(**tail, recovered.chain, recovered.marked);
        if (loss) loss = ' ' + *loss;
    } else if (had_tail != 0) {
        loss = " has no " + tail_path(path) + ", which tells whether records are missing";
    }
    if (!loss) {
        if (accept_loss)
            log.write(LogLevel::warning, "store", "no record is missing: omit --accept-loss");
        return recovered;
    }
    if (!accept_loss) {
        return Error{ErrorCode::failed_precondition,
                     path + *loss +
                         ". Nothing was changed. Restore the state from a copy (berth restore), or "
                         "start once without them by --accept-loss"};
    }
    BERTH_CHECK(check_sound(database, path));
    BERTH_TRY(const std::uint32_t next_job, count_as_later(database, recovered));
    log.write(LogLevel::warning, "store",
              path + *loss + ". Started without them, as asked by --accept-loss; the next job is " +
                  std::to_string(next_job));
    return recovered;
}

}  // namespace

Store::Store(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Store::Store(Store&&) noexcept = default;
Store::~Store() = default;

Result<Opened> Store::open(const std::string& directory, StoreSettings settings, LogSink& log) {
    const std::string path = directory + '/' + kStateFile;
    BERTH_CHECK(check_not_gone(path, settings.accept_loss));
    BERTH_CHECK(keep_private(path));
    BERTH_TRY(StateLock lock, StateLock::take(path));
    BERTH_TRY(Database database, Database::open(path, {.vfs = settings.vfs}));
    database.closes_log(false);
    BERTH_CHECK(prepare_schema(database, path));
    BERTH_CHECK(sync_directory(directory));
    BERTH_TRY(Recovered recovered, recover_whole(database, path, settings.accept_loss, log));
    database.closes_log(true);
    BERTH_TRY(TailFile tail, TailFile::open(path, recovered.chain));
    BERTH_CHECK(write_meta(database, kHasTail, 1));
    BERTH_TRY(const Epoch epoch, take_epoch(database, recovered.epoch));
    BERTH_TRY(const std::int64_t first_job, read_meta(database, kRestoredNextJob, 1));
    BERTH_CHECK(add_later_tables(database));
    BERTH_TRY(JournalTable journal, JournalTable::prepare(database));
    BERTH_TRY(PayloadTable payloads, PayloadTable::prepare(database));
    BERTH_TRY(AccountingTable accounting, AccountingTable::prepare(database));
    BERTH_TRY(SpanTable spans, SpanTable::prepare(database));
    BERTH_TRY(Compaction compaction, Compaction::prepare(database, path, settings, recovered, log));
    BERTH_TRY(Retention retention, Retention::prepare(database, std::move(settings.retention)));
    FreeSpace space(directory, settings.reserve_bytes, settings.free_bytes);
    Checkpointer checkpointer(path, settings.vfs, settings.checkpoints);
    LogRoom log_room(path, settings.vfs.empty() ? settings.log_bytes : 0);
    auto parts = std::make_unique<Parts>(
        Parts{std::move(lock), std::move(database), std::move(journal), std::move(payloads),
              std::move(accounting), std::move(spans), std::move(compaction), std::move(space), log,
              std::move(checkpointer), std::move(log_room), settings.live_snapshot_things,
              std::move(retention), std::move(tail)});
    return Opened{.store = Store(std::move(parts)),
                  .state = std::move(recovered.state),
                  .epoch = epoch,
                  .first_job = static_cast<std::uint32_t>(first_job),
                  .next_sequence = recovered.sequence + 1,
                  .snapshot_sequence = recovered.snapshot_sequence,
                  .replayed_records = recovered.records,
                  .last_at = recovered.last_at};
}

Result<JournalTable::Stored> Store::Parts::write(const Record& record, const ClusterState& after) {
    BERTH_TRY(Transaction transaction, Transaction::begin(database));
    BERTH_TRY(const JournalTable::Stored stored, journal.append(record));
    BERTH_CHECK(accounting.write(record, after));
    BERTH_CHECK(spans.write(record, after));
    BERTH_CHECK(payloads.write(record, after));
    BERTH_CHECK(transaction.commit());
    return stored;
}

// A tail that lags is harmless, but detects fewer losses.
void Store::Parts::write_tail() {
    const Status written = tail.write(compaction.last());
    if (written.ok() || std::exchange(tail_failed, true)) return;
    log.write(LogLevel::error, "store",
              "lost records may go unnoticed: " + written.error().message);
}

Status Store::append(const Record& record, const ClusterState& after) {
    Parts& parts = *parts_;
    BERTH_ASSERT(!parts.failed);
    BERTH_ASSERT(record.sequence == parts.compaction.last_sequence() + 1);
    parts.checkpointer.let_finish();
    Result<JournalTable::Stored> stored = parts.write(record, after);
    // SQLite has rolled back and nothing was promised: with the reserve's space the write may
    // succeed.
    if (!stored.ok() && stored.error().code == ErrorCode::resource_exhausted &&
        parts.space.give_up_reserve()) {
        parts.log.write(LogLevel::error, "store",
                        "the disk is full: the reserve is given up, and new jobs are refused until "
                        "there is room again (" +
                            stored.error().message + ')');
        stored = parts.write(record, after);
    }
    if (!stored.ok()) {
        parts.failed = true;
        return prefixed("record " + std::to_string(record.sequence), std::move(stored).error());
    }
    parts.compaction.appended(record.sequence, *stored);
    parts.write_tail();
    parts.last_at = record.now;
    return Done{};
}

Status Store::Parts::drop_what_is_old() {
    std::string trouble;
    BERTH_CHECK(retention.advance(database, last_at, Retention::Clock::now(), trouble));
    if (!trouble.empty()) log.write(LogLevel::error, "store", trouble);
    return Done{};
}

Status Store::rest(const ClusterState& state) {
    BERTH_ASSERT(!parts_->failed);
    Parts& parts = *parts_;
    if (!parts.log_room.is_grown() && things_in(state) > parts.live_snapshot_things)
        parts.log_room.grow();
    Status rested = parts.compaction.advance(parts.database, state);
    if (rested.ok()) rested = parts.drop_what_is_old();
    parts.checkpointer.log_is(parts.database.log_frames());
    if (rested.ok()) rested = parts.checkpointer.status();
    if (rested.ok()) return rested;
    // A snapshot can wait for space; the journal needs it more.
    if (rested.error().code == ErrorCode::resource_exhausted) return Done{};
    parts.failed = true;
    return prefixed("between two turns", rested.error());
}

bool Store::has_room() { return parts_->space.has_room(); }

Result<JobPayload> Store::payload(JobId job, std::optional<JobId> array_job) {
    return parts_->payloads.load(job, array_job);
}

}  // namespace berth
