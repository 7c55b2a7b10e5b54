// FailingDisk: SQLite's file system under a test's control. It fails the n-th write or sync, and it
// remembers what a power cut would leave: of each file, what was there at its last sync.
#pragma once

#include <cstdint>
#include <string>

namespace berth::testing {

enum class Fault : std::uint8_t { io_error, full };

class FailingDisk {
public:
    FailingDisk();  // One at a time. Files opened through vfs() obey it.
    ~FailingDisk();
    FailingDisk(const FailingDisk&) = delete;
    FailingDisk& operator=(const FailingDisk&) = delete;

    static constexpr const char* vfs() { return "berth-failing-disk"; }

    // The n-th write or sync from now on fails, from 1; of a full disk all writes fail from then
    // on. `only`: of files whose names end so.
    void fail(Fault fault, std::int64_t nth, std::string only = {});
    void mend();
    std::int64_t operations() const;  // Writes and syncs so far.
    bool failed() const;              // Has a fault struck?

    // From here on nothing reaches the platter. Once all files are closed, power_on() makes those
    // in `directory` what they were at their last sync before.
    void cut_power();
    void power_on(const std::string& directory);
};

}  // namespace berth::testing
