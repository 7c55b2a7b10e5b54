// sacct: what ran, from the accounting records, which are as new as the last answer of the
// controller.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <utility>

#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/json/json_rows.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/tables/sacct_fields.h"
#include "berth/slurm/tables/sacct_filter.h"
#include "berth/slurm/tables/sacct_jobs.h"
#include "berth/slurm/tables/sacct_values.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/printable.h"
#include "berth/slurm/text/unit_text.h"
#include "berth/slurm/text/when.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

constexpr const char* kSacctDefaultFormat =
    "jobid,jobname,partition,account,alloccpus,state,exitcode";
constexpr const char* kBriefFormat = "jobid,state,exitcode";
constexpr const char* kSacctLongFormat =
    "jobid,jobidraw,jobname,partition,ntasks,alloccpus,elapsed,state,exitcode,reqtres,alloctres";

// Instead of the records.
struct SacctTexts {
    bool scripts = false, environments = false;  // --batch-script, --env-vars
    bool completion = false;                     // --completion, --file
};

// What becomes of each record before it is shown.
struct RowChanges {
    bool truncate = false;         // To the times that were asked for.
    bool unfold_arrays = false;    // A record for each task that waits.
    bool expand_patterns = false;  // Of names of files.
};

struct SacctOptions {
    api::AccountingQuery query;
    std::string format;
    TableStyle style = TableStyle::table;
    std::string delimiter = "|";
    std::vector<std::string> steps;  // "12.batch", "12.0": only these.
    SacctFilter filter;
    std::string clusters;
    std::optional<Notation> notation;  // --json, --yaml
    char unit = 0;                     // --noconvert, --units; 0: the largest that fits.
    bool header = true, jobs_only = false, all_users = false;
    RowChanges changes;
    SacctTexts texts;
};

