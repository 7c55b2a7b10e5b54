// LaunchLedger: what a launcher has let in, so that no credential is good twice. It outlives the
// launcher, and forgets an attempt only when its credential can be of no use any more.
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

// Of the highest attempt of a job.
struct LetIn {
    Attempt attempt{0};
    NodeShare share;
    bool started = false;  // Its processes may have begun.
    bool removed = false;  // It is over here.
    Time forget_after{};
    std::string credential;  // SHA-256 of the one by which it came in: good for as long as it is
                             // here, whatever becomes of the key.
    BERTH_FIELDS(LetIn, attempt, share, started, removed, forget_after, credential)
};

class LaunchLedger {
public:
    // `stored` is what the disk holds. An entry that cannot be read is an error: what it kept out
    // would come in.
    static Result<LaunchLedger> open(Disk& disk, const std::vector<MemoryWrite>& stored);

    const LetIn* find(JobId job) const;
    const std::map<JobId, LetIn>& all() const { return jobs_; }
    Status put(JobId job, LetIn entry);
    // Those that are over, of which nothing is left, and whose credential has run out.
    Status forget(Time now, const std::function<bool(JobId, Attempt)>& present);

    Epoch highest_epoch() const { return epoch_; }
    Status raise_epoch(Epoch epoch);

    // When the order for this program was signed that was obeyed last.
    Time last_run(NodeProgram program) const;
    Status ran(NodeProgram program, Time issued);

    // When the description of the node was signed that is in force.
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
