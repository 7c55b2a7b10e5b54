#include "berth/store/store.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "berth/store/accounting_table.h"
#include "berth/store/compaction.h"
#include "berth/store/disk_file.h"
#include "berth/store/journal_table.h"
#include "berth/store/log_room.h"
#include "berth/store/payload_table.h"
#include "berth/store/recovery.h"
#include "berth/store/schema.h"
#include "berth/store/sqlite.h"

namespace berth {

struct Store::Parts {
    Database database;
    JournalTable journal;
    PayloadTable payloads;
    AccountingTable accounting;
    Compaction compaction;
    FreeSpace space;
    LogSink& log;
    Checkpointer checkpointer;
    LogRoom log_room;
    std::size_t live_snapshot_things;
    Retention retention;
    Time last_at{};  // Of the last record.
    bool failed = false;

    Result<std::size_t> write(const Record& record, const ClusterState& after);
    Status drop_what_is_old();
};

namespace {

// Scripts and environments are nobody else's. What SQLite puts beside the file is as private as the
// file is when it comes to be.
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

std::size_t things_in(const ClusterState& state) {
    return state.jobs().size() + state.spec().nodes.size();
}

// An epoch that was taken before must never be taken again: agents would take a dead controller's
// orders for ours.
Result<Epoch> take_epoch(Database& database, Epoch recorded) {
    BERTH_TRY(const std::int64_t last, read_meta(database, "epoch"));
    if (last < 0 || static_cast<std::uint64_t>(last) < recorded.value()) {
        return Error{ErrorCode::failed_precondition,
                     "the state file's epoch is " + std::to_string(last) +
                         ", but its records are of epoch " + to_string(recorded) +
                         ": the file is damaged. Restore it from a copy"};
    }
    BERTH_CHECK(write_meta(database, "epoch", last + 1));
    return Epoch(static_cast<std::uint64_t>(last + 1));
}

}  // namespace

Store::Store(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Store::Store(Store&&) noexcept = default;
Store::~Store() = default;

Result<Opened> Store::open(const std::string& directory, StoreSettings settings, LogSink& log) {
    const std::string path = directory + '/' + kStateFile;
    BERTH_CHECK(keep_private(path));
    BERTH_TRY(Database database, Database::open(path, {.vfs = settings.vfs}));
    BERTH_CHECK(prepare_schema(database, path));
    BERTH_CHECK(sync_directory(directory));
    BERTH_TRY(Recovered recovered, recover(database, RecoverFrom::newest));
    BERTH_TRY(const Epoch epoch, take_epoch(database, recovered.state.epoch()));
    BERTH_TRY(const std::int64_t first_job, read_meta(database, kRestoredNextJob, 1));
    BERTH_TRY(JournalTable journal, JournalTable::prepare(database));
    BERTH_TRY(PayloadTable payloads, PayloadTable::prepare(database));
    BERTH_TRY(AccountingTable accounting, AccountingTable::prepare(database));
    BERTH_TRY(Compaction compaction, Compaction::prepare(database, path, settings, recovered, log));
    BERTH_TRY(Retention retention, Retention::prepare(database, std::move(settings.retention)));
    FreeSpace space(directory, settings.reserve_bytes, settings.free_bytes);
    Checkpointer checkpointer(path, settings.vfs, settings.checkpoints);
    LogRoom log_room(path, settings.vfs.empty() ? settings.log_bytes : 0);
    auto parts = std::make_unique<Parts>(
        Parts{std::move(database), std::move(journal), std::move(payloads), std::move(accounting),
              std::move(compaction), std::move(space), log, std::move(checkpointer),
              std::move(log_room), settings.live_snapshot_things, std::move(retention)});
    return Opened{.store = Store(std::move(parts)),
                  .state = std::move(recovered.state),
                  .epoch = epoch,
                  .first_job = static_cast<std::uint32_t>(first_job),
                  .next_sequence = recovered.sequence + 1,
                  .snapshot_sequence = recovered.snapshot_sequence,
                  .replayed_records = recovered.records,
                  .last_at = recovered.last_at};
}

Result<std::size_t> Store::Parts::write(const Record& record, const ClusterState& after) {
    BERTH_TRY(Transaction transaction, Transaction::begin(database));
    BERTH_TRY(const std::size_t bytes, journal.append(record));
    BERTH_CHECK(accounting.write(record, after));
    BERTH_CHECK(payloads.write(record, after));
    BERTH_CHECK(transaction.commit());
    return bytes;
}

Status Store::append(const Record& record, const ClusterState& after) {
    Parts& parts = *parts_;
    BERTH_ASSERT(!parts.failed);
    BERTH_ASSERT(record.sequence == parts.compaction.last_sequence() + 1);
    parts.checkpointer.let_finish();
    Result<std::size_t> bytes = parts.write(record, after);
    // SQLite has taken back what it wrote, and promised nothing: with the reserve's room it may go.
    if (!bytes.ok() && bytes.error().code == ErrorCode::resource_exhausted &&
        parts.space.give_up_reserve()) {
        parts.log.write(LogLevel::error, "store",
                        "the disk is full: the reserve is given up, and new jobs are refused until "
                        "there is room again (" +
                            bytes.error().message + ')');
        bytes = parts.write(record, after);
    }
    if (!bytes.ok()) {
        parts.failed = true;
        return prefixed("record " + std::to_string(record.sequence), std::move(bytes).error());
    }
    parts.compaction.appended(record.sequence, *bytes);
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
    // A snapshot can wait for room; the journal needs it more.
    if (rested.error().code == ErrorCode::resource_exhausted) return Done{};
    parts.failed = true;
    return prefixed("between two turns", rested.error());
}

bool Store::has_room() { return parts_->space.has_room(); }

Result<JobPayload> Store::payload(JobId job, std::optional<JobId> array_job) {
    return parts_->payloads.load(job, array_job);
}

}  // namespace berth
