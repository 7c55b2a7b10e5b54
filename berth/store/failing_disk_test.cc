#include "berth/store/failing_disk.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

#include "berth/store/schema.h"
#include "berth/store/small_cluster.h"
#include "berth/store/sqlite.h"
#include "berth/testing/seeds.h"

namespace berth::testing {

namespace {

struct Disk {
    std::mutex mutex;  // Commits and checkpoints have threads of their own.
    Fault fault = Fault::io_error;
    std::int64_t operations = 0, fail_at = 0;  // 0: never.
    std::string only;                          // Files whose names end in this.
    bool struck = false, dark = false;
    std::map<std::string, std::string> synced;  // By path: the content that is on the disk.
};
std::unique_ptr<Disk> disk;

struct ShimFile {
    sqlite3_file base;
    std::string* path;
    sqlite3_file* real;  // Directly behind this struct in memory.
};

sqlite3_vfs* real_vfs() { return sqlite3_vfs_find("unix"); }
ShimFile* shim(sqlite3_file* file) { return reinterpret_cast<ShimFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return shim(file)->real; }

// The result of the next operation.
int next_operation(const std::string& path, int io_error, bool is_write) {
    const std::lock_guard lock(disk->mutex);
    if (!path.ends_with(disk->only)) return SQLITE_OK;
    const std::int64_t number = ++disk->operations;
    if (disk->fail_at == 0) return SQLITE_OK;
    const bool strikes =
        disk->fault == Fault::full ? is_write && number >= disk->fail_at : number == disk->fail_at;
    if (!strikes) return SQLITE_OK;
    disk->struck = true;
    return disk->fault == Fault::full ? SQLITE_FULL : io_error;
}

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int shim_close(sqlite3_file* file) {
    delete shim(file)->path;
    return real(file)->pMethods->xClose(real(file));
}
int shim_read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 at) {
    return real(file)->pMethods->xRead(real(file), bytes, size, at);
}
int shim_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
    if (const int code = next_operation(*shim(file)->path, SQLITE_IOERR_WRITE, true)) return code;
    return real(file)->pMethods->xWrite(real(file), bytes, size, at);
}
int shim_truncate(sqlite3_file* file, sqlite3_int64 size) {
    return real(file)->pMethods->xTruncate(real(file), size);
}
int shim_sync(sqlite3_file* file, int) {
    if (const int code = next_operation(*shim(file)->path, SQLITE_IOERR_FSYNC, false)) return code;
    // The real sync would only make the test slow.
    const std::lock_guard lock(disk->mutex);
    if (!disk->dark) disk->synced[*shim(file)->path] = contents(*shim(file)->path);
    return SQLITE_OK;
}
int shim_size(sqlite3_file* file, sqlite3_int64* size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
int shim_lock(sqlite3_file* file, int level) {
    return real(file)->pMethods->xLock(real(file), level);
}
int shim_unlock(sqlite3_file* file, int level) {
    return real(file)->pMethods->xUnlock(real(file), level);
}
int shim_check_lock(sqlite3_file* file, int* held) {
    return real(file)->pMethods->xCheckReservedLock(real(file), held);
}
int shim_control(sqlite3_file* file, int what, void* with) {
    return real(file)->pMethods->xFileControl(real(file), what, with);
}
int shim_sector(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
// Claims no guarantee, such as "power-safe overwrite", beyond what the shim keeps.
int shim_device(sqlite3_file*) { return 0; }
int shim_map(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, at);
}
int shim_shm_lock(sqlite3_file* file, int from, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), from, count, flags);
}
void shim_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int shim_unmap(sqlite3_file* file, int remove) {
    return real(file)->pMethods->xShmUnmap(real(file), remove);
}

constexpr sqlite3_io_methods kMethods = {
    2,           shim_close, shim_read,     shim_write,      shim_truncate, shim_sync,
    shim_size,   shim_lock,  shim_unlock,   shim_check_lock, shim_control,  shim_sector,
    shim_device, shim_map,   shim_shm_lock, shim_barrier,    shim_unmap,    nullptr,
    nullptr};

int shim_open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out_flags) {
    ShimFile& opened = *shim(file);
    std::memset(&opened, 0, sizeof opened);
    opened.real = reinterpret_cast<sqlite3_file*>(&opened + 1);
    const int code = real_vfs()->xOpen(real_vfs(), path, opened.real, flags, out_flags);
    if (code != SQLITE_OK || opened.real->pMethods == nullptr) return code;
    opened.path = new std::string(path == nullptr ? "" : path);
    opened.base.pMethods = &kMethods;
    return SQLITE_OK;
}

