// Checkpointer: moves the content of SQLite's write-ahead log into the database file, on its own
// thread and connection, so that no commit waits for the file's sync.
//
// The log restarts at the first commit that finds all of it moved and no reader in it. While
// commits follow each other closely, this never happens by itself. So once the log is long, a short
// pass closes it, and the next commit waits briefly for that pass. If the wait was too short, a
// later pass succeeds; meanwhile the log grows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth {

// Lengths of the log are in frames of one page each.
struct CheckpointSettings {
    std::int64_t per_pass = 1000;    // A pass starts after this many new frames.
    std::int64_t per_close = 250;    // The same for passes that close a long log.
    std::int64_t is_long = 4000;     // From this length on, the log should restart.
    std::int64_t too_long = 65'536;  // From this length on, commits wait as long as that takes.
    Duration patience = std::chrono::milliseconds(5);  // The longest wait of a commit.
};

class Checkpointer {
public:
    // Thread and connection are created when first needed.
    Checkpointer(std::string path, std::string vfs, CheckpointSettings settings);
    Checkpointer(Checkpointer&&) noexcept;
    ~Checkpointer();

    // Call after each commit: the present length of the log.
    void log_is(std::int64_t frames);
    // Call before each commit: waits for the end of a pass if the log may then restart.
    void let_finish();
    // The first error of a pass; no pass follows it. Durable data stays safe in the log. A full
    // disk is no error: the log can wait for space.
    Status status() const;

    std::int64_t passes() const;

private:
    struct Work;
    std::unique_ptr<Work> work_;
    CheckpointSettings settings_;
    std::int64_t frames_ = 0;  // As of the last commit.
    std::int64_t target_ = 0;  // As of the start of the last pass.
    bool closes_ = false;      // Whether that pass closes the log.
};

}  // namespace berth
