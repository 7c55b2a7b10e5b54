// The fields of squeue -O, by name. Most are a letter of -o; the others stand here.
#include <algorithm>
#include <array>
#include <span>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/gres_lists.h"
#include "berth/slurm/tables/squeue_fields.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

using api::JobRow;

// clang-format off
constexpr auto kJobLetters = std::to_array<LongName>({
    {"account", 'a'}, {"arrayjobid", 'F'}, {"arraytaskid", 'K'}, {"batchhost", 'B'}, {"command", 'o'}, {"comment", 'k'},
    {"contiguous", 'O'}, {"cores", 'I'}, {"corespec", 'X'}, {"dependency", 'E'}, {"endtime", 'e'}, {"feature", 'f'},
    {"groupid", 'G'}, {"groupname", 'g'}, {"jobarrayid", 'i'}, {"jobid", 'A'}, {"licenses", 'W'}, {"minmemory", 'm'},
    {"mincpus", 'c'}, {"mintmpdisk", 'd'}, {"name", 'j'}, {"nice", 'y'}, {"nodelist", 'N'}, {"numcpus", 'C'}, {"numnodes", 'D'},
    {"oversubscribe", 'h'}, {"shared", 'h'}, {"partition", 'P'}, {"priority", 'p'}, {"prioritylong", 'Q'}, {"qos", 'q'}, {"reason", 'r'},
    {"reasonlist", 'R'}, {"reqnodes", 'n'}, {"reservation", 'v'}, {"schednodes", 'Y'}, {"sct", 'z'}, {"sockets", 'H'},
    {"starttime", 'S'}, {"state", 'T'}, {"statecompact", 't'}, {"submittime", 'V'}, {"timeleft", 'L'}, {"timelimit", 'l'},
    {"timeused", 'M'}, {"tres-per-node", 'b'}, {"userid", 'U'}, {"username", 'u'}, {"wckey", 'w'}, {"workdir", 'Z'},
    {"excnodes", 'x'}, {"threads", 'J'},
});
// clang-format on

template <class List>
std::string gres_or_na(const List& all) {
    return all.empty() ? "N/A" : gres_text(all);
}

template <std::size_t N>
struct Fixed {
    char text[N]{};
    // NOLINTNEXTLINE(google-explicit-constructor): a literal as a template argument becomes one.
    constexpr Fixed(const char (&given)[N]) { std::copy_n(given, N, text); }
};
// What Slurm prints where a job says nothing; ours never say more.
template <Fixed Text>
std::string always(const JobRow&, Time) {
    return Text.text;
}

std::string count_or_na(std::uint32_t count) { return count == 0 ? "N/A" : std::to_string(count); }

std::string duration_or_zero(const std::optional<Duration>& length) {
    return format_duration_short(length.value_or(Duration::zero()));
}

// As wait(2) has it: the exit code in the upper byte, the signal in the lower.
std::string wait_status(const ExitStatus& exit) {
    return std::to_string(exit.code * 256 + exit.signal);
}

// Seconds from its submission to its start, or to its end without one.
std::string waited(const JobRow& job, Time now) {
    const Time from = job.submitted_at;
    const auto over = job.started_at ? job.started_at : job.ended_at;
    const Time until = job.state == "PENDING" ? now : over.value_or(now);
    return std::to_string(std::max<std::int64_t>(0, seconds(until - from)));
}