int shim_delete(sqlite3_vfs*, const char* path, int sync_directory) {
    const std::lock_guard lock(disk->mutex);
    if (!disk->dark) disk->synced.erase(path);
    return real_vfs()->xDelete(real_vfs(), path, sync_directory);
}

sqlite3_vfs make_vfs() {
    sqlite3_vfs vfs = *real_vfs();
    vfs.pNext = nullptr;
    vfs.zName = FailingDisk::vfs();
    vfs.szOsFile = static_cast<int>(sizeof(ShimFile)) + real_vfs()->szOsFile;
    vfs.xOpen = shim_open;
    vfs.xDelete = shim_delete;
    return vfs;
}

}  // namespace

FailingDisk::FailingDisk() {
    disk = std::make_unique<Disk>();
    static sqlite3_vfs vfs = make_vfs();
    sqlite3_vfs_register(&vfs, 0);
}
FailingDisk::~FailingDisk() { disk.reset(); }

void FailingDisk::fail(Fault fault, std::int64_t nth, std::string only) {
    const std::lock_guard lock(disk->mutex);
    disk->fault = fault;
    disk->only = std::move(only);
    disk->fail_at = disk->operations + nth;
    disk->struck = false;
}
void FailingDisk::mend() {
    const std::lock_guard lock(disk->mutex);
    disk->fail_at = 0;
    disk->only.clear();
}
std::int64_t FailingDisk::operations() const {
    const std::lock_guard lock(disk->mutex);
    return disk->operations;
}
bool FailingDisk::failed() const {
    const std::lock_guard lock(disk->mutex);
    return disk->struck;
}

void FailingDisk::cut_power() {
    const std::lock_guard lock(disk->mutex);
    disk->dark = true;
}

void FailingDisk::power_on(const std::string& directory) {
    namespace fs = std::filesystem;
    disk->dark = false;
    for (const auto& entry : fs::directory_iterator(directory)) {
        // The tail's name is durable; later content may or may not be. Here it is.
        if (entry.path().extension() != ".tail") fs::remove(entry.path());
    }
    for (const auto& [path, bytes] : disk->synced) {
        if (fs::path(path).parent_path() != directory) continue;
        std::ofstream(path, std::ios::binary) << bytes;
    }
}

namespace {

StoreSettings on_failing_disk() {
    StoreSettings settings = small_settings();
    settings.vfs = FailingDisk::vfs();
    settings.snapshot_records = 7;
    settings.slice_bytes = 700;
    settings.rest_budget = Duration(0);
    return settings;
}

// Submits until `last` or a failure; returns how many jobs were acknowledged.
std::uint32_t submit_until_failure(SmallCluster& cluster, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t id = first; id <= last; ++id) {
        if (!cluster.submit(id, at(id)).ok()) return id - 1;
        for (int turn = 0; turn < 3; ++turn) {
            if (!cluster.store().rest(cluster.state()).ok()) return id;
        }
    }
    return last;
}

constexpr std::uint32_t kJobsAtMost = 16;

// Checkpoints all the time, between the commits.
StoreSettings checkpointing() {
    StoreSettings settings = on_failing_disk();
    settings.checkpoints = {.per_pass = 3, .per_close = 1, .is_long = 9, .too_long = 18};
    return settings;
}

// The number of writes and syncs of a whole run: a fault is placed at each of them.
std::int64_t operations_of_a_run(const StoreSettings& settings = on_failing_disk()) {
    FailingDisk counted;
    const Folder folder;
    SmallCluster cluster(folder.path(), settings);
    EXPECT_TRUE(cluster.become_leader(at(0)).ok());
    EXPECT_EQ(submit_until_failure(cluster, 1, kJobsAtMost), kJobsAtMost);
    return counted.operations();
}

// After the fault: is everything there that was acknowledged, and nothing that was never submitted?
void expect_all_there(const Folder& folder, std::uint32_t acknowledged) {
    SmallCluster again(folder.path(), on_failing_disk());
    ASSERT_TRUE(again.ok()) << again.error;
    for (std::uint32_t id = 1; id <= acknowledged; ++id) {
        ASSERT_NE(again.state().find_job(JobId(id)), nullptr) << "lost job " << id;
    }
    ASSERT_EQ(again.state().find_job(JobId(acknowledged + 2)), nullptr);
    again.state().check_invariants();
    ASSERT_TRUE(again.become_leader(at(1000)).ok()) << "the store goes on";
    ASSERT_TRUE(again.submit(again.state().next_job_id().value(), at(1001)).ok());
}

