// A thin layer over SQLite: a connection and a prepared statement. Every failure is an Error. A
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

// A statement, prepared once and run many times. It must not outlive its database.
class Statement {
public:
    Statement() = default;

    // Parameters count from 1. The memory behind a text or bytes must stay valid until the
    // statement has run.
    Statement& bind(int at, std::int64_t number);
    Statement& bind(int at, std::string_view text);
    Statement& bind_bytes(int at, std::string_view bytes);
    Statement& bind_null(int at);

    // True: there is a row. After the last row, the statement is ready to run again.
    Result<bool> step();
    Status run();                  // For statements that return no rows.
    std::int64_t changed() const;  // Number of rows that the last run changed.
    void reset();                  // Discards the remaining rows.

    // Columns count from 0. Views are valid until the next step.
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
    std::string vfs;  // Empty: the default VFS. Tests use one that fails.
};

class Database {
public:
    static Result<Database> open(const std::string& path, const OpenMode& mode);

    Result<Statement> prepare(std::string_view sql);
    Status run(const char* sql);  // Statements without parameters: the schema, BEGIN, pragmas.

    // Registers the SQL function crc32c_of(number, bytes).
    Status knows_crc32c();
    // Whether closing the last connection moves the log into the file and removes it (SQLite's
    // default). If false, all files stay as they are.
    void closes_log(bool closes);

    // Moves the content of the log into the file as far as readers allow. Returns how many of its
    // frames have been moved so far.
    Result<std::int64_t> checkpoint();
    std::int64_t log_frames() const;  // As of the last commit of this connection.

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    std::unique_ptr<sqlite3, Close> database_;
    std::unique_ptr<std::int64_t> log_frames_;  // Updated by SQLite at each commit.
};

// BEGIN IMMEDIATE … COMMIT. The destructor rolls back what was not committed.
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
