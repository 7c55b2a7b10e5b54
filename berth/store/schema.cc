#include "berth/store/schema.h"

namespace berth {

namespace {

constexpr std::int64_t kApplicationId =
    0x42727468;  // "Brth": SQLite's own mark of whose file it is.

// Records, payloads and slices stand there as packing.h has made them.
//
// Jobs that are still open have ended = kOpen (accounting_table.cc), so that one index serves all
// windows of time.
constexpr const char* kTables = R"sql(
BEGIN IMMEDIATE;
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE journal(sequence INTEGER PRIMARY KEY, crc INTEGER NOT NULL, record BLOB NOT NULL);
CREATE TABLE snapshots(
    sequence INTEGER PRIMARY KEY, slices INTEGER NOT NULL, complete INTEGER NOT NULL);
CREATE TABLE snapshot_slices(
    sequence INTEGER NOT NULL, slice INTEGER NOT NULL, crc INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY(sequence, slice));
CREATE TABLE payloads(job INTEGER PRIMARY KEY, payload BLOB NOT NULL);
CREATE TABLE jobs(
    id INTEGER PRIMARY KEY, job INTEGER NOT NULL, submitted INTEGER NOT NULL,
    attempt INTEGER NOT NULL, latest INTEGER NOT NULL, array_job INTEGER,
    user TEXT NOT NULL, account TEXT NOT NULL, partition TEXT NOT NULL,
    name TEXT NOT NULL, state INTEGER NOT NULL, ended INTEGER NOT NULL, cancelled_by INTEGER,
    row BLOB NOT NULL, UNIQUE(job, submitted, attempt));
CREATE INDEX jobs_by_array ON jobs(array_job) WHERE array_job IS NOT NULL;
CREATE INDEX jobs_by_end ON jobs(ended);
CREATE TABLE steps(
    job INTEGER NOT NULL, submitted INTEGER NOT NULL, attempt INTEGER NOT NULL,
    step INTEGER NOT NULL, open INTEGER NOT NULL, row BLOB NOT NULL,
    PRIMARY KEY(job, submitted, attempt, step));
INSERT INTO meta VALUES('schema', 2);
INSERT INTO meta VALUES('epoch', 0);
PRAGMA application_id = 0x42727468;
COMMIT;
)sql";

Result<std::int64_t> one_number(Database& database, std::string_view sql) {
    BERTH_TRY(Statement query, database.prepare(sql));
    BERTH_TRY(const bool row, query.step());
    return row ? query.number(0) : 0;
}

Error not_ours(const std::string& path) {
    return {ErrorCode::failed_precondition,
            path + " is a database, but not Berth's: name another state directory"};
}

}  // namespace

Status check_schema(Database& database, const std::string& path) {
    BERTH_TRY(const std::int64_t owner, one_number(database, "PRAGMA application_id"));
    if (owner != kApplicationId) return not_ours(path);
    BERTH_TRY(const std::int64_t version, read_meta(database, "schema"));
    if (version == kSchemaVersion) return Done{};
    return Error{ErrorCode::failed_precondition,
                 path + " has schema version " + std::to_string(version) +
                     "; this program knows version " + std::to_string(kSchemaVersion) +
                     (version > kSchemaVersion ? ": start the newer Berth that wrote it"
                                               : ": no older version was ever released")};
}

Status prepare_schema(Database& database, const std::string& path) {
    BERTH_CHECK(
        database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;"));
    BERTH_TRY(const std::int64_t tables,
              one_number(database, "SELECT count(*) FROM sqlite_schema"));
    if (tables > 0) return check_schema(database, path);
    BERTH_TRY(const std::int64_t owner, one_number(database, "PRAGMA application_id"));
    if (owner != 0) return not_ours(path);
    return database.run(kTables);
}

Result<std::int64_t> read_meta(Database& database, std::string_view name,
                               std::optional<std::int64_t> otherwise) {
    BERTH_TRY(Statement query, database.prepare("SELECT value FROM meta WHERE name = ?"));
    BERTH_TRY(const bool row, query.bind(1, name).step());
    if (row) return query.number(0);
    if (otherwise) return *otherwise;
    return Error{ErrorCode::failed_precondition,
                 "the state file has no '" + std::string(name) + "' in its table meta"};
}

Status write_meta(Database& database, std::string_view name, std::int64_t value) {
    BERTH_TRY(Statement update,
              database.prepare("INSERT INTO meta(name, value) VALUES(?, ?) "
                               "ON CONFLICT DO UPDATE SET value = excluded.value"));
    return update.bind(1, name).bind(2, value).run();
}

}  // namespace berth
