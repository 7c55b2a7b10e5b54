#include "berth/store/replica.h"
#include "berth/engine/state/snapshot.h"

#include <atomic>
#include <thread>

#include "berth/store/packing.h"
#include "berth/store/recovery.h"
#include "berth/store/sqlite.h"

namespace berth {

SnapshotSlices packed(Chain last, std::vector<std::string> slices) {
    for (std::string& slice : slices) slice = pack(slice);
    return {last, std::move(slices)};
}

struct Replica::Work {
    std::string path, vfs;
    std::size_t slice_bytes;
    std::atomic<bool> stop = false, done = false;
    std::optional<Result<SnapshotSlices>> outcome;  // Set once it is done.
    std::thread thread;

    Result<SnapshotSlices> make();
};

Result<SnapshotSlices> Replica::Work::make() {
    // Each read sees a moment of its own. That is safe: what it reads is neither changed nor
    // removed while it works, and records appended meanwhile are read as well. A single transaction
    // would keep SQLite's log from restarting for all that time.
    BERTH_TRY(Database database, Database::open(path, {.read_only = true, .vfs = vfs}));
    BERTH_TRY(const Recovered recovered, recover(database, RecoverFrom::newest, {.stop = &stop}));
    return packed(recovered.chain, slices_of(recovered.state, slice_bytes));
}

Replica::Replica(std::string path, std::string vfs, std::size_t slice_bytes)
    : work_(new Work{std::move(path), std::move(vfs), slice_bytes}) {
    work_->thread = std::thread([&work = *work_] {
        work.outcome = work.make();
        work.done = true;
    });
}

Replica::~Replica() {
    work_->stop = true;
    work_->thread.join();
}

std::optional<Result<SnapshotSlices>> Replica::take() {
    if (!work_->done) return std::nullopt;
    return std::move(work_->outcome);
}

}  // namespace berth
