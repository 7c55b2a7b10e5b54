#include "berth/store/replay.h"

#include <cstdio>

#include "berth/store/journal_table.h"
#include "berth/store/recovery.h"
#include "berth/store/schema.h"
#include "berth/store/tail.h"

namespace berth {

namespace {

struct ToRead {
    Database database;
    std::optional<Chain> tail;
};

Result<ToRead> open_to_read(const std::string& directory) {
    const std::string path = directory + '/' + kStateFile;
    // Read before the rest, so the rest can only be newer.
    BERTH_TRY(const std::optional<Chain> tail, read_tail(path));
    BERTH_TRY(Database database, Database::open(path, {.read_only = true}));
    BERTH_CHECK(check_schema(database, path));
    // All reads from here on see the same moment, whatever a controller appends meanwhile.
    BERTH_CHECK(database.run("BEGIN"));
    return ToRead{std::move(database), tail};
}

// From the newest snapshot, as a controller would. Fails if records are missing.
Result<Recovered> recover_all(ToRead& from, std::optional<std::uint64_t> until = std::nullopt) {
    const auto mark = from.tail ? std::optional(from.tail->sequence) : std::nullopt;
    BERTH_TRY(Recovered recovered,
              recover(from.database, RecoverFrom::newest, {.mark = mark, .until = until}));
    if (!from.tail) return recovered;
    const auto loss = loss_told_by(*from.tail, recovered.chain, recovered.marked);
    if (loss) return Error{ErrorCode::failed_precondition, "the state " + *loss};
    return recovered;
}

std::string hexadecimal(std::uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return text;
}

}  // namespace

Result<Replayed> replay(const std::string& directory, std::optional<std::uint64_t> until) {
    BERTH_TRY(ToRead from, open_to_read(directory));
    BERTH_TRY(Recovered recovered, recover_all(from, until));
    const std::uint64_t hash = recovered.state.hash();
    return Replayed{.state = std::move(recovered.state),
                    .hash = hash,
                    .sequence = recovered.sequence,
                    .snapshot_sequence = recovered.snapshot_sequence,
                    .records = recovered.records};
}

Result<Verified> verify(const std::string& directory) {
    BERTH_TRY(ToRead from, open_to_read(directory));
    BERTH_TRY(const Recovered old, recover(from.database, RecoverFrom::oldest));
    BERTH_TRY(const Recovered young, recover_all(from));
    const std::uint64_t hash = old.state.hash();
    if (old.sequence != young.sequence || hash != young.state.hash()) {
        return Error{ErrorCode::internal,
                     "replaying from record " + std::to_string(old.snapshot_sequence) + " gives " +
                         hexadecimal(hash) + ", from record " +
                         std::to_string(young.snapshot_sequence) + ' ' +
                         hexadecimal(young.state.hash()) + ": please report this bug"};
    }
    return Verified{.hash = hash,
                    .sequence = old.sequence,
                    .oldest = old.snapshot_sequence,
                    .newest = young.snapshot_sequence,
                    .records = old.records};
}

Result<DecidedAgain> decide_again(const std::string& directory) {
    BERTH_TRY(ToRead from, open_to_read(directory));
    BERTH_TRY(Recovered start, recover_start(from.database, RecoverFrom::oldest));
    BERTH_TRY(JournalTable journal, JournalTable::prepare(from.database));
    DecidedAgain again{.oldest = start.snapshot_sequence, .sequence = start.snapshot_sequence};
    DecisionCheck check(std::move(start.state));
    BERTH_CHECK(journal.read_after(again.oldest, [&](const Record& record, auto) -> Status {
        if (again.first) return Done{};
        again.first = check.take(record);
        again.sequence = record.sequence;
        return Done{};
    }));
    again.decisions = check.decisions();
    again.put_off = check.put_off();
    return again;
}

}  // namespace berth
