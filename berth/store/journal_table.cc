#include "berth/store/journal_table.h"

#include "berth/base/codec.h"
#include "berth/store/crc32c.h"

namespace berth {

namespace {

// The record as it stands in the journal: scripts and environments lie in a table of their own.
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

Error damaged(std::uint64_t sequence, std::string_view how) {
    return {ErrorCode::failed_precondition,
            "journal record " + std::to_string(sequence) + ' ' + std::string(how) +
                ": the state file is damaged; nothing was changed. Restore it from a copy"};
}

}  // namespace

Result<JournalTable> JournalTable::prepare(Database& database) {
    JournalTable table;
    BERTH_TRY(table.insert_, database.prepare("INSERT INTO journal VALUES(?, ?, ?)"));
    BERTH_TRY(table.select_,
              database.prepare("SELECT sequence, crc, record FROM journal WHERE sequence > ? "
                               "ORDER BY sequence"));
    BERTH_TRY(table.delete_,
              database.prepare("DELETE FROM journal WHERE sequence IN (SELECT sequence FROM "
                               "journal WHERE sequence <= ? ORDER BY sequence LIMIT ?)"));
    BERTH_TRY(table.first_, database.prepare("SELECT min(sequence) FROM journal"));
    return table;
}

Result<std::size_t> JournalTable::append(const Record& record) {
    const std::string bytes = encode(WithoutPayloads{record});
    BERTH_CHECK(insert_.bind(1, static_cast<std::int64_t>(record.sequence))
                    .bind(2, crc32c_of(record.sequence, bytes))
                    .bind_bytes(3, bytes)
                    .run());
    return bytes.size();
}

Status JournalTable::read_after(std::uint64_t sequence,
                                const std::function<Status(const Record&, std::size_t)>& visit) {
    select_.reset();
    select_.bind(1, static_cast<std::int64_t>(sequence));
    for (std::uint64_t next = sequence + 1;; ++next) {
        BERTH_TRY(const bool row, select_.step());
        if (!row) return Done{};
        const auto number = static_cast<std::uint64_t>(select_.number(0));
        if (number != next) return damaged(next, "is missing");
        const std::string_view bytes = select_.bytes(2);
        if (select_.number(1) != crc32c_of(number, bytes)) {
            return damaged(number, "does not match its checksum");
        }
        const Result<Record> record = decode<Record>(bytes);
        if (!record.ok() || record->sequence != number) return damaged(number, "cannot be read");
        BERTH_CHECK(visit(*record, bytes.size()));
    }
}

Result<bool> JournalTable::cut(std::uint64_t sequence, std::int64_t limit) {
    BERTH_CHECK(delete_.bind(1, static_cast<std::int64_t>(sequence)).bind(2, limit).run());
    return delete_.changed() == limit;
}

Result<std::uint64_t> JournalTable::first() {
    BERTH_TRY(const bool row, first_.step());
    const std::uint64_t sequence = row ? static_cast<std::uint64_t>(first_.number(0)) : 0;
    first_.reset();
    return sequence;
}

}  // namespace berth
