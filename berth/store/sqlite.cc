#include "berth/store/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "berth/store/crc32c.h"

namespace berth {

namespace {

Error error_of(sqlite3* database, int code) {
    const int primary = code & 0xff;
    const ErrorCode kind = primary == SQLITE_FULL     ? ErrorCode::resource_exhausted
                           : primary == SQLITE_NOTADB ? ErrorCode::failed_precondition
                           : primary == SQLITE_BUSY   ? ErrorCode::unavailable
                                                      : ErrorCode::internal;
    const char* const path = database == nullptr ? nullptr : sqlite3_db_filename(database, "main");
    std::string text = path == nullptr || *path == 0 ? "the database" : path;
    text += ": ";
    text += database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
    text += " (SQLite code " + std::to_string(code) + ")";
    return {kind, std::move(text)};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

// Binding fails only for a parameter that does not exist or for more than SQLite's gigabyte: a bug
// of ours.
Statement& Statement::bind(int at, std::int64_t number) {
    BERTH_ASSERT(sqlite3_bind_int64(statement_.get(), at, number) == SQLITE_OK);
    return *this;
}

Statement& Statement::bind(int at, std::string_view text) {
    BERTH_ASSERT(sqlite3_bind_text64(statement_.get(), at, text.data() ? text.data() : "",
                                     text.size(), SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK);
    return *this;
}

Statement& Statement::bind_bytes(int at, std::string_view bytes) {
    BERTH_ASSERT(sqlite3_bind_blob64(statement_.get(), at, bytes.data() ? bytes.data() : "",
                                     bytes.size(), SQLITE_STATIC) == SQLITE_OK);
    return *this;
}

Statement& Statement::bind_null(int at) {
    BERTH_ASSERT(sqlite3_bind_null(statement_.get(), at) == SQLITE_OK);
    return *this;
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) {
        Error error = error_of(sqlite3_db_handle(statement_.get()), code);
        sqlite3_reset(statement_.get());
        return error;
    }
    sqlite3_reset(statement_.get());
    return false;
}

Status Statement::run() {
    BERTH_TRY(const bool row, step());
    BERTH_ASSERT(!row);
    return Done{};
}

std::int64_t Statement::changed() const {
    return sqlite3_changes64(sqlite3_db_handle(statement_.get()));
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::bytes(int column) const {
    const void* const bytes = sqlite3_column_blob(statement_.get(), column);
    const int size = sqlite3_column_bytes(statement_.get(), column);
    if (bytes == nullptr || size <= 0) return {};
    return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

bool Statement::is_integer(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::open(const std::string& path, const OpenMode& mode) {
    const int flags =
        (mode.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    sqlite3* raw = nullptr;
    const char* const vfs = mode.vfs.empty() ? nullptr : mode.vfs.c_str();
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags, vfs);
    Database database;
    database.database_.reset(raw);
    if (code != SQLITE_OK) {
        return Error{error_of(raw, code).code, "cannot open the database " + path + ": " +
                                                   sqlite3_errstr(code) + " (SQLite code " +
                                                   std::to_string(code) + ")"};
    }
    sqlite3_busy_timeout(raw, 10'000);
    database.log_frames_ = std::make_unique<std::int64_t>(0);
    // Replaces SQLite's own hook, whose checkpoints ignore a failed sync.
    sqlite3_wal_hook(
        raw,
        [](void* frames, sqlite3*, const char*, int now) {
            *static_cast<std::int64_t*>(frames) = now;
            return SQLITE_OK;
        },
        database.log_frames_.get());
    return database;
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    if (code != SQLITE_OK) return error_of(database_.get(), code);
    Statement statement;
    statement.statement_.reset(raw);
    return statement;
}

Status Database::run(const char* sql) {
    const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return error_of(database_.get(), code);
    return Done{};
}

Status Database::knows_crc32c() {
    const auto of = [](sqlite3_context* result, int, sqlite3_value** given) {
        const auto* const bytes = static_cast<const char*>(sqlite3_value_blob(given[1]));
        const int size = sqlite3_value_bytes(given[1]);
        const std::string_view text(bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(size));
        const auto number = static_cast<std::uint64_t>(sqlite3_value_int64(given[0]));
        sqlite3_result_int64(result, crc32c_of(number, text));
    };
    const int code = sqlite3_create_function_v2(database_.get(), "crc32c_of", 2, SQLITE_UTF8,
                                                nullptr, of, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return error_of(database_.get(), code);
    return Done{};
}

void Database::closes_log(bool closes) {
    BERTH_ASSERT(sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
                                   closes ? 0 : 1, nullptr) == SQLITE_OK);
}

Result<std::int64_t> Database::checkpoint() {
    int frames = 0, moved = 0;
    const int code = sqlite3_wal_checkpoint_v2(database_.get(), "main", SQLITE_CHECKPOINT_PASSIVE,
                                               &frames, &moved);
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) return error_of(database_.get(), code);
    return std::max(moved, 0);  // -1: unknown.
}

std::int64_t Database::log_frames() const { return *log_frames_; }

Result<Transaction> Transaction::begin(Database& database) {
    BERTH_CHECK(database.run("BEGIN IMMEDIATE"));
    return Transaction(database);
}

Transaction::~Transaction() {
    if (database_ != nullptr) (void)database_->run("ROLLBACK");
}

Status Transaction::commit() {
    BERTH_CHECK(database_->run("COMMIT"));
    database_ = nullptr;
    return Done{};
}

}  // namespace berth
