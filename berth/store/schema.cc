#include "berth/store/schema.h"

#include <unistd.h>

#include <array>

#include "berth/base/assert.h"
#include "berth/store/new_file.h"

namespace berth {

namespace {

// "Brth": SQLite's application id.
constexpr std::int64_t kApplicationId = 0x42727468;

// Records, payloads and slices are stored as packing.h encodes them.
//
// Jobs that have not ended have ended = kOpen (accounting_table.cc), so that one index serves all
// time windows.
constexpr const char* kTables = R"sql(
BEGIN IMMEDIATE;
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE journal(sequence INTEGER PRIMARY KEY, crc INTEGER NOT NULL, record BLOB NOT NULL);
CREATE TABLE snapshots(
    sequence INTEGER PRIMARY KEY, slices INTEGER NOT NULL, complete INTEGER NOT NULL,
    chain INTEGER NOT NULL DEFAULT 0);
CREATE TABLE snapshot_slices(
    sequence INTEGER NOT NULL, slice INTEGER NOT NULL, crc INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY(sequence, slice));
CREATE TABLE payloads(
    job INTEGER PRIMARY KEY, payload BLOB NOT NULL, crc INTEGER NOT NULL DEFAULT 0);
CREATE TABLE jobs(
    id INTEGER PRIMARY KEY, job INTEGER NOT NULL, submitted INTEGER NOT NULL,
    attempt INTEGER NOT NULL, latest INTEGER NOT NULL, array_job INTEGER,
    user TEXT NOT NULL, account TEXT NOT NULL, partition TEXT NOT NULL,
    name TEXT NOT NULL, state INTEGER NOT NULL, ended INTEGER NOT NULL, cancelled_by INTEGER,
    row BLOB NOT NULL, crc INTEGER, UNIQUE(job, submitted, attempt));
CREATE INDEX jobs_by_array ON jobs(array_job) WHERE array_job IS NOT NULL;
CREATE INDEX jobs_by_end ON jobs(ended);
CREATE INDEX jobs_by_user ON jobs(user, ended);
CREATE TABLE steps(
    job INTEGER NOT NULL, submitted INTEGER NOT NULL, attempt INTEGER NOT NULL,
    step INTEGER NOT NULL, open INTEGER NOT NULL, row BLOB NOT NULL, crc INTEGER,
    PRIMARY KEY(job, submitted, attempt, step));
INSERT INTO meta VALUES('schema', 4);
INSERT INTO meta VALUES('epoch', 0);
PRAGMA application_id = 0x42727468;
COMMIT;
)sql";

// Tables that a program of the same version may not know: it leaves them as they are, and reads the
// rest. Spans that have not ended have ended = kOpen.
constexpr const char* kLaterTables = R"sql(
CREATE TABLE IF NOT EXISTS spans(
    kind INTEGER NOT NULL, name TEXT NOT NULL, began INTEGER NOT NULL, ended INTEGER NOT NULL,
    row BLOB NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY(kind, name, began));
CREATE INDEX IF NOT EXISTS spans_by_end ON spans(kind, ended);
)sql";

// Migrates one version to the next.
struct SchemaStep {
    std::int64_t from;
    const char* sql;
};
constexpr std::array kSchemaSteps = {
    SchemaStep{2,
               // For sacct of a user's own jobs.
               "CREATE INDEX jobs_by_user ON jobs(user, ended)"},
    // Adds checksums. Existing accounting rows get none: rewriting years of rows takes long.
    SchemaStep{3,
               "ALTER TABLE snapshots ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;"
               "ALTER TABLE payloads ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;"
               "ALTER TABLE jobs ADD COLUMN crc INTEGER;"
               "ALTER TABLE steps ADD COLUMN crc INTEGER;"
               "UPDATE payloads SET crc = crc32c_of(job, payload)"},
};

Result<std::int64_t> one_number(Database& database, std::string_view sql) {
    BERTH_TRY(Statement query, database.prepare(sql));
    BERTH_TRY(const bool row, query.step());
    return row ? query.number(0) : 0;
}

