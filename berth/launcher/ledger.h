// LaunchLedger: the attempts that a launcher has admitted, so that no credential can be used twice.
// Survives the launcher. An entry is removed only when its credential can no longer be used.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/fields.h"
#include "berth/model/allocation.h"

namespace berth {

// The highest admitted attempt of a job.
struct LetIn {
    Attempt attempt{0};
    NodeShare share;
    bool started = false;  // Its processes may have started.
    bool removed = false;  // It has ended here.
    Time forget_after{};
    // SHA-256 of the credential that admitted it. That credential stays valid while the attempt is
    // here, even if its key is revoked.
    std::string credential;
    BERTH_FIELDS(LetIn, attempt, share, started, removed, forget_after, credential)
};

class LaunchLedger {
public:
    // `stored`: what the disk holds. An unreadable entry is an error: what it blocked could
    // otherwise start again.
    static Result<LaunchLedger> open(Disk& disk, const std::vector<MemoryWrite>& stored);

    const LetIn* find(JobId job) const;
    const std::map<JobId, LetIn>& all() const { return jobs_; }
    Status put(JobId job, LetIn entry);
    // Removes entries that have ended, have nothing left on the node, and whose credentials have
    // expired.
    Status forget(Time now, const std::function<bool(JobId, Attempt)>& present);

    Epoch highest_epoch() const { return epoch_; }
    Status raise_epoch(Epoch epoch);

    // When the last order for this program that was carried out was signed.
    Time last_run(NodeProgram program) const;
    Status ran(NodeProgram program, Time issued);

    // When the node description in force was signed.
    Time last_setup() const { return setup_; }
    Status set_up(Time issued);

private:
    explicit LaunchLedger(Disk& disk) : disk_(&disk) {}
    Status load(const MemoryWrite& stored);
    Status write(const std::string& key, std::optional<std::string> value);

    Disk* disk_;
    Epoch epoch_{0};
    std::map<JobId, LetIn> jobs_;
    std::map<NodeProgram, Time> programs_;
    Time setup_{};
};

}  // namespace berth
