// sstat: what the steps of running jobs have used so far.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ostream>

#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/tables/sacct_fields.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

constexpr const char* kSstatUsage = "Usage: sstat [-ahnpP] [-o fields] -j jobid[.step][,…]\n";
// Of Slurm's own list those that are measured here; the rest can be asked for, and is blank.
constexpr const char* kNoPids =
    "sstat: error: the field Pids is not supported: look into the job's cgroup on its nodes\n";
constexpr const char* kSstatDefaultFormat =
    "JobID,MaxRSS,MaxRSSNode,AveRSS,MinCPU,MinCPUNode,AveCPU,NTasks,TRESUsageInAve,TRESUsageInMax,"
    "TRESUsageInTot";

constexpr auto kSstatOptions = std::to_array<option>({
    {"allsteps", no_argument, nullptr, 'a'},
    {"helpformat", no_argument, nullptr, 'e'},
    {"help", no_argument, nullptr, 'h'},
    {"usage", no_argument, nullptr, 'h'},
    {"jobs", required_argument, nullptr, 'j'},
    {"steps", required_argument, nullptr, 'j'},
    {"noheader", no_argument, nullptr, 'n'},
    {"noconvert", no_argument, nullptr, 'C'},
    {"pidformat", no_argument, nullptr, 'i'},
    {"fields", required_argument, nullptr, 'o'},
    {"format", required_argument, nullptr, 'o'},
    {"parsable", no_argument, nullptr, 'p'},
    {"parsable2", no_argument, nullptr, 'P'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSstatLetters = "aehij:no:pPvV";

struct SstatOptions {
    std::vector<std::string> wanted;  // "12", "12.0", "12.batch"
    std::string format;
    bool all_steps = false, header = true, convert = true;
    char parsable = 0;  // 'p' or 'P'.
};

using Columns = std::vector<AccountingColumn>;

void print_row(const SstatOptions& options, const Columns& columns,
               const std::vector<std::string>& cells, std::ostream& out) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (options.parsable == 0) {
            out << cell_with_plus(cells[i], columns[i].width, columns[i].right) << ' ';
        } else {
            out << cells[i] << (options.parsable == 'P' && i + 1 == columns.size() ? "" : "|");
        }
    }
    out << '\n';
}

void print_header(const SstatOptions& options, const Columns& columns, std::ostream& out) {
    std::vector<std::string> names, lines;
    for (const AccountingColumn& column : columns) {
        names.emplace_back(column.field->name);
        lines.emplace_back(column.width, '-');
    }
    print_row(options, columns, names, out);
    if (options.parsable == 0) print_row(options, columns, lines, out);
}

// Without a step it is all but the script, or all with -a; a job with no step yet shows its script.
bool is_wanted(const api::UsageRow& row, const std::string& step, const SstatOptions& options,
               bool has_steps) {
    if (!step.empty()) return step_name(row.step) == step;
    return options.all_steps || row.step != kBatchStep || !has_steps;
}

api::StepRow step_row_of(const api::JobRow& job, const api::UsageRow& usage) {
    const auto known = std::ranges::find(job.steps, usage.step, &api::StepRow::id);
    api::StepRow row = known == job.steps.end() ? api::StepRow{} : *known;
    row.job = job.id;
    row.id = usage.step;
    row.tasks = usage.used.tasks;
    row.used = usage.used;
    return row;
}

bool is_memory(const AccountingField& field) {
    return field.name.ends_with("RSS") || field.name.starts_with("TRESUsage");
}

// "220K" as "225280", and so the memory of "cpu=00:00:01,mem=220K".
std::string in_bytes(const std::string& text) {
    const std::size_t at = text.rfind('=') == std::string::npos ? 0 : text.rfind('=') + 1;
    const std::string size = text.substr(at);
    const bool has_unit = !size.empty() && std::isalpha(static_cast<unsigned char>(size.back()));
    if (!has_unit) return text;
    const auto bytes = parse_size(size);
    return bytes.ok() ? text.substr(0, at) + std::to_string(bytes->count()) : text;
}

// An exit code.
int print_job(Client& client, const SstatOptions& options, const std::string& wanted,
              const Columns& columns, Streams& streams) {
    const std::size_t dot = wanted.find('.');
    const std::string ref = wanted.substr(0, dot);
    const std::string step = dot == std::string::npos ? "" : wanted.substr(dot + 1);
    const auto jobs = client.job(ref);
    if (!jobs) {
        streams.err << "sstat: error: " << slurm_message(jobs.problem()) << " (job " << ref
                    << ")\n";
        return 1;
    }
    for (const api::JobRow& job : *jobs) {
        const bool has_steps = std::ranges::any_of(
            job.usage, [](const api::UsageRow& row) { return row.step != kBatchStep; });
        api::AccountingRow row;
        row.job = job.id;
        row.array_job = job.array_job;
        row.array_task = job.array_task;
        for (const api::UsageRow& usage : job.usage) {
            if (!is_wanted(usage, step, options, has_steps)) continue;
            const api::StepRow one = step_row_of(job, usage);
            std::vector<std::string> cells;
            for (const AccountingColumn& column : columns) {
                const auto text_of = column.field->of_step;
                const std::string text = text_of == nullptr ? "" : text_of(row, one, Time());
                const bool as_it_is = options.convert || !is_memory(*column.field);
                cells.push_back(as_it_is ? text : in_bytes(text));
            }
            print_row(options, columns, cells, streams.out);
        }
    }
    return 0;
}

}  // namespace

