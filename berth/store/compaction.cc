#include "berth/store/compaction.h"
#include "berth/engine/state/snapshot.h"

#include <chrono>

namespace berth {

namespace {

constexpr std::int64_t kRecordsPerCut = 64;  // A record may have many pages.
constexpr std::size_t kSnapshotsKept = 2;

}  // namespace

Result<Compaction> Compaction::prepare(Database& database, std::string path,
                                       const StoreSettings& settings, const Recovered& recovered,
                                       LogSink& log) {
    Compaction compaction(std::move(path), settings, log);
    BERTH_TRY(compaction.snapshots_, SnapshotTable::prepare(database));
    BERTH_TRY(compaction.journal_, JournalTable::prepare(database));
    compaction.last_ = recovered.chain;
    compaction.records_ = recovered.records;
    compaction.bytes_ = recovered.bytes;
    BERTH_TRY(const std::vector<SnapshotTable::Row> rows, compaction.snapshots_.list());
    for (const SnapshotTable::Row& row : rows) {
        auto& kind = row.complete ? compaction.complete_ : compaction.doomed_;
        kind.push_back(row.sequence);
    }
    return compaction;
}

void Compaction::appended(std::uint64_t sequence, JournalTable::Stored stored) {
    last_ = extended(last_, sequence, stored.crc);
    ++records_;
    bytes_ += stored.bytes;
}

bool Compaction::due() const {
    return records_ >= settings_.snapshot_records || bytes_ >= settings_.snapshot_bytes;
}

Status Compaction::advance(Database& database, const ClusterState& state) {
    if (replica_ != nullptr) return take_replica(database, state);
    if (idle()) return due() ? begin(database, state) : Status(Done{});
    const auto until = std::chrono::steady_clock::now() + settings_.rest_budget;
    do {
        BERTH_CHECK(step(database));
    } while (!idle() && std::chrono::steady_clock::now() < until);
    return Done{};
}

Status Compaction::begin(Database& database, const ClusterState& state) {
    const std::size_t things = state.jobs().size() + state.spec().nodes.size();
    if (things <= settings_.live_snapshot_things) {
        return take_slices(database, packed(last_, slices_of(state, settings_.slice_bytes)));
    }
    replica_ = std::make_unique<Replica>(path_, settings_.vfs, settings_.slice_bytes);
    records_ = bytes_ = 0;
    return Done{};
}

// If the file cannot be recovered, the state exists only in memory: then encoding it is worth a
// pause.
Status Compaction::take_replica(Database& database, const ClusterState& state) {
    std::optional<Result<SnapshotSlices>> made = replica_->take();
    if (!made) return Done{};
    replica_.reset();
    if (made->ok()) return take_slices(database, std::move(*made).value());
    log_->write(
        LogLevel::error, "store",
        "a snapshot is made of the state in memory, since what is on disk cannot be read: " +
            made->error().message);
    return take_slices(database, packed(last_, slices_of(state, settings_.slice_bytes)));
}

Status Compaction::take_slices(Database& database, SnapshotSlices taken) {
    BERTH_ASSERT(!taken.slices.empty());
    BERTH_TRY(Transaction transaction, Transaction::begin(database));
    BERTH_CHECK(snapshots_.begin(taken.last, taken.slices.size()));
    BERTH_CHECK(transaction.commit());
    taken_at_ = taken.last.sequence;
    slice_ = 0;
    slices_.assign(std::make_move_iterator(taken.slices.begin()),
                   std::make_move_iterator(taken.slices.end()));
    records_ = bytes_ = 0;
    return Done{};
}

Status Compaction::step(Database& database) {
    if (!slices_.empty()) return write_slice(database);
    BERTH_TRY(Transaction transaction, Transaction::begin(database));
    bool more = false;
    if (!doomed_.empty()) {
        BERTH_TRY(more, snapshots_.remove_some(doomed_.back()));
    } else {
        BERTH_TRY(more, journal_.cut(cut_to_, kRecordsPerCut));
    }
    BERTH_CHECK(transaction.commit());
    if (more) return Done{};
    if (!doomed_.empty()) {
        doomed_.pop_back();
    } else {
        cut_to_ = 0;
    }
    return Done{};
}

// The last slice, the completion mark, and the retirement of the surplus snapshot go into one
// transaction.
Status Compaction::write_slice(Database& database) {
    const bool last = slices_.size() == 1;
    BERTH_TRY(Transaction transaction, Transaction::begin(database));
    BERTH_CHECK(snapshots_.write(taken_at_, slice_, slices_.front()));
    if (last) {
        BERTH_CHECK(snapshots_.complete(taken_at_));
        for (std::size_t i = kSnapshotsKept - 1; i < complete_.size(); ++i) {
            BERTH_CHECK(snapshots_.retire(complete_[i]));
        }
    }
    BERTH_CHECK(transaction.commit());
    slices_.pop_front();
    ++slice_;
    if (last) completed();
    return Done{};
}

void Compaction::completed() {
    complete_.insert(complete_.begin(), taken_at_);
    while (complete_.size() > kSnapshotsKept) {
        doomed_.push_back(complete_.back());
        complete_.pop_back();
    }
    if (complete_.size() == kSnapshotsKept && !settings_.keep_journal) cut_to_ = complete_.back();
}

}  // namespace berth
