// FailingDisk: an SQLite file system (VFS) that a test controls. It fails the n-th write or sync,
// and it knows what a power failure would leave: each file's content at its last sync.
#pragma once

#include <cstdint>
#include <string>

namespace berth::testing {

enum class Fault : std::uint8_t { io_error, full };

class FailingDisk {
public:
    FailingDisk();  // One instance at a time. Files opened through vfs() use it.
    ~FailingDisk();
    FailingDisk(const FailingDisk&) = delete;
    FailingDisk& operator=(const FailingDisk&) = delete;

    static constexpr const char* vfs() { return "berth-failing-disk"; }

    // The n-th write or sync from now on fails (counted from 1). With Fault::full, all later writes
    // fail too. `only`: count only files whose names end in this.
    void fail(Fault fault, std::int64_t nth, std::string only = {});
    void mend();
    std::int64_t operations() const;  // Writes and syncs so far.
    bool failed() const;              // Whether the fault has occurred.

    // From now on nothing reaches the disk. Once all files are closed, power_on() restores those in
    // `directory` to their content at the last sync before.
    void cut_power();
    void power_on(const std::string& directory);
};

}  // namespace berth::testing