int run_sstat(const Invocation& call, Streams& streams) {
    SstatOptions options;
    ArgumentReader reader(call, kSstatOptions, kSstatLetters);
    while (const auto argument = reader.next(streams)) {
        switch (argument->letter) {
            case 'V': return streams.out << kVersion << '\n', 0;
            case 'h':
                return streams.out << kSstatUsage
                                   << command_help(call, kSstatOptions, kSstatLetters),
                       0;
            case 'e': return streams.out << accounting_field_names(), 0;
            case 'a': options.all_steps = true; break;
            case 'C': options.convert = false; break;
            case 'n': options.header = false; break;
            case 'o': options.format = argument->value; break;
            case 'p':
            case 'P': options.parsable = static_cast<char>(argument->letter); break;
            case 'j':
                for (const auto one : split(argument->value, ',')) {
                    options.wanted.emplace_back(trim(one));
                }
                break;
            case 'v': break;
            default:
                streams.err << "sstat: error: "
                            << not_supported(kSstatOptions, argument->letter).error().message
                            << '\n';
                return 1;
        }
    }
    if (reader.failed()) return 1;
    if (options.wanted.empty()) {
        streams.err << "sstat: error: You didn't give me any jobs to stat.\n";
        return 1;
    }
    for (const std::string& one : options.wanted) {
        if (!one.empty() && std::isdigit(static_cast<unsigned char>(one.front())) != 0) continue;
        return streams.err << "sstat: fatal: Bad job/step specified: " << one << '\n', 1;
    }
    for (const auto word : split(options.format, ',')) {
        if (iequals(trim(word), "Pids")) return streams.err << kNoPids, 1;
    }
    const auto columns =
        accounting_columns(options.format.empty() ? kSstatDefaultFormat : options.format);
    if (!columns.ok()) {
        streams.err << "sstat: error: " << columns.error().message << '\n'
                    << advice_on_columns(call, options.format);
        return 1;
    }
    if (options.header) print_header(options, *columns, streams.out);
    Client client(endpoint_of(call));
    int code = 0;
    for (const std::string& one : options.wanted) {
        code = std::max(code, print_job(client, options, one, *columns, streams));
    }
    return code;
}

}  // namespace berth::slurm