Error not_ours(const std::string& path) {
    return {ErrorCode::failed_precondition,
            path + " is a database, but not Berth's: name another state directory"};
}

// Copies the file: complete, durable, and readable only by its owner. An existing copy was made by
// a start that was interrupted; nothing has changed since.
Status keep_copy(Database& database, const std::string& to) {
    Result<NewFile> file = NewFile::make(to);
    if (!file.ok() && ::access(to.c_str(), F_OK) == 0) return Done{};
    if (!file.ok()) return file.error();
    const std::string part = file->part();
    {
        BERTH_TRY(Statement copy, database.prepare("VACUUM INTO ?"));
        BERTH_CHECK(copy.bind(1, part).run());
    }
    return file->finish();
}

}  // namespace

Result<std::int64_t> known_version(Database& database, const std::string& path) {
    BERTH_TRY(const std::int64_t owner, one_number(database, "PRAGMA application_id"));
    if (owner != kApplicationId) return not_ours(path);
    BERTH_TRY(const std::int64_t version, read_meta(database, "schema"));
    if (version >= kOldestSchemaVersion && version <= kSchemaVersion) return version;
    return Error{ErrorCode::failed_precondition,
                 path + " has schema version " + std::to_string(version) +
                     "; this program knows versions " + std::to_string(kOldestSchemaVersion) +
                     " to " + std::to_string(kSchemaVersion) +
                     (version > kSchemaVersion ? ": start the newer Berth that wrote it"
                                               : ": no older version was ever released")};
}

Status check_schema(Database& database, const std::string& path) {
    BERTH_TRY(const std::int64_t version, known_version(database, path));
    if (version == kSchemaVersion) return Done{};
    return Error{ErrorCode::failed_precondition,
                 path + " has schema version " + std::to_string(version) + ", and this program " +
                     std::to_string(kSchemaVersion) +
                     ": start the controller, which brings it up to date and keeps a copy"};
}

Status migrate(Database& database, const std::string& path) {
    BERTH_TRY(std::int64_t version, known_version(database, path));
    if (version == kSchemaVersion) return Done{};
    BERTH_CHECK(database.knows_crc32c());
    BERTH_TRY(Transaction transaction, Transaction::begin(database));
    for (const SchemaStep& step : kSchemaSteps) {
        if (step.from != version) continue;
        Status ran = database.run(step.sql);
        if (!ran.ok()) {
            return prefixed(path + ", from version " + std::to_string(version),
                            std::move(ran).error());
        }
        version = step.from + 1;
    }
    BERTH_ASSERT(version == kSchemaVersion);
    BERTH_CHECK(write_meta(database, "schema", version));
    return transaction.commit();
}

Status prepare_schema(Database& database, const std::string& path) {
    BERTH_CHECK(
        database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY;"));
    BERTH_TRY(const std::int64_t tables,
              one_number(database, "SELECT count(*) FROM sqlite_schema"));
    if (tables == 0) {
        BERTH_TRY(const std::int64_t owner, one_number(database, "PRAGMA application_id"));
        return owner == 0 ? database.run(kTables) : not_ours(path);
    }
    BERTH_TRY(const std::int64_t version, known_version(database, path));
    if (version == kSchemaVersion) return Done{};
    BERTH_CHECK(keep_copy(database, path + ".version-" + std::to_string(version)));
    return migrate(database, path);
}

Status add_later_tables(Database& database) { return database.run(kLaterTables); }

Result<std::int64_t> read_meta(Database& database, std::string_view name,
                               std::optional<std::int64_t> otherwise) {
    BERTH_TRY(Statement query, database.prepare("SELECT value FROM meta WHERE name = ?"));
    BERTH_TRY(const bool row, query.bind(1, name).step());
    if (row && query.is_integer(0)) return query.number(0);
    if (row) {
        return Error{ErrorCode::failed_precondition,
                     "'" + std::string(name) +
                         "' in table meta of the state file is not a whole number: the file is "
                         "damaged. Restore it from a copy"};
    }
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
