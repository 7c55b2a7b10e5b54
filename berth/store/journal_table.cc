#include "berth/store/journal_table.h"

#include "berth/base/codec.h"
#include "berth/store/crc32c.h"
#include "berth/store/packing.h"

namespace berth {

namespace {

constexpr std::size_t kRowsAtOnce = 200;

// The record as stored in the journal, without payloads, which have a table of their own.
struct WithoutPayloads {
    const Record& record;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        Record::fields(self.record, [&](const char* name, const auto& value) {
            if constexpr (std::is_same_v<decltype(value), const decltype(Record::payloads)&>) {
                visit(name, decltype(Record::payloads){});
            } else {
                visit(name, value);
            }
        });
    }
};

Error damaged_record(std::uint64_t sequence, std::string_view how) {
    return {ErrorCode::failed_precondition,
            "journal record " + std::to_string(sequence) + ' ' + std::string(how) +
                ": the state file is damaged_record; nothing was changed. Restore it from a copy"};
}

}  // namespace

Result<JournalTable> JournalTable::prepare(Database& database) {
    JournalTable table;
    BERTH_TRY(table.insert_, database.prepare("INSERT INTO journal VALUES(?, ?, ?)"));
    BERTH_TRY(table.select_,
              database.prepare("SELECT sequence, crc, record FROM journal WHERE sequence > ? "
                               "ORDER BY sequence LIMIT ?"));
    BERTH_TRY(table.delete_,
              database.prepare("DELETE FROM journal WHERE sequence IN (SELECT sequence FROM "
                               "journal WHERE sequence <= ? ORDER BY sequence LIMIT ?)"));
    BERTH_TRY(table.first_, database.prepare("SELECT min(sequence) FROM journal"));
    BERTH_TRY(table.last_, database.prepare("SELECT max(sequence) FROM journal"));
    return table;
}

Result<JournalTable::Stored> JournalTable::append(const Record& record) {
    const std::string bytes = encode(WithoutPayloads{record});
    const std::string packed = pack(bytes);
    const std::uint32_t crc = crc32c_of(record.sequence, packed);
    BERTH_CHECK(insert_.bind(1, static_cast<std::int64_t>(record.sequence))
                    .bind(2, crc)
                    .bind_bytes(3, packed)
                    .run());
    return Stored{bytes.size(), crc};
}

// Reads some rows at a time, and finishes the statement before they are visited: if the reader has
// no transaction, it holds the log no longer than that.
Status JournalTable::read_after(std::uint64_t sequence,
                                const std::function<Status(const Record&, Stored)>& visit) {
    for (std::vector<Row> rows;;) {
        BERTH_TRY(rows, read_some(sequence));
        for (const Row& row : rows) {
            BERTH_TRY(const Read read, record_of(row, ++sequence));
            BERTH_CHECK(visit(read.record, read.stored));
        }
        if (rows.size() < kRowsAtOnce) return Done{};
    }
}

Result<std::vector<JournalTable::Row>> JournalTable::read_some(std::uint64_t after) {
    std::vector<Row> rows;
    select_.reset();
    select_.bind(1, static_cast<std::int64_t>(after)).bind(2, kRowsAtOnce);
    for (;;) {
        BERTH_TRY(const bool found, select_.step());
        if (!found) return rows;
        rows.push_back({.sequence = static_cast<std::uint64_t>(select_.number(0)),
                        .crc = select_.number(1),
                        .packed = std::string(select_.bytes(2))});
    }
}

Result<JournalTable::Read> JournalTable::record_of(const Row& row, std::uint64_t wanted) {
    if (row.sequence != wanted) return damaged_record(wanted, "is missing");
    if (row.crc != crc32c_of(wanted, row.packed))
        return damaged_record(wanted, "does not match its checksum");
    const Result<std::string> bytes = unpack(row.packed);
    if (!bytes.ok()) return damaged_record(wanted, bytes.error().message);
    Result<Record> record = decode<Record>(*bytes);
    if (!record.ok() || record->sequence != wanted) return damaged_record(wanted, "cannot be read");
    return Read{std::move(record).value(), {bytes->size(), static_cast<std::uint32_t>(row.crc)}};
}

Result<bool> JournalTable::cut(std::uint64_t sequence, std::int64_t limit) {
    BERTH_CHECK(delete_.bind(1, static_cast<std::int64_t>(sequence)).bind(2, limit).run());
    return delete_.changed() == limit;
}

Result<std::uint64_t> JournalTable::first() { return number(first_); }
Result<std::uint64_t> JournalTable::last() { return number(last_); }

Result<std::uint64_t> JournalTable::number(Statement& query) {
    BERTH_TRY(const bool row, query.step());
    const std::uint64_t sequence = row ? static_cast<std::uint64_t>(query.number(0)) : 0;
    query.reset();
    return sequence;
}

}  // namespace berth
