// Ports: what an agent needs of its node and of the network. The real ones are in `host` and
// `wire`; the simulated world has its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/result.h"
#include "berth/model/order.h"
#include "berth/model/report.h"

namespace berth {

// ---- What happens on the node.

// A run of processes under one cgroup: a batch script, or this node's part of a step. kExternStep
// stands for the attempt's own cgroup, which all others of the attempt lie beneath.
struct RunKey {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    friend auto operator<=>(const RunKey&, const RunKey&) = default;
    BERTH_FIELDS(RunKey, job, attempt, step)
};

// Answers StartStep; and StartAttempt, with kBatchStep on the batch host and kExternStep elsewhere.
struct RunStarted {
    RunKey run;
    BERTH_FIELDS(RunStarted, run)
};
struct RunFailedToStart {  // The other answer. Nothing of it runs, and nothing will.
    RunKey run;
    std::string why;
    NotBegun not_begun = NotBegun::unknown;
    BERTH_FIELDS(RunFailedToStart, run, why, not_begun)
};
// Its main process (the script; of a step, all tasks) is gone. Others of its cgroup may remain.
struct RunExited {
    RunKey run;
    ExitStatus exit;
    bool out_of_memory = false;
    std::optional<RunUsage> usage = std::nullopt;
    std::string failure = {};  // Why the script could not run, where that is its user's to mend.
    std::optional<Time> ended_at = std::nullopt;  // By the node's clock, where that is known.
    BERTH_FIELDS(RunExited, run, exit, out_of_memory, usage, failure, ended_at)
};
// Its cgroup is empty: what it held is free. Comes after RunExited, when the last process is gone;
// and answers every SignalRun with whole = true, at once where no process (or no such cgroup) is
// left.
struct RunEmpty {
    RunKey run;
    BERTH_FIELDS(RunEmpty, run)
};

// What the node's GPUs are doing, each time it has looked.
struct GpusRead {
    std::vector<GpuReading> gpus;
};

// What has gone wrong with its GPUs since it last looked; they are numbered by the agent.
struct FaultsSeen {
    std::vector<GpuFault> faults;
};

// Answers MeasureRuns: all that run.
struct UsageRead {
    std::vector<StepUsage> runs;
    BERTH_FIELDS(UsageRead, runs)
};

// A program of the site's, outside of any job, is over.
struct NodeProgramExited {
    NodeProgram program = NodeProgram::health_check;
    std::string failure;  // Empty: it ended well.
    BERTH_FIELDS(NodeProgramExited, program, failure)
};

// ---- What comes over the link.
struct LinkUp {
    std::uint64_t link = 0;
};
struct LinkDown {
    std::uint64_t link = 0;
};
struct OrderCame {
    std::uint64_t link = 0;
    Order order;
};

using AgentEvent =
    std::variant<RunStarted, RunFailedToStart, RunExited, RunEmpty, GpusRead, FaultsSeen, UsageRead,
                 NodeProgramExited, LinkUp, LinkDown, OrderCame>;

// ---- What the agent wants done.

// Creates the attempt's cgroups and limits; on the batch host starts the script under its shepherd.
// At most once, however often it is asked, also by another process of the agent's: a script that
// may have begun before is not begun again, and RunFailedToStart says so.
struct StartAttempt {
    LaunchAttempt launch;
    BERTH_FIELDS(StartAttempt, launch)
};
struct StartStep {
    LaunchStep launch;
    LaunchAttempt
        attempt;  // Of the attempt it belongs to (payload left out): owner, cluster, confinement.
    BERTH_FIELDS(StartStep, launch, attempt)
};
// Runs the site's prolog or epilog, as `run.step` says: as root, outside of the attempt's cgroups,
// one program after the other until one fails. Answered by RunExited or RunFailedToStart; where an
// agent fell before it heard of either, its successor asks again, and they run again.
struct StartHook {
    RunKey run;
    LaunchAttempt launch;  // Payload left out.
    BERTH_FIELDS(StartHook, run, launch)
};
// Sends a signal to the main process of the run (whole = false), or to every process of its cgroup.
struct SignalRun {
    RunKey run;
    std::int32_t signal = 0;
    bool whole = true;
    BERTH_FIELDS(SignalRun, run, signal, whole)
};
// Every process of the attempt stops where it is, or goes on. Twice is once.
struct FreezeRun {
    RunKey run;  // Of kExternStep.
    bool frozen = true;
    BERTH_FIELDS(FreezeRun, run, frozen)
};
// A line for the standard error of a script, or of the srun whose step it is.
struct NotifyRun {
    RunKey run;
    std::string text;
    BERTH_FIELDS(NotifyRun, run, text)
};
// The attempt is over here and its cgroups are empty: removes them and its scratch files.
struct RemoveAttempt {
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(RemoveAttempt, job, attempt)
};
// Runs a program of the site's as root; NodeProgramExited answers.
struct StartNodeProgram {
    RunNodeProgram program;
    BERTH_FIELDS(StartNodeProgram, program)
};
struct MeasureRuns {  // UsageRead answers, if anything runs.
    BERTH_FIELDS(MeasureRuns)
};
// After a restart: an attempt that has no process here for now goes on all the same, since its job
// may begin a step at any time. For launchers that know no ListAttempts.
struct KeepAttempt {
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(KeepAttempt, job, attempt)
};
// All attempts that the agent knows, once after each start of the agent. Any other attempt that the
// node has from before is nobody's: the node removes it as soon as it has itself found that nothing
// of it runs. Its devices must not be refused to others until then, nor a moment longer.
struct ListAttempts {
    std::vector<RunKey> known;  // Of kExternStep.
    BERTH_FIELDS(ListAttempts, known)
};
// What begins from here on begins on the node as it is described here. What runs stays as it is.
struct ConfigureNode {
    NodeSetup setup;
    BERTH_FIELDS(ConfigureNode, setup)
};
// Kinds are appended only: agent and launcher may be of different versions for a while.
using HostAction =
    std::variant<StartAttempt, StartStep, SignalRun, RemoveAttempt, StartHook, StartNodeProgram,
                 MeasureRuns, FreezeRun, NotifyRun, KeepAttempt, ConfigureNode, ListAttempts>;

// ---- Durable memory, a small key-value store: one file per key in the real one. `value` nullopt
// removes.
struct MemoryWrite {
    std::string key;
    std::optional<std::string> value;
};

struct OutgoingReport {
    std::uint64_t link = 0;
    Report report;
};

class Disk {
public:
    virtual ~Disk() = default;
    // Durable on return, all or none. An error means: stop at once; a later start reads what is
    // there.
    virtual Status write(std::span<const MemoryWrite> writes) = 0;
};
class Node {
public:
    virtual ~Node() = default;
    virtual void act(HostAction action) = 0;
};
class Uplink {
public:
    virtual ~Uplink() = default;
    virtual void send(OutgoingReport report) = 0;
    virtual void close(std::uint64_t link) = 0;
};

}  // namespace berth
