// seff: how well a job used its cores and its memory, in the words of Slurm's contributed script.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "berth/api/accounting_time.h"
#include "berth/base/duration_text.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/print.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

constexpr auto kSeffOptions = std::to_array<option>({
    {"help", no_argument, nullptr, 'h'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSeffLetters = "hV";
constexpr const char* kSeffUsage =
    "Usage: seff JOB\n"
    "How well a job, or a task of an array (12_3), used its cores and its memory.\n";

std::string with_two_digits(double number) {
    char text[64];
    std::snprintf(text, sizeof text, "%.2f", number);
    return text;
}

std::string percent(double part, double whole) {
    return with_two_digits(whole > 0 ? 100 * part / whole : 0) + "%";
}

// "1.50 GB"
std::string size_text(std::int64_t bytes) {
    constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    auto size = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (size >= 1024 && unit + 1 < std::size(kUnits)) {
        size /= 1024;
        ++unit;
    }
    return with_two_digits(size) + " " + kUnits[unit];
}

std::int64_t memory_held(const api::AccountingRow& job) {
    for (const auto part : split(job.allocated_tres, ',')) {
        if (!part.starts_with("mem=")) continue;
        const auto size = parse_size(part.substr(4));
        return size.ok() ? size->count() : 0;
    }
    return 0;
}

void print_efficiency(const api::AccountingRow& job, Time now, std::ostream& out) {
    std::int64_t cpu_ms = 0, memory = 0;
    for (const api::StepRow& step : job.steps) {
        if (!step.used) continue;
        cpu_ms += step.used->user_ms + step.used->system_ms;
        memory = std::max(memory, step.used->rss_sum);
    }
    const Duration ran = std::chrono::floor<std::chrono::seconds>(ran_for(job, now));
    const Duration held = ran * job.allocated_cpus;
    const std::size_t nodes = std::max<std::size_t>(1, job.nodes.size());
    if (nodes == 1) {
        out << "Cores: " << job.allocated_cpus << '\n';
    } else {
        out << "Nodes: " << nodes << "\nCores per node: " << job.allocated_cpus / nodes << '\n';
    }
    out << "CPU Utilized: " << format_duration(std::chrono::milliseconds(cpu_ms)) << '\n'
        << "CPU Efficiency: "
        << percent(static_cast<double>(cpu_ms), static_cast<double>(held.count())) << " of "
        << format_duration(held) << " core-walltime\n"
        << "Job Wall-clock time: " << format_duration(ran) << '\n'
        << "Memory Utilized: " << size_text(memory) << '\n'
        << "Memory Efficiency: "
        << percent(static_cast<double>(memory), static_cast<double>(memory_held(job))) << " of "
        << size_text(memory_held(job)) << '\n';
    if (!job.ended_at)
        out << "WARNING: Efficiency statistics may be misleading for " << job.state << " jobs.\n";
}

void print_job(const api::AccountingRow& job, Time now, std::ostream& out) {
    out << "Job ID: " << to_string(job.job) << '\n';
    if (job.array_job && job.array_task)
        out << "Array Job ID: " << to_string(*job.array_job) << '_' << *job.array_task << '\n';
    out << "Cluster: " << job.cluster << '\n'
        << "User/Group: " << *job.owner.user << '/' << *job.owner.group << '\n'
        << "State: " << job.state;
    if (job.ended_at) out << " (exit code " << job.exit.code << ')';
    out << '\n';
    if (job.started_at) {
        print_efficiency(job, now, out);
    } else {
        out << "Efficiency not available for jobs in the " << job.state << " state.\n";
    }
}

}  // namespace

int run_seff(const Invocation& call, Streams& streams) {
    ArgumentReader reader(call, kSeffOptions, kSeffLetters);
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        return streams.out << kSeffUsage << command_help(call, kSeffOptions, kSeffLetters), 0;
    }
    if (reader.failed()) return streams.err << kSeffUsage, 1;
    const std::vector<std::string> words = reader.operands();
    if (words.size() != 1) return streams.err << kSeffUsage, 1;
    const std::string& name = words.front();
    const std::size_t bar = name.find('_');
    const auto id = parse_int64(std::string_view(name).substr(0, bar));
    const auto task = bar == std::string::npos ? id : parse_int64(name.substr(bar + 1));
    if (!id.ok() || !task.ok() || *id <= 0 || *id > UINT32_MAX)
        return streams.err << "seff: " << name << " should be a job, such as 12 or 12_3\n", 1;

    Client client(endpoint_of(call));
    const auto rows = client.accounting({.jobs = {JobId(static_cast<std::uint32_t>(*id))}});
    if (!rows) return streams.err << "seff: error: " << slurm_message(rows.problem()) << '\n', 1;
    const auto found = std::ranges::find_if(*rows, [&](const api::AccountingRow& job) {
        if (bar == std::string::npos) return job.job.value() == *id;
        return job.array_task && static_cast<std::int64_t>(*job.array_task) == *task;
    });
    if (found == rows->end()) return streams.err << "Job not found.\n", 2;
    print_job(*found, wall_time(), streams.out);
    return 0;
}

}  // namespace berth::slurm
