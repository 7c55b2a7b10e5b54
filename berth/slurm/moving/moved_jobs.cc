#include "berth/slurm/moving/moved_jobs.h"

#include <algorithm>
#include <array>
#include <limits>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/moving/moved_job_options.h"
#include "berth/slurm/moving/records.h"
#include "berth/slurm/options/batch_script.h"

namespace berth::slurm {
namespace {

// Of Slurm 22.05 to 25.11.
constexpr auto kJobKeys = std::to_array<std::string_view>({
    "JobId",
    "ArrayJobId",
    "ArrayTaskId",
    "ArrayTaskThrottle",
    "HetJobId",
    "HetJobOffset",
    "HetJobIdSet",
    "JobName",
    "UserId",
    "GroupId",
    "MCS_label",
    "Priority",
    "Nice",
    "Account",
    "QOS",
    "WCKey",
    "JobState",
    "Reason",
    "Dependency",
    "FailedNode",
    "Requeue",
    "Restarts",
    "BatchFlag",
    "Reboot",
    "ExitCode",
    "DerivedExitCode",
    "RunTime",
    "TimeLimit",
    "TimeMin",
    "SubmitTime",
    "EligibleTime",
    "AccrueTime",
    "StartTime",
    "EndTime",
    "Deadline",
    "ResizeTime",
    "PreemptEligibleTime",
    "PreemptTime",
    "SuspendTime",
    "SecsPreSuspend",
    "LastSchedEval",
    "Scheduler",
    "Partition",
    "AllocNode:Sid",
    "ReqNodeList",
    "ExcNodeList",
    "NodeList",
    "SchedNodeList",
    "StepMgrEnabled",
    "BatchHost",
    "FedOrigin",
    "FedViableSiblings",
    "FedActiveSiblings",
    "NumNodes",
    "NumCPUs",
    "NumTasks",
    "CPUs/Task",
    "ReqB:S:C:T",
    "TRES",
    "ReqTRES",
    "AllocTRES",
    "Socks/Node",
    "NtasksPerN:B:S:C",
    "CoreSpec",
    "ThreadSpec",
    "JOB_GRES",
    "MinCPUsNode",
    "MinMemoryNode",
    "MinMemoryCPU",
    "MinTmpDiskNode",
    "Features",
    "DelayBoot",
    "Cluster",
    "ClusterFeatures",
    "Prefer",
    "Reservation",
    "OverSubscribe",
    "Contiguous",
    "Licenses",
    "LicensesAlloc",
    "Network",
    "Command",
    "SubmitLine",
    "WorkDir",
    "AdminComment",
    "SystemComment",
    "Comment",
    "Container",
    "ContainerId",
    "Extra",
    "StdErr",
    "StdIn",
    "StdOut",
    "BurstBuffer",
    "BurstBufferState",
    "Switches",
    "Power",
    "CpusPerTres",
    "MemPerTres",
    "TresBind",
    "TresFreq",
    "TresPerJob",
    "TresPerNode",
    "TresPerSocket",
    "TresPerTask",
    "NtasksPerTRES",
    "MailUser",
    "MailType",
    "KillOInInvalidDependent",
    "SegmentSize",
    "GresEnforceBind",
    "SpreadJob",
    "CronJob",
});
// With -d, for each node.
constexpr auto kNodeKeys = std::to_array<std::string_view>({"Nodes", "CPU_IDs", "Mem", "GRES"});

// What a job asked for in ways that the record shows and no option of sbatch takes over.
constexpr auto kNotMoved = std::to_array<std::string_view>(
    {"BurstBuffer", "TresFreq", "Container", "CoreSpec", "ThreadSpec", "CronJob"});
// What the record shows in words of its own: the script's options stay in force. Of each the value
// that asks for nothing.
struct ScriptKey {
    std::string_view key, nothing;
};
constexpr auto kOfScript = std::to_array<ScriptKey>({{"TresBind", ""},
                                                     {"NtasksPerTRES", ""},
                                                     {"ReqB:S:C:T", "0:0:*:*"},
                                                     {"Socks/Node", "*"},
                                                     {"Network", ""},
                                                     {"Power", ""},
                                                     {"Reboot", "0"},
                                                     {"DelayBoot", "00:00:00"},
                                                     {"ClusterFeatures", ""},
                                                     {"GresEnforceBind", "No"}});

std::optional<std::uint32_t> job_number(std::string_view text) {
    const auto number = parse_int64(text);
    if (!number.ok() || *number < 1 || *number > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

struct ShownUser {
    std::string name;
    std::uint32_t uid = 0;
};

// "games(5)"
std::optional<ShownUser> user_of(std::string_view shown) {
    const std::size_t open = shown.find('(');
    if (open == std::string_view::npos || open == 0 || !shown.ends_with(')')) return std::nullopt;
    const auto uid = parse_int64(shown.substr(open + 1, shown.size() - open - 2));
    if (!uid.ok() || *uid < 0 || *uid > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    return ShownUser{std::string(shown.substr(0, open)), static_cast<std::uint32_t>(*uid)};
}

class JobMover {
public:
    JobMover(const JobTexts& texts, MovedState state, Time now, MovedJobs& made)
        : texts_(texts), state_(state), now_(now), made_(made) {}

    // Of several records of one job it cannot be told which is Slurm's own.
    void count(const ShownRecord& record) { ++seen_[record.value("JobId")]; }

    void move(const ShownRecord& record) {
        line_ = record.line;
        const auto id = job_number(record.value("JobId"));
        if (!id) return refuse("a job has a number");
        name_ = "job " + std::to_string(*id);
        if (!record.wrong.empty()) return refuse(record.wrong);
        if (seen_[record.value("JobId")] > 1) return refuse("its number stands in the file twice");
        const std::string shown = record.value("JobState");
        const bool waits = shown == "PENDING", runs = shown == "RUNNING" || shown == "SUSPENDED";
        if (!waits && !runs) return;  // It is over, or ends.
        const auto user = user_of(record.value("UserId"));
        const auto owner = texts_.owners.find(*id);
        if (owner == texts_.owners.end()) return refuse("the file of owners does not have it");
        if (!user || user->name != owner->second) {
            return refuse("its owner is " + owner->second + ", and its record says " +
                          record.value("UserId"));
        }
        name_ += " (" + user->name + ", " + record.value("JobName") + ")";
        if (runs && !begins_again(record)) return;
        MovedJob job{.id = *id, .line = line_, .user = user->name, .uid = user->uid};
        job.array_id = job_number(record.value("ArrayJobId")).value_or(0);
        take(record, std::move(job), runs);
    }

private:
    void refuse(const std::string& message) {
        made_.remarks.push_back({RemarkKind::refused, line_, name_ + ": " + message});
    }
    void differs(const std::string& message) {
        made_.remarks.push_back({RemarkKind::differs, line_, name_ + ": " + message});
    }

    bool begins_again(const ShownRecord& record) {
        if (state_ != MovedState::running) {
            differs("it runs: it stays with Slurm until it ends");
            return false;
        }
        if (record.value("Requeue") != "1") {
            differs("it runs and may not be requeued: it stays with Slurm until it ends");
            return false;
        }
        return true;
    }

    void take(const ShownRecord& record, MovedJob job, bool runs) {
        if (record.has("HetJobId")) return refuse("a heterogeneous job is submitted again by hand");
        if (record.value("BatchFlag") == "0")
            return refuse("it has no script: its owner calls srun or salloc again");
        for (const std::string_view key : kNotMoved) {
            const std::string value = record.value(key);
            if (value.empty() || value == "*" || value == "0") continue;
            return refuse(std::string(key) + "=" + value + " is not supported");
        }
        const auto script = texts_.scripts.find(job.id);
        if (script == texts_.scripts.end())
            return refuse("its script is not there: job-" + std::to_string(job.id) + ".sh");
        if (const Status checked = check_script(script->second); !checked.ok())
            return refuse("its script: " + one_line(checked.error().message));
        job.script = script->second;
        job.given = options_of_record(record, job.script, now_);
        if (runs) hold(job);
        if (const Status checked = check_options(job.given); !checked.ok())
            return refuse(one_line(checked.error().message));
        take_command(record.value("Command"), job);
        job.dependency = record.value("Dependency");
        name_small_differences(record);
        made_.jobs.push_back(std::move(job));
    }

    void hold(MovedJob& job) {
        differs("it runs: it begins again here, held; release it once Slurm has ended it");
        const bool is_held =
            std::ranges::any_of(job.given, [](const auto& one) { return one.first == "hold"; });
        if (!is_held) job.given.emplace_back("hold", "");
    }

    // "/home/ann/train.sh 3 4"; a path with blanks is cut at the first of them.
    static void take_command(const std::string& command, MovedJob& job) {
        const auto words = split(command, ' ');
        const std::string_view path = words.front();
        const std::size_t slash = path.rfind('/');
        job.script_name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
        if (job.script_name.empty() || job.script_name == "." || job.script_name == "..")
            job.script_name = "script";
        for (std::size_t i = 1; i < words.size(); ++i) job.arguments.emplace_back(words[i]);
    }

    void name_small_differences(const ShownRecord& record) {
        const std::string nice = record.value("Nice");
        if (nice.starts_with('-')) differs("Nice=" + nice + " is left out: only root may raise it");
        for (const auto& [key, nothing] : kOfScript) {
            const std::string value = record.value(key);
            const bool is_taken = key == "Socks/Node" && !record.value("TresPerSocket").empty();
            if (!value.empty() && value != nothing && !is_taken) name_of_script(key, value);
        }
        name_shape(record);
        name_other_tres(record);
        for (const char* const key : {"Extra", "MCS_label"}) {
            const std::string value = record.value(key);
            if (!value.empty()) differs(std::string(key) + "=" + value + " is left out");
        }
        if (record.value("Reason") == "JobHeldAdmin")
            differs("an administrator holds it; here its owner may release it");
    }

    void name_of_script(std::string_view key, std::string_view value) {
        differs(std::string(key).append("=").append(value).append(
            " counts as far as its script asks for it"));
    }

    // Tasks of a board, and more CPUs of a node than its tasks take: --mincpus.
    void name_shape(const ShownRecord& record) {
        const std::string shape = record.value("NtasksPerN:B:S:C");
        const auto parts = split(shape, ':');
        const bool is_taken = parts.size() == 4 && parts[1] == "0";
        if (!shape.empty() && !is_taken) name_of_script("NtasksPerN:B:S:C", shape);
        const std::string least = record.value("MinCPUsNode");
        const std::int64_t of_task =
            std::max<std::int64_t>(1, parse_int64(record.value("CPUs/Task")).value_or(1));
        const std::int64_t tasks =
            std::max<std::int64_t>(1, parse_int64(parts.front()).value_or(1));
        const auto cpus = parse_int64(least);
        if (cpus.ok() && *cpus > 0 && (*cpus - 1) / of_task >= tasks)
            name_of_script("MinCPUsNode", least);
    }

    // GRES of nodes, and GPUs, are taken; CPUs of a task stand in CPUs/Task as well.
    void name_other_tres(const ShownRecord& record) {
        for (const char* const key : {"TresPerNode", "TresPerJob", "TresPerTask"}) {
            const std::string value = record.value(key);
            const bool takes_gres = key == std::string_view("TresPerNode");
            for (const std::string_view one : split(value, ',')) {
                const bool is_gres = one.starts_with("gres:") || one.starts_with("gres/");
                const bool is_taken = one.starts_with("cpu") ||
                                      (is_gres && (takes_gres || one.substr(5).starts_with("gpu")));
                if (!one.empty() && !is_taken) name_of_script(key, one);
            }
        }
    }

    const JobTexts& texts_;
    MovedState state_;
    Time now_;
    MovedJobs& made_;
    std::size_t line_ = 0;
    std::string name_ = "job";
    std::map<std::string, std::size_t> seen_;  // By number.
};

// The number that "12", "12_3", "12_*" and "12+5" begin with, and what follows it.
std::optional<std::pair<std::uint32_t, std::string>> id_and_rest(std::string_view text) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto id = job_number(text.substr(0, end));
    if (!id) return std::nullopt;
    return std::pair(*id, std::string(text.substr(end)));
}

// "afterok:12(unfulfilled)" and "afterany:12:13", with other numbers.
Result<std::string> moved_condition(std::string_view one,
                                    const std::map<std::uint32_t, std::string>& ids) {
    const std::string_view bare = one.substr(0, one.find('('));
    const auto parts = split(bare, ':');
    std::string text(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const auto id = id_and_rest(parts[i]);
        if (!id) {
            return invalid_argument("Dependency=" + std::string(one) +
                                    " should be a kind and numbers of jobs");
        }
        const auto here = ids.find(id->first);
        if (here == ids.end()) {
            return invalid_argument("it waits for job " + std::to_string(id->first) +
                                    ", which does not move");
        }
        text += ":" + here->second + (id->second == "_*" ? "" : id->second);
    }
    return text;
}

// A job that waits for one that does not move does not move either. Jobs are submitted in the order
// of their numbers, so what is waited for has a smaller one.
void leave_out_those_that_wait_for_others(MovedJobs& made) {
    std::map<std::uint32_t, std::string> ids;
    std::erase_if(made.jobs, [&](const MovedJob& job) {
        const Result<std::string> moved = moved_dependency(job.dependency, ids);
        if (moved.ok()) {
            ids.emplace(job.id, std::to_string(job.id));
            if (job.array_id != 0) ids.emplace(job.array_id, std::to_string(job.array_id));
            return false;
        }
        made.remarks.push_back(
            {RemarkKind::refused, job.line,
             "job " + std::to_string(job.id) + " (" + job.user + "): " + moved.error().message});
        return true;
    });
}

}  // namespace

std::vector<std::string> MovedJob::options() const {
    std::vector<std::string> words;
    words.reserve(given.size());
    for (const auto& [name, value] : given)
        words.push_back("--" + name + (value.empty() ? "" : "=" + value));
    return words;
}

Result<JobOwners> read_job_owners(std::string_view text) {
    JobOwners owners;
    std::size_t number = 0;
    for (const std::string_view raw : split(text, '\n')) {
        ++number;
        const std::string_view line = trim(raw);
        if (line.empty()) continue;
        const std::size_t bar = line.find('|');
        const auto id = job_number(line.substr(0, bar));
        const std::string user(bar == std::string_view::npos ? "" : trim(line.substr(bar + 1)));
        if (!id || user.empty() || user.find('|') != std::string::npos) {
            return invalid_argument("line " + std::to_string(number) +
                                    ": it should be NUMBER|USER; make the file with: squeue -h "
                                    "-o \"%A|%u\"");
        }
        owners.insert_or_assign(*id, user);
    }
    return owners;
}

MovedJobs read_moved_jobs(const JobTexts& texts, MovedState state, Time now) {
    MovedJobs made;
    if (state == MovedState::no) return made;
    const RecordForm form{.first = "JobId", .keys = kJobKeys, .lists = kNodeKeys};
    JobMover mover(texts, state, now, made);
    const std::vector<ShownRecord> records = read_records(texts.records, form, made.remarks);
    for (const ShownRecord& record : records) mover.count(record);
    for (const ShownRecord& record : records) mover.move(record);
    std::ranges::stable_sort(made.jobs, {}, &MovedJob::id);
    leave_out_those_that_wait_for_others(made);
    return made;
}

Result<std::string> moved_dependency(std::string_view shown,
                                     const std::map<std::uint32_t, std::string>& ids) {
    std::string text;
    for (std::size_t begin = 0; begin < shown.size();) {
        const std::size_t end = std::min(shown.find_first_of(",?", begin), shown.size());
        BERTH_TRY(const std::string one, moved_condition(shown.substr(begin, end - begin), ids));
        text += one;
        if (end < shown.size()) text += shown[end];
        begin = end + 1;
    }
    return text;
}

}  // namespace berth::slurm
