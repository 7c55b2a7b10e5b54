// Checkpointer: moves what SQLite's log holds to where it belongs, on a thread and a connection of
// its own, so that no commit waits for the file's sync.
//
// The log starts over with the first commit that finds all of it moved, and nobody reading there.
// While commits follow each other closely that is never so by itself: once the log is long, a short
// pass closes it, and the next commit waits for that, a moment at most. If it was too short, the
// next pass will do; meanwhile the log grows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth {

// Lengths of the log are in frames, one page each.
struct CheckpointSettings {
    std::int64_t per_pass = 1000;    // A pass begins when so many came since the last one.
    std::int64_t per_close = 250;    // The same for those that close a long log.
    std::int64_t is_long = 4000;     // From here on the log is to start over …
    std::int64_t too_long = 65'536;  // … and from here on whatever that takes.
    Duration patience = std::chrono::milliseconds(5);  // Of a commit.
};

class Checkpointer {
public:
    // The thread and the connection are made when they are first needed.
    Checkpointer(std::string path, std::string vfs, CheckpointSettings settings);
    Checkpointer(Checkpointer&&) noexcept;
    ~Checkpointer();

    // After a commit: how long the log is now.
    void log_is(std::int64_t frames);
    // Before a commit: waits for the end of a pass, if the log may then start over.
    void let_finish();
    // The first error of a pass, after which there is no other: what is durable stays so, in the
    // log. A full disk is none: the log can wait for room.
    Status status() const;

    std::int64_t passes() const;

private:
    struct Work;
    std::unique_ptr<Work> work_;
    CheckpointSettings settings_;
    std::int64_t frames_ = 0;  // As of the last commit.
    std::int64_t target_ = 0;  // As of the last pass's beginning.
    bool closes_ = false;      // That pass.
};

}  // namespace berth
