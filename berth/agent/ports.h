// Ports: the agent's interfaces to its node and the network. The real implementations are in `host`
// and `wire`; the simulated world has its own.
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

// ---- Events on the node.

// A run is a set of processes under one cgroup: a batch script, or this node's part of a step.
// kExternStep stands for the attempt's own cgroup, the parent of all others of the attempt.
struct RunKey {
    JobId job{0};
    Attempt attempt{0};
    StepId step{0};
    friend auto operator<=>(const RunKey&, const RunKey&) = default;
    BERTH_FIELDS(RunKey, job, attempt, step)
};

// Answers StartStep and StartAttempt (the latter with kBatchStep on the batch host, kExternStep
// elsewhere).
struct RunStarted {
    RunKey run;
    BERTH_FIELDS(RunStarted, run)
};
// The other answer: nothing of the run is alive, and nothing will start.
struct RunFailedToStart {
    RunKey run;
    std::string why;
    NotBegun not_begun = NotBegun::unknown;
    BERTH_FIELDS(RunFailedToStart, run, why, not_begun)
};
// The main process of the run (the script; for a step, all tasks) has ended. Other processes of its
// cgroup may remain.
struct RunExited {
    RunKey run;
    ExitStatus exit;
    bool out_of_memory = false;
    std::optional<RunUsage> usage = std::nullopt;
    // Why the script could not run, if its user must fix that.
    std::string failure = {};
    std::optional<Time> ended_at = std::nullopt;  // By the node's clock; nullopt: unknown.
    BERTH_FIELDS(RunExited, run, exit, out_of_memory, usage, failure, ended_at)
};
// The run's cgroup is empty, so its resources are free. Comes after RunExited, when the last
// process has ended. Also answers every SignalRun with whole = true: at once if no process or no
// such cgroup is left.
struct RunEmpty {
    RunKey run;
    BERTH_FIELDS(RunEmpty, run)
};

// Readings of the node's GPUs, each time the meter has read them.
struct GpusRead {
    std::vector<GpuReading> gpus;
};

// GPU faults since the last look. The agent numbers them.
struct FaultsSeen {
    std::vector<GpuFault> faults;
};

// Answers MeasureRuns: all live runs.
struct UsageRead {
    std::vector<StepUsage> runs;
    BERTH_FIELDS(UsageRead, runs)
};

// A program of the site that belongs to no job has ended.
struct NodeProgramExited {
    NodeProgram program = NodeProgram::health_check;
    std::string failure;  // Empty: it succeeded.
    BERTH_FIELDS(NodeProgramExited, program, failure)
};

// Answers FreezeRun once it is done: of an attempt that is frozen, no process runs any more.
struct RunFrozen {
    RunKey run;  // With step kExternStep.
    bool frozen = true;
    std::uint32_t change = 0;  // As the action's.
    BERTH_FIELDS(RunFrozen, run, frozen, change)
};

// Answers WatchCheckpoint. May come again.
struct CheckpointFound {
    RunKey run;
    BERTH_FIELDS(CheckpointFound, run)
};

// ---- Events on the link.
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
                 NodeProgramExited, LinkUp, LinkDown, OrderCame, RunFrozen, CheckpointFound>;

// ---- Actions that the agent asks of the node.

// Creates the attempt's cgroups and limits; on the batch host, starts the script under its
// shepherd. The script begins at most once, even if the action is repeated by another agent
// process: a script that may have begun is refused with RunFailedToStart.
struct StartAttempt {
    LaunchAttempt launch;
    BERTH_FIELDS(StartAttempt, launch)
};
struct StartStep {
    LaunchStep launch;
    // The attempt of the step, without payload: owner, cluster, confinement.
    LaunchAttempt attempt;
    BERTH_FIELDS(StartStep, launch, attempt)
};
// Runs the site's prolog or epilog (`run.step` says which) as root, outside the attempt's cgroups,
// one program after the other until one fails. Answered by RunExited or RunFailedToStart. If the
// agent dies before the answer, its successor asks again and the programs run again.
struct StartHook {
    RunKey run;
    LaunchAttempt launch;  // Without payload.
    BERTH_FIELDS(StartHook, run, launch)
};
// Sends a signal to the main process of the run (whole = false) or to every process of its cgroup.
struct SignalRun {
    RunKey run;
    std::int32_t signal = 0;
    bool whole = true;
    BERTH_FIELDS(SignalRun, run, signal, whole)
};
// Freezes or thaws every process of the attempt. Idempotent. Answered by RunFrozen, unless another
// one follows before it is done.
struct FreezeRun {
    RunKey run;  // With step kExternStep.
    bool frozen = true;
    std::uint32_t change = 0;  // That of the order.
    BERTH_FIELDS(FreezeRun, run, frozen, change)
};
// Prints a line on the standard error of the script, or of the srun of the step: the text, then,
// where there is a time, that as the node's clock shows it, and the rest.
struct NotifyRun {
    RunKey run;
    std::string text;
    std::optional<Time> time;
    std::string rest;
    BERTH_FIELDS(NotifyRun, run, text, time, rest)
};
// The attempt has ended here and its cgroups are empty: removes them and its scratch files.
struct RemoveAttempt {
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(RemoveAttempt, job, attempt)
};
// Runs a program of the site as root; answered by NodeProgramExited.
struct StartNodeProgram {
    RunNodeProgram program;
    BERTH_FIELDS(StartNodeProgram, program)
};
// Answered by UsageRead, if anything runs.
struct MeasureRuns {
    BERTH_FIELDS(MeasureRuns)
};
// After a restart of the agent: keeps an attempt that has no process here now, because its job may
// start a step at any time. For launchers that do not know ListAttempts.
struct KeepAttempt {
    JobId job{0};
    Attempt attempt{0};
    BERTH_FIELDS(KeepAttempt, job, attempt)
};
// All attempts that the agent knows; sent once after each start of the agent. Any other attempt
// left on the node is an orphan. The node removes it as soon as it has found that none of its
// processes is alive, and until then refuses its devices to others.
struct ListAttempts {
    std::vector<RunKey> known;  // With step kExternStep.
    BERTH_FIELDS(ListAttempts, known)
};
// Describes the node for runs that start from now on. Live runs keep their settings.
struct ConfigureNode {
    NodeSetup setup;
    BERTH_FIELDS(ConfigureNode, setup)
};
// Watches for the checkpoint that the run saves: its file, complete and newer than this.
// Idempotent. Answered by CheckpointFound, unless the run ends before. The run is a batch script.
struct WatchCheckpoint {
    RunKey run;
    BERTH_FIELDS(WatchCheckpoint, run)
};
// Append new kinds only at the end: agent and launcher may differ in version for a while.
using HostAction = std::variant<StartAttempt, StartStep, SignalRun, RemoveAttempt, StartHook,
                                StartNodeProgram, MeasureRuns, FreezeRun, NotifyRun, KeepAttempt,
                                ConfigureNode, ListAttempts, WatchCheckpoint>;

// ---- Durable memory: a small key-value store.
// `value` nullopt removes the key.
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
    // Writes all or none, durably on return. After an error the caller must stop at once; the next
    // start reads what is there.
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
