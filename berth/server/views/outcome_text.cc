#include "berth/server/views/outcome_text.h"

#include <csignal>
#include <cstring>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/model/preempted_by.h"

namespace berth {
namespace {

// Slurm's "0:53": what the job needed of its own files could not be opened.
constexpr std::int32_t kNoFiles = 53;

std::string signal_text(std::int32_t signal) {
    const char* const name = ::sigabbrev_np(signal);
    const std::string number = "signal " + std::to_string(signal);
    return name == nullptr ? number : number + " (SIG" + name + ")";
}

std::string exit_text(ExitStatus exit) {
    if (exit.signal == kNoFiles) {
        return "its working directory, input or output could not be opened (exit code 0:53)";
    }
    if (exit.signal != 0) return signal_text(exit.signal) + " ended its script";
    return "its script ended with exit code " + std::to_string(exit.code);
}

std::string nodes_text(const AccountingRecord& record) {
    return record.nodes.empty() ? "no node" : compress_hostlist(record.nodes);
}

Duration ran_for(const AccountingRecord& record, Time now) {
    if (!record.started_at) return {};
    return std::max(Duration{},
                    record.ended_at.value_or(now) - *record.started_at - record.suspended);
}

std::string limit_text(const AccountingRecord& record) {
    return record.time_limit ? "its time limit of " + format_duration(*record.time_limit)
                             : "no time limit";
}

// What the job was allowed on each node, and the most that any of its steps had on one.
std::string memory_text(const AccountingRecord& record) {
    std::string text;
    const auto nodes = static_cast<std::int64_t>(record.nodes.size());
    if (nodes > 0 && record.allocated.memory() > Bytes(0)) {
        text = format_size(Bytes(record.allocated.memory().count() / nodes)) +
               " of memory on each node were allocated";
    }
    const StepTotals* most = nullptr;
    for (const AccountedStep& step : record.steps) {
        const bool more = step.used && (most == nullptr || step.used->rss_max > most->rss_max);
        if (more) most = &*step.used;
    }
    if (most != nullptr && most->rss_max > 0) {
        text += (text.empty() ? "" : ", ") + format_size(Bytes(most->rss_max)) +
                " were measured at most" +
                (most->rss_max_node.empty() ? "" : " (on " + most->rss_max_node + ")");
    }
    return text;
}

std::string preemptor_text(const AccountingRecord& record) {
    const auto by = preemptor_of(record.reason);
    return (by ? "job " + to_string(*by) : std::string("another job")) +
           (is_checkpoint_timeout(record.reason) ? " (checkpoint timeout)" : "");
}

// Its account or association has used up the minutes of which limit; none: it has not.
std::string_view used_up_of(const AccountingRecord& record) {
    if (record.state != JobState::timeout || !record.reason.starts_with("AssocGrp")) return {};
    return record.reason == "AssocGrpWallLimit" ? "GrpWall" : "GrpTRESMins";
}

std::string head_of(const AccountingRecord& record) {
    switch (record.state) {
        case JobState::pending:
            return (preemptor_of(record.reason) ? "was preempted by " + preemptor_text(record)
                                                : std::string("was requeued")) +
                   " and waits to run again";
        case JobState::running:
            if (record.suspended_since && record.reason == kAwaitsTurn) {
                return "is suspended: it takes turns with others on its cores, and goes on when "
                       "its "
                       "turn comes";
            }
            if (record.suspended_since) {
                return "is suspended" + (preemptor_of(record.reason)
                                             ? ": it lends its cores to " + preemptor_text(record) +
                                                   ", and goes on when nobody needs them any more"
                                             : std::string());
            }
            return preemptor_of(record.reason)
                       ? "is running, and must end: " + preemptor_text(record) + " preempts it"
                       : std::string("is running");
        case JobState::completing: return "is ending";
        case JobState::completed: return "completed: " + exit_text(record.exit);
        case JobState::failed: return "failed: " + exit_text(record.exit);
        case JobState::cancelled:
            return "was cancelled" + (record.cancelled_by
                                          ? " by uid " + std::to_string(*record.cancelled_by)
                                          : std::string());
        case JobState::timeout:
            return "timed out: " + (used_up_of(record).empty()
                                        ? "it reached " + limit_text(record)
                                        : "its account or association has used up its minutes (" +
                                              std::string(used_up_of(record)) + ")");
        case JobState::node_fail: return "was lost with its node: a node of it failed or rebooted";
        case JobState::preempted: return "was preempted by " + preemptor_text(record);
        case JobState::out_of_memory: return "ran out of memory: the kernel killed processes of it";
        case JobState::boot_fail: return "never ran: a node of it did not boot";
        case JobState::deadline:
            return has_waited_too_long(record.reason)
                       ? "was given up: " + record.reason + " (--berth-max-wait)"
                       : std::string("was ended by its deadline");
    }
    return "is in an unknown state";
}

// Reasons that the first line says already.
bool is_said(const std::string& reason) {
    for (const char* known : {"", "None", "NonZeroExitCode", "RaisedSignal", "TimeLimit",
                              "OutOfMemory", "NodeDown", "DeadLine"}) {
        if (reason == known) return true;
    }
    return preemptor_of(reason).has_value() || has_waited_too_long(reason);
}

std::string name_of(const AccountingRecord& record) {
    if (record.array_job && record.array_task) {
        return to_string(*record.array_job) + "_" + std::to_string(*record.array_task);
    }
    return to_string(record.job);
}

void add_failed_steps(const AccountingRecord& record, std::vector<std::string>& lines) {
    constexpr std::size_t kMost = 5;
    std::size_t failed = 0;
    for (const AccountedStep& step : record.steps) {
        const bool went_wrong = step.exit.code != 0 || step.exit.signal != 0;
        if (step.id == kBatchStep || !went_wrong || ++failed > kMost) continue;
        lines.push_back("  step " + to_string(record.job) + "." + to_string(step.id) + " (" +
                        step.name + ") ended with " +
                        (step.exit.signal != 0 ? signal_text(step.exit.signal)
                                               : "exit code " + std::to_string(step.exit.code)) +
                        " on " + compress_hostlist(step.nodes));
    }
    if (failed > kMost) lines.push_back("  and " + std::to_string(failed - kMost) + " more steps");
}

std::string advice_for(const AccountingRecord& record) {
    switch (record.state) {
        case JobState::timeout:
            if (used_up_of(record) == "GrpWall")
                return "  → `scontrol show assoc_mgr` shows the minutes";
            if (!used_up_of(record).empty())
                return "  → `sshare -l` shows the minutes, and who used them";
            return "  → ask for more time with --time, up to the partition's MaxTime";
        case JobState::out_of_memory: return "  → ask for more memory with --mem";
        case JobState::node_fail:
            return "  → --requeue lets such a job run again; `sinfo -R` says what is wrong with "
                   "nodes";
        default: return {};
    }
}

}  // namespace

std::vector<std::string> outcome_of(const AccountingRecord& record, Time now) {
    std::vector<std::string> lines = {"job " + name_of(record) + " " + head_of(record)};
    if (record.started_at) {
        lines.push_back("  it " + std::string(record.ended_at ? "ran" : "has run") + " for " +
                        format_duration(ran_for(record, now)) + " on " + nodes_text(record) +
                        ", with " + limit_text(record));
    } else if (is_final(record.state)) {
        lines.push_back("  it never started");
    }
    if (!is_said(record.reason)) lines.push_back("  reason: " + record.reason);
    if (record.state == JobState::out_of_memory) {
        const std::string memory = memory_text(record);
        if (!memory.empty()) lines.push_back("  " + memory);
    }
    add_failed_steps(record, lines);
    const std::string advice = advice_for(record);
    if (!advice.empty()) lines.push_back(advice);
    return lines;
}

std::vector<std::string> checkpoint_lines(const Job& job, Time now) {
    std::vector<std::string> lines;
    if (job.state != JobState::running) return lines;
    if (job.must_save()) {
        const Duration left = std::max(Duration{}, job.allocation->preempted->ends_at - now);
        lines.push_back("  it has " + format_duration(left) + " to save its checkpoint, " +
                        job.spec.command->checkpoint);
    }
    if (const Rare<RunCheckpoint>& last = job.allocation->checkpoint) {
        const Duration ago = std::max(Duration{}, now - last->at);
        lines.push_back("  its last checkpoint was seen " + format_duration(ago) + " ago");
    }
    return lines;
}

JobCourse course_of(const AccountingRecord& record) {
    return {.state = record.completing ? JobState::completing : record.state,
            .is_suspended = record.suspended_since.has_value(),
            .reason = record.reason,
            .started_at = record.started_at,
            .ended_at = record.ended_at};
}

}  // namespace berth