// clang-format off
constexpr auto kOtherJobFields = std::to_array<LongField>({
    {"accruetime", "ACCRUE_TIME", [](const JobRow& j, Time) { return local_time(j.eligible_at, "N/A"); }},
    {"admin_comment", "ADMIN_COMMENT", [](const JobRow& j, Time) { return or_null(j.admin_comment); }},
    {"allocnodes", "ALLOC_NODES", [](const JobRow& j, Time) { return or_null(j.command.submit_host); }},
    {"allocsid", "ALLOC_SID", always<"0">},
    {"associd", "ASSOC_ID", always<"0">},  // As Slurm without associations.
    {"batchflag", "BATCH_FLAG", [](const JobRow& j, Time) { return std::string(j.command.interactive ? "0" : "1"); }},
    {"boardspernode", "BOARDS_PER_NODE", always<"0">},
    {"burstbuffer", "BURST_BUFFER", always<"(null)">},
    {"burstbufferstate", "BURST_BUFFER_STATE", always<"(null)">},
    {"cluster", "CLUSTER", always<"N/A">},  // As Slurm, unless there are several.
    {"clusterfeature", "CLUSTER_FEATURES", always<"(null)">},
    {"container", "CONTAINER", always<"(null)">},
    {"containerid", "CONTAINER_ID", always<"N/A">},
    {"cpus-per-task", "CPUS_PER_TASK", [](const JobRow& j, Time) { return std::to_string(j.request.cpus_per_task.value_or(1)); }},
    {"cpus-per-tres", "CPUS_PER_TRES", always<"N/A">},
    {"cronjob", "CRON_JOB", always<"No">},
    {"deadline", "DEADLINE", [](const JobRow& j, Time) { return local_time(j.deadline, "N/A"); }},
    {"delayboot", "DELAY_BOOT", always<"0:00">},
    {"derivedec", "DERIVED_EC", [](const JobRow& j, Time) { return wait_status(j.derived_exit); }},
    {"eligibletime", "ELIGIBLE_TIME", [](const JobRow& j, Time) { return local_time(j.eligible_at ? j.eligible_at : j.begin_at, "N/A"); }},
    {"exit_code", "EXIT_CODE", [](const JobRow& j, Time) { return wait_status(j.exit); }},
    {"flavor", "FLAVOR", [](const JobRow& j, Time) { return or_null(j.flavor); }},
    {"hetjobid", "HET_JOB_ID", [](const JobRow& j, Time) { return j.het ? to_string(j.het->first) : "N/A"; }},
    {"hetjobidset", "HET_JOB_ID_SET", [](const JobRow& j, Time) { return j.het ? het_id_set(*j.het) : "N/A"; }},
    {"hetjoboffset", "HET_JOB_OFFSET", [](const JobRow& j, Time) { return j.het ? std::to_string(j.het->offset) : "N/A"; }},
    {"lastschedeval", "LAST_SCHED_EVAL", [](const JobRow& j, Time) { return local_time(j.started_at ? j.started_at : j.eligible_at, "N/A"); }},
    {"licensesalloc", "LICENSES_ALLOC", [](const JobRow& j, Time) { return or_null(j.started_at ? to_text(j.request.licenses) : ""); }},
    {"maxcpus", "MAX_CPUS", [](const JobRow& j, Time) { return std::to_string(j.cpus); }},
    {"maxnodes", "MAX_NODES", [](const JobRow& j, Time) { return std::to_string(j.request.nodes_max.value_or(j.node_count)); }},
    {"mcslabel", "MCSLABEL", always<"(null)">},
    {"mem-per-tres", "MEM_PER_TRES", always<"N/A">},
    {"mintime", "TIME_MIN", [](const JobRow& j, Time) { return duration_or_zero(j.time_min); }},
    {"network", "NETWORK", always<"(null)">},
    {"ntperboard", "NTASKS_PER_BOARD", always<"0">},
    {"ntpercore", "NTASKS_PER_CORE", [](const JobRow& j, Time) { return count_or_na(j.request.nearness->layout.per_core); }},
    {"ntpernode", "NTASKS_PER_NODE", [](const JobRow& j, Time) { return std::to_string(j.request.tasks_per_node.value_or(0)); }},
    {"ntpersocket", "NTASKS_PER_SOCKET", [](const JobRow& j, Time) { return count_or_na(j.request.nearness->layout.per_socket); }},
    {"numtasks", "TASKS", [](const JobRow& j, Time) { return std::to_string(j.tasks); }},
    {"origin", "ORIGIN", always<"NA">},
    {"originraw", "ORIGIN_RAW", always<"NA">},
    {"pendingtime", "PENDING_TIME", waited},
    {"preempttime", "PREEMPT_TIME", [](const JobRow& j, Time) { return local_time(j.preempted_at, "N/A"); }},
    {"prefer", "PREFER", [](const JobRow& j, Time) { return or_null(preferred_features(j.request.nearness)); }},
    {"profile", "PROFILE", always<"NotSet">},
    {"reboot", "REBOOT", always<"0">},
    {"reqswitch", "REQ_SWITCH", [](const JobRow& j, Time) { return std::to_string(j.request.nearness->switches.value_or(0)); }},
    {"requeue", "REQUEUE", [](const JobRow& j, Time) { return std::string(j.requeue ? "1" : "0"); }},
    {"resizetime", "RESIZE_TIME", always<"N/A">},
    {"restartcnt", "RESTART_COUNT", [](const JobRow& j, Time) { return std::to_string(j.restarts); }},
    {"segmentsize", "SEGMENT_SIZE", [](const JobRow& j, Time) { return std::to_string(j.request.nearness->segment.value_or(0)); }},
    {"selectjobinfo", "", always<"">},
    {"siblingsactive", "ACTIVE_SIBLINGS", always<"NA">},
    {"siblingsactiveraw", "ACTIVE_SIBLINGS_RAW", always<"NA">},
    {"siblingsviable", "VIABLE_SIBLINGS", always<"NA">},
    {"siblingsviableraw", "VIALBLE_SIBLINGS_RAW", always<"NA">},  // As Slurm spells it.
    {"sperboard", "SOCKETS_PER_BOARD", always<"0">},
    {"stderr", "STDERR", [](const JobRow& j, Time) { return j.std_err; }},
    {"stdin", "STDIN", [](const JobRow& j, Time) { return j.std_in.empty() ? "/dev/null" : j.std_in; }},
    {"stdout", "STDOUT", [](const JobRow& j, Time) { return j.std_out; }},
    {"system_comment", "SYSTEM_COMMENT", always<"(null)">},
    {"tres-alloc", "TRES_ALLOC", [](const JobRow& j, Time) { return j.allocated_tres.empty() ? j.requested_tres : j.allocated_tres; }},
    {"tres-bind", "TRES_BIND", always<"N/A">},
    {"tres-freq", "TRES_FREQ", always<"N/A">},
    {"tres-per-job", "TRES_PER_JOB", [](const JobRow& j, Time) { return gres_or_na(j.request.gpus); }},
    {"tres-per-socket", "TRES_PER_SOCKET", [](const JobRow& j, Time) { return gres_or_na(gpus_of_socket(j.request)); }},
    {"tres-per-task", "TRES_PER_TASK", [](const JobRow& j, Time) { return gres_or_na(j.request.gpus_per_task); }},
    {"wait4switch", "WAIT4SWITCH", [](const JobRow& j, Time) { return duration_or_zero(j.request.nearness->switches_wait); }},
});

// Of squeue -s -O.
constexpr auto kStepLetters = std::to_array<LongName>({
    {"stepid", 'i'}, {"stepname", 'j'}, {"partition", 'P'}, {"username", 'u'}, {"userid", 'U'}, {"timeused", 'M'}, {"nodes", 'N'},
    {"numtasks", 'A'}, {"numcpus", 'C'}, {"starttime", 'S'}, {"stepstate", 'T'}, {"tres-per-step", 'b'}, {"cpufreq", 'f'},
    {"resvport", 'R'},
});
// clang-format on

}  // namespace

const LongField* find_long_field(std::string_view name) {
    const auto found = std::ranges::find(kOtherJobFields, name, &LongField::name);
    return found == kOtherJobFields.end() ? nullptr : &*found;
}

char letter_of_long_name(std::string_view name, bool of_steps) {
    const std::span<const LongName> names =
        of_steps ? std::span<const LongName>(kStepLetters) : std::span<const LongName>(kJobLetters);
    const auto found = std::ranges::find(names, name, &LongName::name);
    return found == names.end() ? '\0' : found->letter;
}

}  // namespace berth::slurm
