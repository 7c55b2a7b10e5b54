// Memory: the typed content of the agent's disk, which survives crashes and reboots, and the writes
// that a turn adds to it. One key for each item, so a turn writes only what it changed.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "berth/agent/ports.h"

namespace berth {

struct AttemptKey {
    JobId job{0};
    Attempt attempt{0};
    friend auto operator<=>(const AttemptKey&, const AttemptKey&) = default;
};

// An attempt that has not ended here. Once it has started, the payload is dropped.
struct RememberedAttempt {
    LaunchAttempt launch;
    bool started = false;
    bool ending = false;
    std::optional<ExitStatus> batch_exit;
    bool out_of_memory = false;
    std::string failure;
    bool unknown_share = false;  // Found alive without a readable record: it may hold any resource.
    Hook hook = Hook::none;      // The hook that has begun and has not ended.
    Hook failed_hook = Hook::none;
    std::string hook_failure;
    std::optional<RunUsage> usage;  // Of the script, as reported with its exit.
    bool frozen = false;
    std::uint32_t freeze_change = 0;         // Number of the last order to freeze or thaw it.
    NotBegun not_begun = NotBegun::unknown;  // If `failure` is that of its launch.
    // When its end began; when its script ended, if that was earlier.
    std::optional<Time> ending_since, ended_at;
    std::uint32_t freeze_done = 0;  // The last of these orders that the node has carried out.
    bool killed_still = false;      // SIGKILL was its end, and met it frozen.
    BERTH_FIELDS(RememberedAttempt, launch, started, ending, batch_exit, out_of_memory, failure,
                 unknown_share, hook, failed_hook, hook_failure, usage, frozen, freeze_change,
                 not_begun, ending_since, ended_at, freeze_done, killed_still)

    // None of its processes runs. What is killed where it stands is thawed only to die.
    bool stands_still() const { return killed_still || (frozen && freeze_done == freeze_change); }
};

// A step of such an attempt. It is kept after its end, until the attempt goes, so that a second
// launch is refused.
struct RememberedStep {
    bool ended = false;
    bool ending = false;
    std::optional<ExitStatus> exit;
    bool out_of_memory = false;
    std::string failure;
    std::optional<RunUsage> usage;
    std::optional<LaunchStep> launch;  // Until it ends: the order may not have reached the node.
    BERTH_FIELDS(RememberedStep, ended, ending, exit, out_of_memory, failure, usage, launch)
};

// Whether the entries that guard against stale orders and sessions are readable. On an error the
// agent must not start: taking them for 0, it would obey a controller that was deposed long ago.
Status check_memory(std::span<const MemoryWrite> stored);

class Memory {
public:
    // `stored`: everything that Disk holds. For an unreadable value the safe assumption is made: an
    // attempt may hold any resource, an end has no exit status, a job has been here.
    explicit Memory(std::span<const MemoryWrite> stored);

    const std::string& boot_id() const { return boot_id_; }
    void set_boot_id(const std::string& boot_id);
    Epoch highest_epoch() const { return highest_epoch_; }
    void raise_epoch(Epoch epoch);
    std::uint64_t next_session();

    // The highest attempt of the job that was launched or refused here; 0: none.
    Attempt last_attempt(JobId job) const;
    void leave_tombstone(AttemptKey key);
    void drop_tombstone(JobId job);
    const std::map<JobId, Attempt>& tombstones() const { return tombstones_; }
    // Keeps those of jobs that are still live or in the spool.
    void drop_tombstones_before(JobId oldest);
    void drop_tombstones_of(std::span<const JobId> jobs);

    const std::map<AttemptKey, RememberedAttempt>& attempts() const { return attempts_; }
    const std::map<RunKey, RememberedStep>& steps() const { return steps_; }
    void remember(const RememberedAttempt& attempt);
    void remember(const RunKey& step, const RememberedStep& remembered);
    void forget(AttemptKey key);  // Also its steps.

    // The spool: ends that the controller has not acknowledged.
    const std::map<AttemptKey, AttemptReport>& ends() const { return ends_; }
    const std::map<RunKey, StepReport>& step_ends() const { return step_ends_; }
    void spool(const AttemptReport& end);
    void spool(const StepReport& end);
    void unspool(AttemptKey key);
    void unspool(const RunKey& step);

    // The writes since the last call, in order.
    std::vector<MemoryWrite> take_writes() { return std::exchange(writes_, {}); }

private:
    bool has(JobId job) const;  // Any attempt or step of it is live or in the spool.
    void load(const MemoryWrite& stored);
    void load_numbered(std::string_view kind, std::span<const std::uint32_t> numbers,
                       std::string_view value);
    void write(std::string key, std::string value);
    void erase(std::string key);

    std::string boot_id_;
    Epoch highest_epoch_{0};
    std::uint64_t session_ = 0;
    std::map<JobId, Attempt> tombstones_;
    std::map<AttemptKey, RememberedAttempt> attempts_;
    std::map<RunKey, RememberedStep> steps_;
    std::map<AttemptKey, AttemptReport> ends_;
    std::map<RunKey, StepReport> step_ends_;
    std::vector<MemoryWrite> writes_;
};

}  // namespace berth
