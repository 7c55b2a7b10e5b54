#include "berth/slurm/tables/sacct_fields.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "berth/api/accounting_time.h"
#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/usage_text.h"

namespace berth::slurm {
namespace {

using api::AccountingRow;
using api::elapsed_between;
using api::StepRow;

std::string id_text(const AccountingRow& job) {
    if (!job.array_pending.empty())
        return to_string(job.array_job.value_or(job.job)) + "_[" + job.array_pending + "]";
    if (job.array_job && job.array_task)
        return to_string(*job.array_job) + "_" + std::to_string(*job.array_task);
    if (job.het) return to_string(job.het->first) + "+" + std::to_string(job.het->offset);
    return to_string(job.job);
}

std::string state_text(const AccountingRow& job) {
    if (job.state == "CANCELLED" && job.cancelled_by)
        return "CANCELLED by " + std::to_string(*job.cancelled_by);
    return job.state;
}

// sacct sorts a TRES list by name; the rest of Slurm has it by kind.
std::string sorted_tres(const std::string& tres) {
    if (tres.empty()) return tres;
    std::vector<std::string_view> parts = split(tres, ',');
    std::ranges::sort(parts);
    return join(parts, ",");
}

// "16000M" of "cpu=8,mem=16000M,node=1"; "0" if no memory was asked for.
std::string memory_asked(std::string_view tres) {
    for (const auto part : split(tres, ',')) {
        if (part.starts_with("mem=")) return std::string(part.substr(4));
    }
    return "0";
}

std::string seconds_text(Duration length) { return std::to_string(length.count() / 1000); }
// As in Slurm: the whole seconds of Elapsed times CPUs.
Duration cpu_time(Duration length, std::uint32_t cpus) {
    return std::chrono::floor<std::chrono::seconds>(length) * cpus;
}

std::string time_limit_text(const AccountingRow& job) { return format_time_limit(job.time_limit); }

// How long it waited for its start, from when it could have had one.
Duration waited(const AccountingRow& job, Time now) {
    return elapsed_between(job.eligible_at, job.started_at ? job.started_at : job.ended_at, now);
}
Duration waiting_cpu_time(const AccountingRow& job, Time now) {
    return cpu_time(waited(job, now), job.requested_cpus);
}

// Fields of Slurm's that the record does not keep. A blank would say that there is nothing.
constexpr auto kNotKept = std::to_array<std::string_view>(
    {"AssocID", "DBIndex", "FailedNode", "QOSRAW", "ReservationId", "SLUID", "WCKeyID"});

// Below the folder in which the job ran, unless it is elsewhere.
std::string file_text(const AccountingRow& job, const std::string& file) {
    if (file.empty() || file.starts_with('/') || job.work_dir.empty()) return file;
    return job.work_dir + "/" + file;
}

// What agents do not report is blank, as in Slurm without JobAcctGatherType.
std::string not_known(const AccountingRow&, Time) { return {}; }
std::string not_known_of_step(const AccountingRow&, const StepRow&, Time) { return {}; }

// A job's CPU time is that of its steps and its script together.
using CpuPart = std::int64_t (*)(const StepTotals&);
std::int64_t user_of(const StepTotals& used) { return used.user_ms; }
std::int64_t system_of(const StepTotals& used) { return used.system_ms; }
std::int64_t total_of(const StepTotals& used) { return used.user_ms + used.system_ms; }
std::string cpu_of(const StepRow& step, CpuPart part) {
    return cpu_text(step.used ? part(*step.used) : 0);
}
std::string cpu_of_all(const AccountingRow& job, CpuPart part) {
    std::int64_t sum = 0;
    for (const StepRow& step : job.steps) sum += step.used ? part(*step.used) : 0;
    return cpu_text(sum);
}

// clang-format off
constexpr auto kAccountingFields = std::to_array<AccountingField>({
    {"Account", 10, [](const AccountingRow& j, Time) { return j.account; }, [](const AccountingRow& j, const StepRow&, Time) { return j.account; }},
    {"AdminComment", 14, [](const AccountingRow& j, Time) { return j.admin_comment; }, nullptr},
    {"AllocCPUS", 10, [](const AccountingRow& j, Time) { return std::to_string(j.allocated_cpus > 0 ? j.allocated_cpus : j.started_at ? 0U : j.requested_cpus); },
     [](const AccountingRow&, const StepRow& s, Time) { return std::to_string(s.cpus); }},
    {"AllocNodes", 10, [](const AccountingRow& j, Time) { return std::to_string(j.nodes.size()); }, [](const AccountingRow&, const StepRow& s, Time) { return std::to_string(s.nodes.size()); }},
    {"AllocTRES", 10, [](const AccountingRow& j, Time) { return sorted_tres(j.allocated_tres); }, [](const AccountingRow&, const StepRow& s, Time) { return sorted_tres(s.tres); }},
    {"AveCPU", 10, not_known, [](const AccountingRow&, const StepRow& s, Time) { return ave_cpu(s.used); }},
    {"AveCPUFreq", 10, not_known, not_known_of_step},
    {"AveDiskRead", 14, not_known, not_known_of_step},
    {"AveDiskWrite", 14, not_known, not_known_of_step},
    {"AvePages", 10, not_known, not_known_of_step},
    {"AveRSS", 10, not_known, [](const AccountingRow&, const StepRow& s, Time) { return ave_rss(s.used); }},
    {"AveVMSize", 10, not_known, not_known_of_step},
    {"BlockID", 16, not_known, nullptr},
    {"Cluster", 10, [](const AccountingRow& j, Time) { return j.cluster; }, [](const AccountingRow& j, const StepRow&, Time) { return j.cluster; }},
    {"Comment", 14, [](const AccountingRow& j, Time) { return j.comment; }, nullptr},
    {"ConsumedEnergy", 14, not_known, not_known_of_step},
    {"ConsumedEnergyRaw", 14, not_known, not_known_of_step},
    {"Constraints", 20, [](const AccountingRow& j, Time) { return j.constraints; }, nullptr},
    {"Container", 20, not_known, nullptr},
    {"CPUTime", 10, [](const AccountingRow& j, Time now) { return format_duration(cpu_time(ran_for(j, now), j.allocated_cpus)); },
     [](const AccountingRow&, const StepRow& s, Time now) { return format_duration(cpu_time(elapsed_between(s.started_at, s.ended_at, now), s.cpus)); }},
    {"CPUTimeRAW", 10, [](const AccountingRow& j, Time now) { return seconds_text(cpu_time(ran_for(j, now), j.allocated_cpus)); },
     [](const AccountingRow&, const StepRow& s, Time now) { return seconds_text(cpu_time(elapsed_between(s.started_at, s.ended_at, now), s.cpus)); }},
    {"DerivedExitCode", 15, [](const AccountingRow& j, Time) { return exit_text(j.derived_exit); }, nullptr},
    {"Elapsed", 10, [](const AccountingRow& j, Time now) { return format_duration(ran_for(j, now)); },
     [](const AccountingRow&, const StepRow& s, Time now) { return format_duration(elapsed_between(s.started_at, s.ended_at, now)); }},
    {"ElapsedRaw", 10, [](const AccountingRow& j, Time now) { return seconds_text(ran_for(j, now)); },
     [](const AccountingRow&, const StepRow& s, Time now) { return seconds_text(elapsed_between(s.started_at, s.ended_at, now)); }},
    {"Eligible", 19, [](const AccountingRow& j, Time) { return local_time(j.eligible_at, "Unknown"); }, [](const AccountingRow&, const StepRow& s, Time) { return local_time(s.started_at, "Unknown"); }},
    {"End", 19, [](const AccountingRow& j, Time) { return local_time(j.ended_at, "Unknown"); }, [](const AccountingRow&, const StepRow& s, Time) { return local_time(s.ended_at, "Unknown"); }},
    {"ExitCode", 8, [](const AccountingRow& j, Time) { return exit_text(j.exit); }, [](const AccountingRow&, const StepRow& s, Time) { return exit_text(s.exit); }},
    {"Extra", 8, [](const AccountingRow& j, Time) { return j.extra; }, nullptr},
    {"Flags", 20, [](const AccountingRow& j, Time) { return std::string(j.started_at ? "SchedMain" : ""); }, nullptr},
    {"GID", 6, [](const AccountingRow& j, Time) { return std::to_string(j.owner.gid); }, nullptr},
    {"Group", 9, [](const AccountingRow& j, Time) { return *j.owner.group; }, nullptr},
    {"JobID", -12, [](const AccountingRow& j, Time) { return id_text(j); }, [](const AccountingRow& j, const StepRow& s, Time) { return id_text(j) + "." + step_name(s.id); }},
    {"JobIDRaw", -12, [](const AccountingRow& j, Time) { return to_string(j.job); }, [](const AccountingRow& j, const StepRow& s, Time) { return to_string(j.job) + "." + step_name(s.id); }},
    {"JobName", 10, [](const AccountingRow& j, Time) { return j.name; }, [](const AccountingRow&, const StepRow& s, Time) { return s.name; }},
    {"Layout", 9, not_known, not_known_of_step},
    {"Licenses", 10, [](const AccountingRow& j, Time) { return j.licenses; }, nullptr},
    {"MaxDiskRead", 14, not_known, not_known_of_step},
    {"MaxDiskReadNode", 14, not_known, not_known_of_step},
    {"MaxDiskReadTask", 14, not_known, not_known_of_step},
    {"MaxDiskWrite", 14, not_known, not_known_of_step},
    {"MaxDiskWriteNode", 14, not_known, not_known_of_step},
    {"MaxDiskWriteTask", 14, not_known, not_known_of_step},
    {"MaxPages", 10, not_known, not_known_of_step},
    {"MaxPagesNode", 12, not_known, not_known_of_step},
    {"MaxPagesTask", 10, not_known, not_known_of_step},
    {"MaxRSS", 10, not_known, [](const AccountingRow&, const StepRow& s, Time) { return max_rss(s.used); }},
    {"MaxRSSNode", 10, not_known, [](const AccountingRow&, const StepRow& s, Time) { return max_rss_node(s.used); }},
    {"MaxRSSTask", 10, not_known, not_known_of_step},
    {"MaxVMSize", 10, not_known, not_known_of_step},
    {"MaxVMSizeNode", 10, not_known, not_known_of_step},
    {"MaxVMSizeTask", 10, not_known, not_known_of_step},
    {"MCSLabel", 10, not_known, nullptr},
    {"MinCPU", 10, not_known, [](const AccountingRow&, const StepRow& s, Time) { return min_cpu(s.used); }},
    {"MinCPUNode", 10, not_known, [](const AccountingRow&, const StepRow& s, Time) { return min_cpu_node(s.used); }},
    {"MinCPUTask", 10, not_known, not_known_of_step},
    {"NCPUS", 10, [](const AccountingRow& j, Time) { return std::to_string(j.allocated_cpus > 0 ? j.allocated_cpus : j.requested_cpus); },
     [](const AccountingRow&, const StepRow& s, Time) { return std::to_string(s.cpus); }},
    {"NNodes", 8, [](const AccountingRow& j, Time) { return std::to_string(j.nodes.empty() ? j.requested_nodes : j.nodes.size()); },
     [](const AccountingRow&, const StepRow& s, Time) { return std::to_string(s.nodes.size()); }},
    {"NodeList", 15, [](const AccountingRow& j, Time) { return nodes_text(j.nodes, "None assigned"); }, [](const AccountingRow&, const StepRow& s, Time) { return nodes_text(s.nodes); }},
    {"NTasks", 8, [](const AccountingRow&, Time) { return std::string(); }, [](const AccountingRow&, const StepRow& s, Time) { return std::to_string(s.tasks); }},
    {"Partition", 10, [](const AccountingRow& j, Time) { return j.partition; }, nullptr},
    {"Planned", 10, [](const AccountingRow& j, Time now) { return format_duration(waited(j, now)); }, nullptr},
    {"PlannedCPU", 10, [](const AccountingRow& j, Time now) { return format_duration(waiting_cpu_time(j, now)); }, nullptr},
    {"PlannedCPURAW", 13, [](const AccountingRow& j, Time now) { return seconds_text(waiting_cpu_time(j, now)); }, nullptr},
    {"Priority", 10, [](const AccountingRow& j, Time) { return std::to_string(j.priority); }, nullptr},
    {"QOS", 10, [](const AccountingRow& j, Time) { return j.qos; }, nullptr},
    {"QOSREQ", 10, [](const AccountingRow& j, Time) { return j.requested_qos; }, nullptr},
    {"Reason", 22, [](const AccountingRow& j, Time) { return j.reason.empty() ? "None" : j.reason; }, nullptr},
    {"ReqCPUFreq", 10, not_known, not_known_of_step},
    {"ReqCPUFreqGov", 13, not_known, not_known_of_step},
    {"ReqCPUFreqMax", 13, not_known, not_known_of_step},
    {"ReqCPUFreqMin", 13, not_known, not_known_of_step},
    {"ReqCPUS", 8, [](const AccountingRow& j, Time) { return std::to_string(j.requested_cpus); }, [](const AccountingRow&, const StepRow& s, Time) { return std::to_string(s.cpus); }},
    {"ReqMem", 10, [](const AccountingRow& j, Time) { return memory_asked(j.requested_tres); }, nullptr},
    {"ReqNodes", 8, [](const AccountingRow& j, Time) { return std::to_string(j.requested_nodes); }, [](const AccountingRow&, const StepRow& s, Time) { return std::to_string(s.nodes.size()); }},
    {"ReqReservation", 20, [](const AccountingRow& j, Time) { return j.reservation; }, nullptr},
    {"ReqTRES", 10, [](const AccountingRow& j, Time) { return sorted_tres(j.requested_tres); }, nullptr},
    {"Reservation", 20, [](const AccountingRow& j, Time) { return j.reservation; }, nullptr},
    {"Reserved", 10, [](const AccountingRow& j, Time now) { return format_duration(waited(j, now)); }, nullptr},
    {"Restarts", 8, [](const AccountingRow& j, Time) { return std::to_string(std::max(1U, j.attempt) - 1); }, nullptr},
    {"ResvCPU", 10, [](const AccountingRow& j, Time now) { return format_duration(waiting_cpu_time(j, now)); }, nullptr},
    {"ResvCPURAW", 10, [](const AccountingRow& j, Time now) { return seconds_text(waiting_cpu_time(j, now)); }, nullptr},
    {"SegmentSize", 11, [](const AccountingRow& j, Time) { return j.segment ? std::to_string(*j.segment) : std::string(); }, nullptr},
    {"Start", 19, [](const AccountingRow& j, Time) { return local_time(j.started_at, "Unknown"); }, [](const AccountingRow&, const StepRow& s, Time) { return local_time(s.started_at, "Unknown"); }},
    {"State", 10, [](const AccountingRow& j, Time) { return state_text(j); }, [](const AccountingRow&, const StepRow& s, Time) { return s.state; }},
    {"StdErr", 20, [](const AccountingRow& j, Time) { return file_text(j, j.std_err); }, nullptr},
    {"StdIn", 20, [](const AccountingRow& j, Time) { return file_text(j, j.std_in); }, nullptr},
    {"StdOut", 20, [](const AccountingRow& j, Time) { return file_text(j, j.std_out); }, nullptr},
    {"Submit", 19, [](const AccountingRow& j, Time) { return local_time(j.submitted_at, "Unknown"); }, [](const AccountingRow&, const StepRow& s, Time) { return local_time(s.started_at, "Unknown"); }},
    {"SubmitLine", 20, [](const AccountingRow& j, Time) { return j.submit_line; }, nullptr},
    {"Suspended", 10, [](const AccountingRow& j, Time now) { return format_duration(suspended_for(j, now)); }, [](const AccountingRow&, const StepRow&, Time) { return std::string("00:00:00"); }},
    {"SystemComment", 14, not_known, nullptr},
    {"SystemCPU", 10, [](const AccountingRow& j, Time) { return cpu_of_all(j, system_of); }, [](const AccountingRow&, const StepRow& s, Time) { return cpu_of(s, system_of); }},
    {"Timelimit", 10, [](const AccountingRow& j, Time) { return time_limit_text(j); }, nullptr},
    {"TimelimitRaw", 10, [](const AccountingRow& j, Time) { return j.time_limit ? std::to_string(j.time_limit->count() / 60'000) : std::string("UNLIMITED"); }, nullptr},
    {"TotalCPU", 10, [](const AccountingRow& j, Time) { return cpu_of_all(j, total_of); }, [](const AccountingRow&, const StepRow& s, Time) { return cpu_of(s, total_of); }},
    {"TRESUsageInAve", 14, not_known, [](const AccountingRow&, const StepRow& s, Time) { return usage_ave(s.used); }},
    {"TRESUsageInMax", 14, not_known, [](const AccountingRow&, const StepRow& s, Time) { return usage_max(s.used); }},
    {"TRESUsageInMaxNode", 18, not_known, not_known_of_step},
    {"TRESUsageInMaxTask", 18, not_known, not_known_of_step},
    {"TRESUsageInMin", 14, not_known, not_known_of_step},
    {"TRESUsageInMinNode", 18, not_known, not_known_of_step},
    {"TRESUsageInMinTask", 18, not_known, not_known_of_step},
    {"TRESUsageInTot", 14, not_known, [](const AccountingRow&, const StepRow& s, Time) { return usage_total(s.used); }},
    {"TRESUsageOutAve", 14, not_known, not_known_of_step},
    {"TRESUsageOutMax", 14, not_known, not_known_of_step},
    {"TRESUsageOutMaxNode", 18, not_known, not_known_of_step},
    {"TRESUsageOutMaxTask", 18, not_known, not_known_of_step},
    {"TRESUsageOutMin", 14, not_known, not_known_of_step},
    {"TRESUsageOutMinNode", 18, not_known, not_known_of_step},
    {"TRESUsageOutMinTask", 18, not_known, not_known_of_step},
    {"TRESUsageOutTot", 14, not_known, not_known_of_step},
    {"UID", 6, [](const AccountingRow& j, Time) { return std::to_string(j.owner.uid); }, nullptr},
    {"User", 9, [](const AccountingRow& j, Time) { return *j.owner.user; }, nullptr},
    {"WCKey", 10, [](const AccountingRow& j, Time) { return j.wckey; }, nullptr},
    {"UserCPU", 10, [](const AccountingRow& j, Time) { return cpu_of_all(j, user_of); }, [](const AccountingRow&, const StepRow& s, Time) { return cpu_of(s, user_of); }},
    {"WorkDir", 20, [](const AccountingRow& j, Time) { return j.work_dir; }, nullptr},
});
// clang-format on

}  // namespace

const AccountingField* find_accounting_field(std::string_view name) {
    const auto found = std::ranges::find_if(
        kAccountingFields, [&](const auto& field) { return iequals(field.name, name); });
    return found == kAccountingFields.end() ? nullptr : &*found;
}

Result<std::vector<AccountingColumn>> accounting_columns(std::string_view format) {
    std::vector<AccountingColumn> columns;
    for (const auto word : split(format, ',')) {
        const std::string_view name = trim(word.substr(0, word.find('%')));
        if (name.empty()) continue;
        if (iequals(name, "ALL")) {
            for (const AccountingField& one : kAccountingFields) {
                columns.push_back(
                    {&one, static_cast<std::size_t>(std::abs(one.width)), one.width > 0});
            }
            continue;
        }
        const bool is_not_kept =
            std::ranges::any_of(kNotKept, [&](std::string_view one) { return iequals(one, name); });
        if (is_not_kept) {
            return Error{ErrorCode::failed_precondition,
                         "the field " + std::string(name) +
                             " is not supported: the accounting record does not keep it"};
        }
        const AccountingField* field = find_accounting_field(name);
        if (field == nullptr) {
            return Error{ErrorCode::invalid_argument,
                         "Invalid field requested: \"" + std::string(name) + "\""};
        }
        std::int64_t width = field->width;
        if (word.find('%') != std::string_view::npos) {
            const auto given = parse_int64(trim(word.substr(word.find('%') + 1)));
            if (!given.ok() || given.value() == 0 || given.value() < -4096 ||
                given.value() > 4096) {
                return Error{ErrorCode::invalid_argument,
                             "Invalid width in \"" + std::string(word) + "\""};
            }
            width = given.value();
        }
        columns.push_back({field, static_cast<std::size_t>(std::abs(width)), width > 0});
    }
    return columns;
}

std::string advice_on_columns(const Invocation& call, std::string_view format) {
    std::vector<std::string> names;
    names.reserve(kAccountingFields.size());
    for (const AccountingField& one : kAccountingFields) names.emplace_back(one.name);
    for (const auto word : split(format, ',')) {
        const std::string_view name = trim(word.substr(0, word.find('%')));
        if (name.empty() || iequals(name, "ALL") || find_accounting_field(name) != nullptr)
            continue;
        const bool is_not_kept =
            std::ranges::any_of(kNotKept, [&](std::string_view one) { return iequals(one, name); });
        if (is_not_kept) return {};
        return advice_on_name(call, name, names, call.name + " --helpformat lists the fields");
    }
    return {};
}

std::string accounting_field_names() {
    std::string text;
    std::size_t column = 0;
    for (const AccountingField& field : kAccountingFields) {
        text += field.name;
        text += ++column % 4 == 0
                    ? "\n"
                    : std::string(field.name.size() < 19 ? 19 - field.name.size() : 1, ' ');
    }
    return text + (column % 4 == 0 ? "" : "\n");
}

}  // namespace berth::slurm
