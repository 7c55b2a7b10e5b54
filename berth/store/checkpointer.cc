#include "berth/store/checkpointer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "berth/store/sqlite.h"

namespace berth {

struct Checkpointer::Work {
    std::string path, vfs;
    std::optional<Database> database;  // Used by the thread only.
    std::thread thread;

    std::mutex mutex;  // Protects the members below.
    std::condition_variable changed;
    bool wanted = false, stopping = false;
    std::int64_t passes = 0, moved = 0;
    std::optional<Error> failed;

    void run();
    Result<std::int64_t> pass();
};

Result<std::int64_t> Checkpointer::Work::pass() {
    if (!database) {
        BERTH_TRY(database, Database::open(path, {.vfs = vfs}));
        BERTH_CHECK(database->run("PRAGMA synchronous = FULL"));
    }
    return database->checkpoint();
}

void Checkpointer::Work::run() {
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [&] { return wanted || stopping; });
        if (stopping) return;
        lock.unlock();
        Result<std::int64_t> done = pass();
        lock.lock();
        if (done.ok()) {
            moved = *done;
        } else if (done.error().code != ErrorCode::resource_exhausted) {
            failed = std::move(done).error();
        }
        wanted = false;
        ++passes;
        changed.notify_all();
        if (failed) return;
    }
}

Checkpointer::Checkpointer(std::string path, std::string vfs, CheckpointSettings settings)
    : work_(std::make_unique<Work>()), settings_(settings) {
    work_->path = std::move(path);
    work_->vfs = std::move(vfs);
}
Checkpointer::Checkpointer(Checkpointer&&) noexcept = default;

Checkpointer::~Checkpointer() {
    if (work_ == nullptr || !work_->thread.joinable()) return;
    {
        const std::lock_guard lock(work_->mutex);
        work_->stopping = true;
    }
    work_->changed.notify_all();
    work_->thread.join();
}

void Checkpointer::log_is(std::int64_t frames) {
    frames_ = frames;
    const std::lock_guard lock(work_->mutex);
    if (work_->wanted || work_->failed) return;
    // The log has restarted.
    if (std::max(target_, work_->moved) > frames_) target_ = work_->moved = 0;
    const std::int64_t came = frames_ - target_;
    const bool held_back = work_->moved < target_;  // By a reader.
    const bool closes = frames_ >= settings_.is_long && !held_back;
    const std::int64_t enough = !closes ? settings_.per_pass : closes_ ? settings_.per_close : 1;
    if (came < enough) return;
    closes_ = closes;
    target_ = frames_;
    work_->wanted = true;
    if (!work_->thread.joinable()) {
        work_->thread = std::thread([work = work_.get()] { work->run(); });
    }
    work_->changed.notify_all();
}

void Checkpointer::let_finish() {
    const bool too_long = frames_ >= settings_.too_long;
    if (!too_long && !(closes_ && target_ == frames_)) return;
    std::unique_lock lock(work_->mutex);
    const auto is_over = [&] { return !work_->wanted || work_->failed; };
    if (too_long) {
        work_->changed.wait(lock, is_over);
    } else {
        work_->changed.wait_for(lock, settings_.patience, is_over);
    }
}

Status Checkpointer::status() const {
    const std::lock_guard lock(work_->mutex);
    return work_->failed ? Status(*work_->failed) : Status(Done{});
}

std::int64_t Checkpointer::passes() const {
    const std::lock_guard lock(work_->mutex);
    return work_->passes;
}

}  // namespace berth
