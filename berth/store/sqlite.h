// A thin skin over SQLite: a connection, and a prepared statement. Every failure is an Error; a
// full disk is ErrorCode::resource_exhausted, so that the store can tell it from all others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace berth {

// One statement, prepared once and run many times. It must not outlive its database.
class Statement {
public:
    Statement() = default;

    // Parameters count from 1. What a text or bytes point to must stay until the statement has run.
    Statement& bind(int at, std::int64_t number);
    Statement& bind(int at, std::string_view text);
    Statement& bind_bytes(int at, std::string_view bytes);
    Statement& bind_null(int at);

    Result<bool> step();  // True: a row is there. After the last one it is ready to run again.
    Status run();         // For those that give no rows.
    std::int64_t changed() const;  // Rows, by the last run.
    void reset();                  // Leaves the rest of the rows.

    // Columns count from 0. Views last until the next step.
    std::int64_t number(int column) const;
    std::string_view bytes(int column) const;
    bool is_null(int column) const;
    bool is_integer(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

struct OpenMode {
    bool read_only = false;
    std::string vfs;  // Empty: the system's own. Tests put one in that fails.
};

class Database {
public:
    static Result<Database> open(const std::string& path, const OpenMode& mode);

    Result<Statement> prepare(std::string_view sql);
    Status run(const char* sql);  // Statements without parameters: the schema, BEGIN, pragmas.

    // From here on SQL has crc32c_of(number, bytes).
    Status knows_crc32c();
    // Whether the log is moved into the file and removed when the last connection is closed, as is
    // usual. Not so, all files stay as they are.
    void closes_log(bool closes);

    // Moves what the log holds into the file, as far as readers allow; how many of its frames have
    // been moved by now.
    Result<std::int64_t> checkpoint();
    std::int64_t log_frames() const;  // In the log, as of the last commit here.

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    std::unique_ptr<sqlite3, Close> database_;
    std::unique_ptr<std::int64_t> log_frames_;  // Told by SQLite at each commit.
};

// BEGIN IMMEDIATE … COMMIT; what is not committed is rolled back.
class Transaction {
public:
    static Result<Transaction> begin(Database& database);
    Transaction(Transaction&& other) noexcept
        : database_(std::exchange(other.database_, nullptr)) {}
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();

    Status commit();

private:
    explicit Transaction(Database& database) : database_(&database) {}
    Database* database_;
};

}  // namespace berth
