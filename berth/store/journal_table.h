// The journal as a table: one row per record, numbered without gaps, each with a checksum.
#pragma once

#include <functional>

#include "berth/model/event.h"
#include "berth/store/sqlite.h"

namespace berth {

class JournalTable {
public:
    static Result<JournalTable> prepare(Database& database);

    // A stored record: its size before compression, and its checksum.
    struct Stored {
        std::size_t bytes = 0;
        std::uint32_t crc = 0;
    };

    // REQUIRES: the caller has an open transaction. Does not write payloads: see PayloadTable.
    Result<Stored> append(const Record& record);

    // Calls `visit` for each record after `sequence`, in order. A gap or a damaged record is an
    // error that names its number. Stops at the first error of `visit`.
    Status read_after(std::uint64_t sequence,
                      const std::function<Status(const Record& record, Stored stored)>& visit);

    // Removes at most `limit` records up to and including `sequence`. Returns true if more remain
    // to be removed.
    Result<bool> cut(std::uint64_t sequence, std::int64_t limit);

    Result<std::uint64_t> first();  // The lowest number; 0: no records.
    Result<std::uint64_t> last();   // The highest number; 0: no records.

private:
    struct Row {
        std::uint64_t sequence = 0;
        std::int64_t crc = 0;  // Of the compressed bytes.
        std::string packed;
    };
    struct Read {
        Record record;
        Stored stored;
    };
    Result<std::vector<Row>> read_some(std::uint64_t after);
    static Result<Read> record_of(const Row& row, std::uint64_t wanted);

    static Result<std::uint64_t> number(Statement& query);

    Statement insert_, select_, delete_, first_, last_;
};

}  // namespace berth