void run_with_fault(std::int64_t nth, bool power_cut,
                    const StoreSettings& settings = on_failing_disk()) {
    FailingDisk failing;
    const Folder folder;
    std::uint32_t acknowledged = 0;
    {
        SmallCluster cluster(folder.path(), settings);
        ASSERT_TRUE(cluster.ok()) << cluster.error;
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        failing.fail(Fault::io_error, nth);
        acknowledged = submit_until_failure(cluster, 1, kJobsAtMost);
        ASSERT_TRUE(failing.failed() || acknowledged == kJobsAtMost);
        if (power_cut) failing.cut_power();
        failing.mend();
    }
    if (power_cut) failing.power_on(folder.path());
    expect_all_there(folder, acknowledged);
}

// Every so many operations, or fewer of them where programs are slow: see BERTH_SEEDS_PERCENT.
std::int64_t every(std::int64_t usual) { return usual * 100 / testing::scaled<std::int64_t>(100); }

TEST(FailingDisk, LosesNothingAcknowledgedWhereverAWriteOrSyncFails) {
    const std::int64_t all = operations_of_a_run();
    ASSERT_GT(all, 100);
    for (std::int64_t nth = 1; nth <= all; nth += every(1)) {
        run_with_fault(nth, false);
        if (HasFatalFailure()) FAIL() << "with operation " << nth << " of " << all << " failing";
    }
}

TEST(FailingDisk, LosesNothingAcknowledgedIfThePowerIsCutThen) {
    const std::int64_t all = operations_of_a_run();
    for (std::int64_t nth = 1; nth <= all; nth += every(2)) {
        run_with_fault(nth, true);
        if (HasFatalFailure()) FAIL() << "with operation " << nth << " of " << all << " failing";
    }
}

// The n-th operation differs from run to run, since two threads write.
TEST(FailingDisk, LosesNothingAcknowledgedWhereverACheckpointFails) {
    const std::int64_t all = operations_of_a_run(checkpointing());
    ASSERT_GT(all, operations_of_a_run() + 20) << "there were checkpoints";
    for (std::int64_t nth = 1; nth <= all; nth += every(3)) {
        run_with_fault(nth, nth / every(3) % 2 == 0, checkpointing());
        if (HasFatalFailure()) FAIL() << "with operation " << nth << " of " << all << " failing";
    }
}

TEST(FailingDisk, StopsSoonAfterACheckpointThatFailed) {
    FailingDisk failing;
    const Folder folder;
    SmallCluster cluster(folder.path(), checkpointing());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    failing.fail(Fault::io_error, 1, kStateFile);  // Commits write only to the log.
    Status rested = Done{};
    std::uint32_t id = 1;
    for (; id < 1000 && rested.ok(); ++id) {
        ASSERT_TRUE(cluster.submit(id, at(id)).ok());
        rested = cluster.store().rest(cluster.state());
    }
    ASSERT_FALSE(rested.ok());
    EXPECT_EQ(rested.error().code, ErrorCode::internal);
    EXPECT_NE(rested.error().message.find("between two turns"), std::string::npos);
    failing.mend();
    EXPECT_DEATH((void)cluster.submit(id, at(id)), "failed") << "a failed store is not used again";
}

TEST(FailingDisk, StopsAtTheFirstErrorOfACommit) {
    FailingDisk failing;
    const Folder folder;
    SmallCluster cluster(folder.path(), on_failing_disk());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    failing.fail(Fault::io_error, 1);
    const Status status = cluster.submit(1, at(1));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::internal);
    EXPECT_NE(status.error().message.find("record 2"), std::string::npos) << status.error().message;
    failing.mend();
    EXPECT_DEATH((void)cluster.submit(2, at(2)), "failed") << "a failed store is not used again";
}

TEST(FailingDisk, GivesUpTheReserveOnceTheDiskIsFullAndThenStops) {
    FailingDisk failing;
    const Folder folder;
    std::int64_t free = 1 << 20;
    StoreSettings settings = on_failing_disk();
    settings.free_bytes = [&free] { return free; };
    SmallCluster cluster(folder.path(), settings);
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    ASSERT_TRUE(std::filesystem::exists(folder.path() + "/reserve"));
    failing.fail(Fault::full, 1);  // It stays full even when the reserve is given up.
    const Status status = cluster.submit(1, at(1));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::resource_exhausted);
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/reserve"));
    free = 0;
    EXPECT_FALSE(cluster.store().has_room());
}

}  // namespace
}  // namespace berth::testing
