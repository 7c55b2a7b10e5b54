// sacct: the accounting of a real Slurm, `sacct -a -X --parsable2
// --format=JobID,JobName,User,Account,
// Partition,QOS,State,Submit,Start,End,ElapsedRaw,Timelimit,ReqTRES,AllocTRES,NNodes`: any of these
// columns, in any order, as far as they are there. Steps are passed over.
#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/workload/formats.h"
#include "berth/workload/rows.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

bool is_unknown(std::string_view text) {
    return text.empty() || text == "Unknown" || text == "None" || text == "N/A";
}

// As printed, or with SLURM_TIME_FORMAT=%s.
Result<Time> moment_of(std::string_view text) {
    if (const auto seconds = parse_int64(text); seconds.ok() && *seconds >= 0) {
        if (*seconds > kMillisMax / 1000) return parse_moment(text);  // Says what is wrong.
        return from_seconds(*seconds);
    }
    return parse_moment(text);
}

// "2-12:30:00", "12:30:00", "30:00", or ElapsedRaw's seconds.
Result<Duration> run_time_of(const Table& table) {
    if (table.has("ElapsedRaw")) return parse_seconds(table.field("ElapsedRaw"));
    BERTH_TRY(const auto length, parse_time_limit(table.field("Elapsed")));
    if (length) return *length;
    return Error{ErrorCode::invalid_argument, "Elapsed should be a length of time"};
}

Result<std::optional<Duration>> limit_of(const Table& table) {
    const std::string_view raw = table.field("TimelimitRaw");
    if (const auto minutes = parse_int64(raw); minutes.ok()) {
        if (*minutes <= 0 || *minutes > kMillisMax / 60'000) return std::optional<Duration>();
        return std::optional<Duration>(std::chrono::minutes(*minutes));
    }
    const std::string_view text = table.field("Timelimit");
    if (is_unknown(text) || text == "Partition_Limit") return std::optional<Duration>();
    return parse_time_limit(text);
}

// "64G", "1.50T", "4000M"; 4000, which are MiB.
Result<Bytes> memory_of(std::string_view text) {
    constexpr std::string_view kUnits = "KMGTP";
    const Error no{ErrorCode::invalid_argument,
                   "'" + std::string(text.substr(0, 40)) + "' should be a size such as 62.50G"};
    const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
    if (unit != std::string_view::npos) text.remove_suffix(1);
    const auto thousandths = parse_thousandths(text);
    if (!thousandths.ok() || *thousandths < 0) return no;
    const int shift = unit == std::string_view::npos ? 20 : 10 * (static_cast<int>(unit) + 1);
    const Wide bytes = (Wide{*thousandths} << shift) / 1000;
    if (bytes > (Wide{1} << 60)) return no;
    return Bytes(static_cast<std::int64_t>(bytes));
}

struct Asked {
    std::int64_t cpus = 0, gpus = 0, typed_gpus = 0, nodes = 0;
    Bytes memory;
    std::string type;
};

// "billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=16G,node=1"
Result<Asked> asked_of(std::string_view tres) {
    Asked asked;
    if (is_unknown(tres)) return asked;
    for (const std::string_view one : split(tres, ',')) {
        const std::size_t equals = one.find('=');
        if (equals == std::string_view::npos) {
            return Error{ErrorCode::invalid_argument,
                         "'" + std::string(one.substr(0, 40)) + "' of TRES should be like cpu=8"};
        }
        const std::string_view name = trim(one.substr(0, equals));
        const std::string_view value = trim(one.substr(equals + 1));
        constexpr std::string_view kTyped = "gres/gpu:";
        if (name == "cpu") {
            BERTH_TRY(asked.cpus, parse_count(value, 0, kCpusMax));
        } else if (name == "node") {
            BERTH_TRY(asked.nodes, parse_count(value, 0, kCpusMax));
        } else if (name == "mem") {
            BERTH_TRY(asked.memory, memory_of(value));
        } else if (name == "gres/gpu") {
            BERTH_TRY(asked.gpus, parse_count(value, 0, kGpusMax));
        } else if (name.starts_with(kTyped)) {
            BERTH_TRY(const std::int64_t gpus, parse_count(value, 0, kGpusMax));
            asked.typed_gpus += gpus;
            if (gpus > 0) asked.type = name.substr(kTyped.size());
        }
    }
    return asked;
}

Outcome sacct_outcome(std::string_view state) {
    if (state.starts_with("COMPLETED")) return Outcome::completed;
    return state.starts_with("CANCELLED") ? Outcome::cancelled : Outcome::failed;
}

std::uint64_t number_of(std::string_view id) {  // "12_3", "12_[4-7]", "12+0"
    const auto number = parse_int64(id.substr(0, id.find_first_not_of("0123456789")));
    return number.ok() ? static_cast<std::uint64_t>(*number) : 0;
}

Result<std::optional<TraceJob>> read_sacct_row(const Table& table) {
    const std::string_view id = table.field("JobID"), state = table.field("State");
    if (id.find('.') != std::string_view::npos) return std::optional<TraceJob>();
    if (state == "PENDING" || state == "RUNNING" || is_unknown(table.field("Submit")) ||
        (table.has("Start") && is_unknown(table.field("Start")))) {
        return std::optional<TraceJob>();  // It has not ended, or never began.
    }
    TraceJob job;
    BERTH_TRY(const Time submit, moment_of(table.field("Submit")));
    BERTH_TRY(job.run_time, run_time_of(table));
    BERTH_TRY(job.limit, limit_of(table));
    BERTH_TRY(Asked asked,
              asked_of(table.has("ReqTRES") ? table.field("ReqTRES") : table.field("AllocTRES")));
    job.number = number_of(id);
    job.submit = submit.time_since_epoch();
    job.gpus = std::max(asked.gpus, asked.typed_gpus);
    if (asked.typed_gpus == job.gpus && job.gpus > 0) job.gpu_types = {to_lower(asked.type)};
    if (asked.cpus > 0) job.cpu_milli = asked.cpus * 1000;
    if (asked.memory > Bytes(0)) job.memory = asked.memory;
    if (asked.nodes > 0) job.nodes = static_cast<std::uint32_t>(asked.nodes);
    job.user = table.field("User");
    job.account = table.field("Account");
    job.name = table.field("JobName");
    job.partition = table.field("Partition");
    job.qos = table.field("QOS");
    job.outcome = sacct_outcome(state);
    return job;
}

}  // namespace

Result<Workload> read_sacct(std::string_view text) {
    constexpr auto kColumns = std::to_array<std::string_view>({"JobID", "State", "Submit"});
    const Table header(text, '|');
    if (!header.has("ElapsedRaw") && !header.has("Elapsed")) {
        return Error{ErrorCode::invalid_argument,
                     "the header should name JobID, State, Submit and ElapsedRaw or Elapsed: "
                     "sacct --parsable2 --format=JobID,State,Submit,ElapsedRaw,…"};
    }
    BERTH_TRY(Workload workload, read_rows(text, '|', kColumns, read_sacct_row));
    workload.begin = 0;
    finish(workload);
    return workload;
}

}  // namespace berth::workload
