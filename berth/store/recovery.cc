#include "berth/store/recovery.h"

#include "berth/store/journal_table.h"
#include "berth/store/snapshots.h"

namespace berth {

namespace {

// The snapshot to start from; nullopt: the first record of the journal.
Result<std::optional<SnapshotTable::Row>> choose(SnapshotTable& snapshots, JournalTable& journal,
                                                 RecoverFrom from,
                                                 std::optional<std::uint64_t> until) {
    BERTH_TRY(const std::vector<SnapshotTable::Row> rows, snapshots.list());
    BERTH_TRY(const std::uint64_t first, journal.first());
    std::optional<SnapshotTable::Row> chosen;
    if (from == RecoverFrom::oldest && first == 1) return chosen;
    for (const SnapshotTable::Row& row : rows) {  // Newest first.
        if (!row.complete || (until && row.sequence > *until)) continue;
        if (from == RecoverFrom::newest && chosen) break;
        if (chosen && first > row.sequence + 1) break;  // The records after it are being removed.
        chosen = row;
    }
    if (!chosen && first > 1) {
        return Error{ErrorCode::failed_precondition,
                     "the journal begins at record " + std::to_string(first) +
                         " and no snapshot leads up to it: the state file is damaged"};
    }
    return chosen;
}

}  // namespace

Result<Recovered> recover_start(Database& database, RecoverFrom from,
                                std::optional<std::uint64_t> until) {
    BERTH_TRY(JournalTable journal, JournalTable::prepare(database));
    BERTH_TRY(SnapshotTable snapshots, SnapshotTable::prepare(database));
    BERTH_TRY(const std::optional<SnapshotTable::Row> snapshot,
              choose(snapshots, journal, from, until));
    Recovered recovered;
    if (snapshot) {
        BERTH_TRY(recovered.state, snapshots.load(*snapshot));
        recovered.sequence = recovered.snapshot_sequence = snapshot->sequence;
        recovered.chain = {snapshot->sequence, snapshot->chain};
    }
    return recovered;
}

Result<Recovered> recover(Database& database, RecoverFrom from, const RecoverOptions& options) {
    BERTH_TRY(JournalTable journal, JournalTable::prepare(database));
    BERTH_TRY(Recovered recovered, recover_start(database, from, options.until));
    const auto note = [&] {
        if (recovered.chain.sequence == options.mark) recovered.marked = recovered.chain;
    };
    note();
    const auto apply = [&](const Record& record, JournalTable::Stored stored) -> Status {
        if (options.stop != nullptr && *options.stop)
            return Error{ErrorCode::unavailable, "told to stop"};
        recovered.chain = extended(recovered.chain, record.sequence, stored.crc);
        note();
        if (options.until && record.sequence > *options.until) return Done{};
        for (const Fact& fact : record.facts) recovered.state.apply(record.now, fact);
        recovered.sequence = record.sequence;
        recovered.epoch = record.epoch;
        recovered.last_at = record.now;
        ++recovered.records;
        recovered.bytes += stored.bytes;
        return Done{};
    };
    BERTH_CHECK(journal.read_after(recovered.snapshot_sequence, apply));
    if (recovered.records > 0 || recovered.sequence == 0) return recovered;
    // The last record that the snapshot includes is kept, as are all records since the previous
    // snapshot.
    const auto take_last = [&](const Record& record, JournalTable::Stored) -> Status {
        if (record.sequence != recovered.sequence) return Done{};
        recovered.epoch = record.epoch;
        recovered.last_at = record.now;
        return Done{};
    };
    BERTH_CHECK(journal.read_after(recovered.sequence - 1, take_last));
    return recovered;
}

}  // namespace berth