constexpr auto kSacctOptions = std::to_array<option>({
    {"allusers", no_argument, nullptr, 'a'},
    {"accounts", required_argument, nullptr, 'A'},
    {"allocations", no_argument, nullptr, 'X'},
    {"brief", no_argument, nullptr, 'b'},
    {"delimiter", required_argument, nullptr, 1},
    {"duplicates", no_argument, nullptr, 'D'},
    {"endtime", required_argument, nullptr, 'E'},
    {"format", required_argument, nullptr, 'o'},
    {"help", no_argument, nullptr, 'h'},
    {"helpformat", no_argument, nullptr, 'e'},
    {"jobs", required_argument, nullptr, 'j'},
    {"long", no_argument, nullptr, 'l'},
    {"name", required_argument, nullptr, 2},
    {"noheader", no_argument, nullptr, 'n'},
    {"parsable", no_argument, nullptr, 'p'},
    {"parsable2", no_argument, nullptr, 'P'},
    {"partition", required_argument, nullptr, 'r'},
    {"starttime", required_argument, nullptr, 'S'},
    {"state", required_argument, nullptr, 's'},
    {"user", required_argument, nullptr, 'u'},
    {"uid", required_argument, nullptr, 'u'},
    {"usage", no_argument, nullptr, 'U'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"noconvert", no_argument, nullptr, 3},
    {"array", no_argument, nullptr, 4},
    {"units", required_argument, nullptr, 5},
    {"clusters", required_argument, nullptr, 'M'},
    {"allclusters", no_argument, nullptr, 'L'},
    {"nodelist", required_argument, nullptr, 'N'},
    {"qos", required_argument, nullptr, 'q'},
    {"timelimit-min", required_argument, nullptr, 'k'},
    {"timelimit-max", required_argument, nullptr, 'K'},
    {"nnodes", required_argument, nullptr, 'i'},
    {"ncpus", required_argument, nullptr, 'I'},
    {"gid", required_argument, nullptr, 'g'},
    {"group", required_argument, nullptr, 'g'},
    {"federation", no_argument, nullptr, 9},
    {"local", no_argument, nullptr, 10},
    {"use-local-uid", no_argument, nullptr, 11},
    {"associations", required_argument, nullptr, 'x'},
    {"completion", no_argument, nullptr, 'c'},
    {"constraints", required_argument, nullptr, 'C'},
    {"file", required_argument, nullptr, 'f'},
    {"flags", required_argument, nullptr, 'F'},
    {"reason", required_argument, nullptr, 'R'},
    {"wckeys", required_argument, nullptr, 'W'},
    {"whole-hetjob", optional_argument, nullptr, 12},
    {"json", optional_argument, nullptr, 6},
    {"yaml", optional_argument, nullptr, 7},
    {"truncate", no_argument, nullptr, 'T'},
    {"batch-script", no_argument, nullptr, 'B'},
    {"env-vars", no_argument, nullptr, 8},
    {"expand-patterns", no_argument, nullptr, 13},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSacctLetters = "aA:bBcC:DeE:f:F:g:hi:I:j:k:K:lLM:nN:o:pPq:r:R:s:S:Tu:VW:x:X";

constexpr const char* kSacctUsage =
    "Usage: sacct [-abDlnpPX] [-A accounts] [-E end] [-g groups] [-i nodes] [-I cpus]\n"
    "             [-j job(.step)] [-k least-limit] [-K most-limit] [-o format]\n"
    "             [-r partition] [-s state] [-S start] [-u user] [--name name]\n";

// "12", "12_3", "12.batch": the job is asked for, the step picked out of it here.
Status read_jobs(const char* text, SacctOptions& options) {
    for (const auto word : split(text, ',')) {
        const std::string_view id_text = trim(word).substr(0, trim(word).find_first_of("._+"));
        const auto id = parse_int64(id_text);
        if (!id.ok() || id.value() <= 0 || id.value() > 0xffff'ffffLL) {
            return Error{ErrorCode::invalid_argument,
                         "Bad job/step specified: " + std::string(word)};
        }
        options.query.jobs.push_back(JobId(static_cast<std::uint32_t>(id.value())));
        if (trim(word).size() > id_text.size()) options.steps.emplace_back(trim(word));
    }
    return Done{};
}

Status read_time(const char* text, std::optional<Time>& time) {
    BERTH_TRY(time, parse_when(text, wall_time()));
    return Done{};
}

Status read_choice(int letter, const char* value, SacctOptions& options) {
    switch (letter) {
        case 'A': add_names(value, options.query.accounts); return Done{};
        case 'j': return read_jobs(value, options);
        case 2: add_names(value, options.query.names); return Done{};
        case 'r': add_names(value, options.query.partitions); return Done{};
        case 's': return add_states(value, options.query.states);
        case 'S': return read_time(value, options.query.from);
        case 'E': return read_time(value, options.query.until);
        case 'u': return add_users(value, options.query.users);
        case 'q': add_names(value, options.filter.qos); return Done{};
        case 'C': add_names(value, options.filter.features); return Done{};
        case 'W': add_names(value, options.filter.wckeys); return Done{};
        case 'N': {
            BERTH_TRY(options.filter.nodes, expand_node_argument(value));
            return Done{};
        }
        case 'g': return options.filter.set_groups(value);
        case 'I': return options.filter.set_cpus(value);
        case 'i': return options.filter.set_node_count(value);
        case 'k': return options.filter.set_time_least(value);
        case 'K': return options.filter.set_time_most(value);
        case 'x': return options.filter.set_associations(value);
        case 'F': return options.filter.set_flags(value);
        case 'R': return options.filter.set_reasons(value);
        case 12: return set_yes(value, options.filter.whole_hetjob);
        default: return not_supported(kSacctOptions, letter);
    }
}

Status read_one(int letter, const char* value, SacctOptions& options) {
    switch (letter) {
        case 'a': options.all_users = true; return Done{};
        case 'X': options.jobs_only = true; return Done{};
        case 'b': options.format = kBriefFormat; return Done{};
        case 'l': options.format = kSacctLongFormat; return Done{};
        case 1: options.delimiter = value; return Done{};
        case 'D': options.query.duplicates = true; return Done{};
        case 'o':
            options.format += (options.format.empty() ? "" : ",") + std::string(value);
            return Done{};
        case 'n': options.header = false; return Done{};
        case 'p': options.style = TableStyle::parsable; return Done{};
        case 'P': options.style = TableStyle::parsable2; return Done{};
        case 3: options.unit = 'M'; return Done{};
        case 5:
            if (!is_unit(value)) {
                return Error{ErrorCode::invalid_argument,
                             "Invalid --units argument: " + std::string(value) +
                                 " (it takes K, M, G, T or P)"};
            }
            options.unit = value[0];
            return Done{};
        case 9:
        case 10:
        case 11:
        case 'L': return Done{};  // There is one cluster, and its users are this host's.
        case 'M': options.clusters = value; return Done{};
        case 4: options.changes.unfold_arrays = true; return Done{};
        case 6: options.notation = Notation::json; return check_shape(value);
        case 7: options.notation = Notation::yaml; return check_shape(value);
        case 'T': options.changes.truncate = true; return Done{};
        case 'B': options.texts.scripts = true; return Done{};
        case 8: options.texts.environments = true; return Done{};
        case 13: options.changes.expand_patterns = true; return Done{};
        case 'c': options.texts.completion = true; return Done{};
        case 'f': options.texts.completion = true; return check_file(value);
        default: return read_choice(letter, value, options);
    }
}

class SacctTable {
public:
    SacctTable(const SacctOptions& options, std::vector<AccountingColumn> columns,
               std::ostream& out)
        : options_(options), columns_(std::move(columns)), out_(out) {}

    void header() {
        row([](const AccountingColumn& column) { return std::string(column.field->name); });
        if (options_.style == TableStyle::table)
            row([](const AccountingColumn& column) { return std::string(column.width, '-'); });
    }
    void job(const api::AccountingRow& job, Time now) {
        if (options_.steps.empty() || is_wanted(job, nullptr))
            row([&](const AccountingColumn& c) { return c.field->of_job(job, now); });
        if (options_.jobs_only) return;
        for (const api::StepRow& step : job.steps) {
            if (!options_.steps.empty() && !is_wanted(job, &step)) continue;
            row([&](const AccountingColumn& c) {
                return c.field->of_step == nullptr ? std::string()
                                                   : c.field->of_step(job, step, now);
            });
        }
    }

private:
    // With "-j 12.0" or "-j 12_3" only that step, or that task and its steps.
    bool is_wanted(const api::AccountingRow& job, const api::StepRow* step) const {
        const auto id = find_accounting_field("JobID");
        const auto raw = find_accounting_field("JobIDRaw");
        return std::ranges::any_of(options_.steps, [&](const std::string& wanted) {
            const bool job_itself =
                wanted == id->of_job(job, Time()) || wanted == raw->of_job(job, Time());
            if (step == nullptr || job_itself) return job_itself;
            return wanted == id->of_step(job, *step, Time()) ||
                   wanted == raw->of_step(job, *step, Time());
        });
    }
    static bool is_memory(const AccountingField& field) {
        const std::string_view name = field.name;
        return name == "ReqMem" || name == "ReqTRES" || name == "AllocTRES";
    }
    template <class Text>
    void row(Text text) {
        for (const AccountingColumn& column : columns_) {
            std::string value = text(column);
            if (options_.unit != 0 && is_memory(*column.field))
                value = in_unit(value, options_.unit);
            if (options_.style == TableStyle::table) {
                out_ << cell_with_plus(printable(std::move(value)), column.width, column.right)
                     << ' ';
            } else {
                const bool is_last = &column == &columns_.back();
                out_ << printable(std::move(value), options_.delimiter)
                     << (is_last && options_.style == TableStyle::parsable2 ? ""
                                                                            : options_.delimiter);
            }
        }
        out_ << '\n';
    }

    const SacctOptions& options_;
    std::vector<AccountingColumn> columns_;
    std::ostream& out_;
};

// Slurm's window: today, unless jobs are named; until now.
void set_window(SacctOptions& options, Time now) {
    if (!options.query.from && options.query.jobs.empty())
        options.query.from = midnight_before(now);
    if (options.query.users.empty() && options.query.jobs.empty() && !options.all_users &&
        geteuid() != 0) {
        options.query.users = {user_name_of(geteuid())};
    }
}

// -T: what was outside of the window does not count.
void truncate(const api::AccountingQuery& window, api::AccountingRow& job) {
    if (window.from && job.started_at) job.started_at = std::max(*job.started_at, *window.from);
    if (!window.until || !job.started_at) return;
    if (!job.ended_at || *job.ended_at > *window.until) job.ended_at = window.until;
}

Status check_window(const SacctOptions& options, Time now) {
    const Time until = options.query.until.value_or(now);
    if (!options.query.from || *options.query.from <= until) return Done{};
    return Error{ErrorCode::invalid_argument, "Start time (" + local_time(options.query.from, "") +
                                                  ") requested is after end time (" +
                                                  local_time(until, "") + ")."};
}

// --qos names those that there are: a misspelt one would find nothing.
Status check_qos(Client& client, const SacctOptions& options) {
    if (options.filter.qos.empty()) return Done{};
    const auto known = client.accounts().qos();
    if (!known) return Done{};  // The question for the records tells why.
    std::vector<std::string> names;
    for (const auto& one : *known) names.push_back(one.name);
    for (const std::string& name : options.filter.qos) {
        if (std::ranges::find(names, name) != names.end()) continue;
        return Error{ErrorCode::invalid_argument,
                     "You gave a bad qos '" + name + "'. Valid QOS's are " + join(names, ",") +
                         "\nsacct: fatal: problem processing qos list"};
    }
    return Done{};
}

// What could find nothing, and what is to be found out first.
Status check_choice(Client& client, SacctOptions& options, Time now) {
    BERTH_CHECK(check_window(options, now));
    BERTH_CHECK(check_qos(client, options));
    BERTH_CHECK(find_associations(client, options.filter));
    if (!options.filter.whole_hetjob || options.query.jobs.empty()) return Done{};
    if (!*options.filter.whole_hetjob) {
        options.filter.components = named_components(options.query.jobs, options.steps);
        return Done{};
    }
    std::erase_if(options.steps, is_component);  // "12+1": all of 12.
    return name_whole_hetjobs(client, options.query);
}

using EachRow = std::function<void(const api::AccountingRow&)>;

// --array: each task that waits, as a record of its own.
void unfold(const api::AccountingRow& job, const EachRow& each) {
    const auto tasks = tasks_of(job.array_pending);
    if (tasks.empty()) return each(job);
    for (const std::uint32_t task : tasks) {
        api::AccountingRow one = job;
        one.array_job = job.array_job.value_or(job.job);
        one.array_task = task;
        one.array_pending.clear();
        each(one);
    }
}

CallResult<Done> read_rows(Client& client, const SacctOptions& options, const EachRow& each) {
    const bool named = !options.query.jobs.empty();
    return client.each_accounting(options.query, [&](api::AccountingRow&& job) {
        // Slurm does not show what was never allowed to start, unless it is named, or asked for by
        // the state in which it ended.
        const bool by_its_end = job.ended_at && !options.query.states.empty();
        if (!job.eligible_at && !named && !by_its_end) return true;
        if (!options.filter.has(job)) return true;
        if (options.changes.truncate) truncate(options.query, job);
        if (options.changes.expand_patterns) expand_patterns(job);
        if (options.changes.unfold_arrays) {
            unfold(job, each);
        } else {
            each(job);
        }
        return true;
    });
}

CallResult<Done> print_json(const Invocation& call, Client& client, const SacctOptions& options,
                            const std::string& cluster, std::ostream& out) {
    SlurmJson json(out, *options.notation);
    json.begin();
    json.begin_list("jobs");
    const Time now = wall_time();
    auto read = read_rows(client, options, [&](const api::AccountingRow& job) {
        put_accounting(json, job, now);
        json.flush();
    });
    if (!read) return read;
    json.end_list();
    json.finish(call, cluster);
    return read;
}

// --batch-script, --env-vars
int print_texts(Client& client, const SacctOptions& options, Streams& streams) {
    if (options.texts.scripts) return print_scripts(client, options.query.jobs, streams);
    const auto read = read_rows(client, options, [&](const api::AccountingRow& job) {
        print_environment(job, streams.out);
    });
    if (read) return 0;
    streams.err << "sacct: error: " << slurm_message(read.problem()) << '\n';
    return 1;
}

// Before the controller is asked. Without JobCompType there are no completion data.
std::string_view why_not(const SacctOptions& options) {
    const bool names_none = options.query.jobs.empty();
    if (options.texts.environments && names_none) {
        return "sacct: fatal: When requesting job environment you must also request specific jobs "
               "with the '-j' option.\n";
    }
    if (options.texts.scripts && names_none) {
        return "sacct: fatal: When requesting job scripts you must also request specific jobs with "
               "the '-j' option.\n";
    }
    if (options.texts.scripts && options.texts.environments) {
        return "sacct: fatal: Options --batch-script and --env-vars are mutually exclusive\n";
    }
    return options.texts.completion ? "Slurm job completion is disabled\n" : "";
}

std::string format_of(const Invocation& call, const SacctOptions& options) {
    if (!options.format.empty()) return options.format;
    const std::string* from_environment = call.variable("SACCT_FORMAT");
    return from_environment != nullptr ? *from_environment : kSacctDefaultFormat;
}

// What Slurm puts before what is wrong with the value of this option.
std::string_view before_complaint(int letter) {
    if (letter == 'S' || letter == 'E' || letter == 'f') return "";
    const bool is_error = letter == 'u' || letter == 'g' || letter == 'F' || letter == 12;
    return is_error ? "sacct: error: " : "sacct: fatal: ";
}

}  // namespace

int run_sacct(const Invocation& call, Streams& streams) {
    SacctOptions options;
    const auto fail = [&](const std::string& message, const std::string& advised = {}) {
        streams.err << "sacct: error: " << message << '\n' << advised;
        return 1;
    };
    ArgumentReader reader(call, kSacctOptions, kSacctLetters);
    for (const SetVariable& set : set_variables(call, kSacctOptions)) {
        if (set.letter == 'o') continue;  // Only where no option names a format.
        if (const Status read = read_one(set.letter, set.value, options); !read.ok())
            return fail(set.variable->name + (": " + read.error().message));
        reader.note(set.variable->option, set.value);
    }
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 'h' || argument->letter == 'U') {
            return streams.out << kSacctUsage << command_help(call, kSacctOptions, kSacctLetters),
                   0;
        }
        if (argument->letter == 'e') return streams.out << accounting_field_names(), 0;
        const Status read = read_one(argument->letter, argument->value, options);
        if (read.ok()) continue;
        streams.err << before_complaint(argument->letter) << read.error().message << '\n'
                    << advice_on_option(call, kSacctOptions, argument->letter);
        return 1;
    }
    if (reader.failed()) return 1;
    if (const auto why = why_not(options); !why.empty()) return streams.err << why, 1;
    auto columns = accounting_columns(format_of(call, options));
    if (!columns.ok())
        return fail(columns.error().message, advice_on_columns(call, format_of(call, options)));
    const Time now = wall_time();
    set_window(options, now);
    Client client(endpoint_of(call));
    if (const Status sense = check_choice(client, options, now); !sense.ok())
        return fail(sense.error().message);
    bool is_ours = true;  // Slurm knows no records of a cluster that it does not know.
    std::string cluster;
    if (!options.clusters.empty() || options.notation) {
        auto meant =
            cluster_meant(client, options.clusters.empty() ? "all" : options.clusters, "sacct");
        if (!meant.ok() && meant.error().code == ErrorCode::unavailable)
            return fail(meant.error().message);
        is_ours = meant.ok();
        cluster = meant.value_or(options.clusters);
    }
    if (options.texts.scripts || options.texts.environments)
        return print_texts(client, options, streams);
    if (options.notation && is_ours) {
        const auto printed = print_json(call, client, options, cluster, streams.out);
        return printed ? 0 : fail(slurm_message(printed.problem()));
    }
    SacctTable table(options, std::move(columns).value(), streams.out);
    if (options.header) table.header();
    if (!is_ours) return 0;
    const auto read =
        read_rows(client, options, [&](const api::AccountingRow& job) { table.job(job, now); });
    return read ? 0 : fail(slurm_message(read.problem()));
}

}  // namespace berth::slurm
