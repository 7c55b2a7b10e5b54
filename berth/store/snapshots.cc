#include "berth/store/snapshots.h"
#include "berth/engine/state/snapshot.h"

#include "berth/store/crc32c.h"
#include "berth/store/packing.h"

namespace berth {

namespace {

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }

Error damaged_snapshot(std::uint64_t sequence, const std::string& how) {
    return {
        ErrorCode::failed_precondition,
        "the snapshot at record " + std::to_string(sequence) + ' ' + how +
            ": the state file is damaged_snapshot; nothing was changed. Restore it from a copy"};
}

}  // namespace

Result<SnapshotTable> SnapshotTable::prepare(Database& database) {
    SnapshotTable table;
    BERTH_TRY(table.insert_, database.prepare("INSERT INTO snapshots VALUES(?, ?, 0, ?)"));
    BERTH_TRY(table.write_, database.prepare("INSERT INTO snapshot_slices VALUES(?, ?, ?, ?)"));
    BERTH_TRY(table.complete_,
              database.prepare("UPDATE snapshots SET complete = 1 WHERE sequence = ?"));
    BERTH_TRY(table.retire_,
              database.prepare("UPDATE snapshots SET complete = 0 WHERE sequence = ?"));
    BERTH_TRY(table.remove_slice_,
              database.prepare("DELETE FROM snapshot_slices WHERE rowid = (SELECT rowid FROM "
                               "snapshot_slices WHERE sequence = ? LIMIT 1)"));
    BERTH_TRY(table.remove_, database.prepare("DELETE FROM snapshots WHERE sequence = ?"));
    BERTH_TRY(table.list_, database.prepare("SELECT sequence, slices, complete, chain FROM "
                                            "snapshots ORDER BY sequence DESC"));
    BERTH_TRY(table.load_, database.prepare("SELECT slice, crc, bytes FROM snapshot_slices "
                                            "WHERE sequence = ? ORDER BY slice"));
    return table;
}

Status SnapshotTable::begin(Chain last, std::size_t slices) {
    return insert_.bind(1, signed_of(last.sequence))
        .bind(2, signed_of(slices))
        .bind(3, signed_of(last.hash))
        .run();
}

Status SnapshotTable::write(std::uint64_t sequence, std::size_t slice, std::string_view packed) {
    return write_.bind(1, signed_of(sequence))
        .bind(2, signed_of(slice))
        .bind(3, crc32c_of(slice, packed))
        .bind_bytes(4, packed)
        .run();
}

Status SnapshotTable::complete(std::uint64_t sequence) {
    return complete_.bind(1, signed_of(sequence)).run();
}

Status SnapshotTable::retire(std::uint64_t sequence) {
    return retire_.bind(1, signed_of(sequence)).run();
}

Result<bool> SnapshotTable::remove_some(std::uint64_t sequence) {
    BERTH_CHECK(remove_slice_.bind(1, signed_of(sequence)).run());
    if (remove_slice_.changed() > 0) return true;
    BERTH_CHECK(remove_.bind(1, signed_of(sequence)).run());
    return false;
}

Result<std::vector<SnapshotTable::Row>> SnapshotTable::list() {
    std::vector<Row> rows;
    while (true) {
        BERTH_TRY(const bool row, list_.step());
        if (!row) return rows;
        rows.push_back({.sequence = static_cast<std::uint64_t>(list_.number(0)),
                        .slices = static_cast<std::size_t>(list_.number(1)),
                        .complete = list_.number(2) != 0,
                        .chain = static_cast<std::uint64_t>(list_.number(3))});
    }
}

Result<ClusterState> SnapshotTable::load(const Row& row) {
    std::vector<std::string> slices;
    load_.reset();
    load_.bind(1, signed_of(row.sequence));
    while (true) {
        BERTH_TRY(const bool found, load_.step());
        if (!found) break;
        const auto slice = static_cast<std::uint64_t>(load_.number(0));
        const std::string_view packed = load_.bytes(2);
        if (slice != slices.size() || load_.number(1) != crc32c_of(slice, packed)) {
            return damaged_snapshot(row.sequence,
                                    "has a bad slice " + std::to_string(slices.size()));
        }
        Result<std::string> bytes = unpack(packed);
        if (!bytes.ok())
            return damaged_snapshot(row.sequence, "has a slice that " + bytes.error().message);
        slices.push_back(std::move(bytes).value());
    }
    if (slices.size() != row.slices) return damaged_snapshot(row.sequence, "lacks slices");
    Result<ClusterState> state = state_from(slices);
    if (!state.ok())
        return damaged_snapshot(row.sequence, "cannot be read (" + state.error().message + ')');
    return state;
}

}  // namespace berth
