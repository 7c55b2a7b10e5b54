#include "berth/config/slurm_differences.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"

namespace berth::config {
namespace {

// Of a value that asks for nothing, nothing is said.
struct KeyDifference {
    std::string_view key, says;
};

constexpr auto kOfSlurmConf = std::to_array<KeyDifference>({
    {"SlurmdTimeout",
     "a node that is silent for so long takes no new work, and its jobs wait for proof of their "
     "end; Slurm would requeue them at once (docs/admin.md)"},
    {"PriorityUsageResetPeriod", "usage is reset by the clock of UTC, not by local time"},
    {"PriorityDecayHalfLife",
     "usage decays continuously, not once in each PriorityCalcPeriod; shares differ by little"},
    {"UsePam", "PAM decides whether a user may run here, and opens no session"},
    {"InactiveLimit", "srun and salloc report by themselves; other clients are not monitored"},
    {"PrologSlurmctld",
     "the time limit counts from the allocation, and a job whose PrologSlurmctld fails is requeued "
     "and held"},
    {"PreemptType", "the fewest runs that make room are preempted, and none that can be spared"},
    {"SchedulerType",
     "one cycle starts jobs and plans the others, down to single cores and GPUs; there is no "
     "separate backfill"},
});

bool asks_for_nothing(std::string_view value) {
    constexpr auto kNothing = std::to_array<std::string_view>(
        {"", "0", "no", "none", "(null)", "preempt/none", "sched/builtin"});
    return std::ranges::any_of(kNothing, [&](auto one) { return iequals(one, value); });
}

class Comparer {
public:
    explicit Comparer(const ConfigFiles& files) {
        if (files.slurm) read(*files.slurm);
        for (const ConfigText& one : files.included) read(one);
        if (files.slurm && !limits_memory_) {
            add(files.slurm->name, 0,
                "no DefMemPerCPU and no DefMemPerNode: of a job without --mem no memory is "
                "counted; Slurm would give it all of the node's");
        }
    }

    std::vector<Finding> take() { return std::move(found_); }

private:
    void add(const std::string& file, std::size_t line, std::string says) {
        found_.push_back({Severity::warning, file, line, std::move(says)});
    }

    void read(const ConfigText& text) {
        Findings unread;  // load() says what cannot be read.
        for (const Line& line : parse_lines(text, unread)) {
            for (const Pair& pair : line.pairs) compare(line, pair);
        }
    }

    void compare(const Line& line, const Pair& pair) {
        if (!pair.value) return;
        // DefMemPerGPU has no effect yet.
        const bool is_memory =
            iequals(pair.key, "DefMemPerCPU") || iequals(pair.key, "DefMemPerNode");
        const bool is_given = !asks_for_nothing(*pair.value) && !iequals(*pair.value, "UNLIMITED");
        limits_memory_ = limits_memory_ || (is_memory && is_given);
        const bool of_node = iequals(line.pairs.front().key, "NodeName");
        if (of_node && iequals(pair.key, "State") && iequals(*pair.value, "CLOUD")) {
            add(line.file, pair.line,
                "State=CLOUD: there is no power saving; such a node waits "
                "for its agent");
        }
        if (asks_for_nothing(*pair.value)) return;
        for (const KeyDifference& one : kOfSlurmConf) {
            if (iequals(one.key, pair.key))
                add(line.file, pair.line, std::string(one.key) + ": " + std::string(one.says));
        }
    }

    bool limits_memory_ = false;
    std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> slurm_differences(const ConfigFiles& files) { return Comparer(files).take(); }

}  // namespace berth::config
