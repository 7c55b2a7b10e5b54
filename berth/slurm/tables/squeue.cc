// squeue: the jobs in the queue, or their steps.
#include <getopt.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "berth/api/query.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/json/json_rows.h"
#include "berth/slurm/options/advice.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/tables/iterate.h"
#include "berth/slurm/tables/known_nodes.h"
#include "berth/slurm/tables/squeue_fields.h"
#include "berth/slurm/tables/squeue_filter.h"
#include "berth/slurm/tables/squeue_jobs.h"
#include "berth/slurm/tables/squeue_order.h"
#include "berth/slurm/tables/squeue_table.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/printable.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

constexpr const char* kSqueueDefaultFormat = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
constexpr const char* kSqueueLongFormat = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
constexpr const char* kStartFormat = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";
constexpr const char* kStateFormat = "%.18i %.10T";
constexpr const char* kStepFormat = "%.15i %.8j %.9P %.8u %.9M %N";

// What has several rows: an array one for each task, a waiting job one for each partition.
struct Unfold {
    bool arrays = false, partitions = false;
};

struct SqueueOptions {
    std::optional<bool> all;  // --all, --hide
    api::JobQuery query;
    SqueueFilter filter;
    std::vector<std::string> unknown_users;
    NamedJobs named;
    std::string format, long_format_text, sort, clusters;
    std::optional<std::chrono::seconds> iterate;
    std::optional<Notation> notation;  // --json, --yaml
    bool all_states = false, header = true, long_format = false, start = false, steps = false,
         convert = true, only_state = false;
    Unfold unfold;
};

// "R,PD" or "all"; an error names what is no state.
Status read_states(const std::string& text, SqueueOptions& options) {
    options.query.states.clear();
    options.all_states = iequals(text, "all");
    if (options.all_states) return Done{};
    for (const auto word : split(text, ',')) {
        const std::string_view state = state_from_text(trim(word));
        if (state.empty()) {
            return Error{ErrorCode::invalid_argument,
                         "Invalid job state specified: " + std::string(word) +
                             "\nsqueue: error: Valid job states include: " + state_names()};
        }
        options.query.states.emplace_back(state);
    }
    return Done{};
}

constexpr auto kSqueueOptions = std::to_array<option>({
    {"account", required_argument, nullptr, 'A'},
    {"all", no_argument, nullptr, 'a'},
    {"array", no_argument, nullptr, 'r'},
    {"format", required_argument, nullptr, 'o'},
    {"help", no_argument, nullptr, 'H'},
    {"jobs", optional_argument, nullptr, 'j'},
    {"long", no_argument, nullptr, 'l'},
    {"me", no_argument, nullptr, 'm'},
    {"name", required_argument, nullptr, 'n'},
    {"nodelist", required_argument, nullptr, 'w'},
    {"noheader", no_argument, nullptr, 'h'},
    {"partition", required_argument, nullptr, 'p'},
    {"qos", required_argument, nullptr, 'q'},
    {"sort", required_argument, nullptr, 'S'},
    {"start", no_argument, nullptr, 'B'},
    {"states", required_argument, nullptr, 't'},
    {"steps", optional_argument, nullptr, 's'},
    {"user", required_argument, nullptr, 'u'},
    {"usage", no_argument, nullptr, 'U'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"noconvert", no_argument, nullptr, 'c'},
    {"clusters", required_argument, nullptr, 'M'},
    {"Format", required_argument, nullptr, 'O'},
    {"iterate", required_argument, nullptr, 'i'},
    {"json", optional_argument, nullptr, 'J'},
    {"yaml", optional_argument, nullptr, 'Y'},
    {"licenses", required_argument, nullptr, 'L'},
    {"reservation", required_argument, nullptr, 'R'},
    {"priority", no_argument, nullptr, 'P'},
    {"only-job-state", no_argument, nullptr, 'K'},
    {"expand-patterns", no_argument, nullptr, 4},
    {"notme", no_argument, nullptr, 5},
    {"running-over", required_argument, nullptr, 6},
    {"running-under", required_argument, nullptr, 7},
    {"array-unique", no_argument, nullptr, 'Q'},
    {"federation", no_argument, nullptr, 'F'},
    {"local", no_argument, nullptr, 1},
    {"sibling", no_argument, nullptr, 2},
    {"hide", no_argument, nullptr, 3},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSqueueLetters = "aA:hi:j::ln:M:O:o:Pp:q:rR:S:s::t:u:U:VvL:w:";

constexpr const char* kSqueueUsage =
    "Usage: squeue [-A account] [-j job] [-l] [-n name] [-o format] [-p partition]\n"
    "              [-q qos] [-r] [-s] [-S fields] [-t states] [-u user] [-w nodes]\n"
    "              [--me] [--start] [-h]\n";

// Slurm goes on without a name that it does not know.
void take_users(const char* text, SqueueOptions& options) {
    std::vector<std::string> names;
    add_names(text, names);
    for (std::string& name : names) {
        if (getpwnam(name.c_str()) == nullptr && !parse_int64(name).ok())
            options.unknown_users.push_back(name);
        options.query.users.push_back(std::move(name));
    }
}

// What only chooses jobs. Nothing: it is another option.
std::optional<Status> read_filter(int letter, const char* value, SqueueOptions& options) {
    switch (letter) {
        case 'A': add_names(value, options.query.accounts); return Done{};
        case 'n': add_names(value, options.query.names); return Done{};
        case 'p': add_names(value, options.query.partitions); return Done{};
        case 'u': take_users(value, options); return Done{};
        case 'q': add_names(value, options.filter.qos); return Done{};
        case 'L': add_names(value, options.filter.licenses); return Done{};
        case 'R': add_names(value, options.filter.reservations); return Done{};
        case 'm': options.query.users = {user_name_of(geteuid())}; return Done{};
        case 5: options.filter.not_user = user_name_of(geteuid()); return Done{};
        case 6: return options.filter.set_over(value);
        case 7: return options.filter.set_under(value);
        default: return std::nullopt;
    }
}

Status read_one(int letter, const char* value, SqueueOptions& options) {
    if (const auto read = read_filter(letter, value, options)) return *read;
    switch (letter) {
        case 'a': options.all = true; return Done{};
        case 'c': options.convert = false; return Done{};
        case 'i': {
            BERTH_TRY(options.iterate, parse_iterate(value));
            return Done{};
        }
        case 'K': options.only_state = true; return Done{};
        case 3: options.all = false; return Done{};
        case 'P': options.unfold.partitions = true; return Done{};
        case 'F':
        case 1:
        case 2:
        case 4: return Done{};  // other_options.cc says why.
        case 'M': options.clusters = value; return Done{};
        case 'O': options.long_format_text = value; return Done{};
        case 'J': options.notation = Notation::json; return check_shape(value);
        case 'Y': options.notation = Notation::yaml; return check_shape(value);
        case 'Q':
        case 'r': options.unfold.arrays = true; return Done{};
        case 'o': options.format = value; return Done{};
        case 'j': return value == nullptr ? Status(Done{}) : options.named.add(value);
        case 's':
            options.steps = true;
            return value == nullptr ? Status(Done{}) : options.named.add(value);
        case 'l': options.long_format = true; return Done{};
        case 'h': options.header = false; return Done{};
        case 'S': options.sort = value; return Done{};
        case 'B': options.start = true; return Done{};
        case 't': return read_states(value, options);
        case 'w': {
            BERTH_TRY(options.query.nodes, expand_node_argument(value));
            return Done{};
        }
        default: return not_supported(kSqueueOptions, letter);
    }
}

// What the variables say, but for the formats, which only count where no option names another.
Status read_environment(const Invocation& call, SqueueOptions& options, ArgumentReader& reader) {
    for (const SetVariable& set : set_variables(call, kSqueueOptions)) {
        if (set.letter == 'o' || set.letter == 'O') continue;
        if (const Status read = read_one(set.letter, set.value, options); !read.ok())
            return prefixed(set.variable->name + std::string(": "), read.error());
        reader.note(set.variable->option, set.value);
    }
    return Done{};
}

std::string format_of(const Invocation& call, SqueueOptions& options) {
    if (!options.format.empty()) return options.format;
    if (options.steps) return kStepFormat;
    if (options.only_state) return kStateFormat;  // Less is asked of the controller.
    if (options.start) return kStartFormat;
    if (options.long_format) return kSqueueLongFormat;
    if (const std::string* const format = call.variable("SQUEUE_FORMAT")) return *format;
    const std::string* const names = call.variable("SQUEUE_FORMAT2");
    if (names != nullptr && options.long_format_text.empty()) options.long_format_text = *names;
    return kSqueueDefaultFormat;
}

const char* sort_of(const SqueueOptions& options) {
    if (!options.sort.empty()) return options.sort.c_str();
    if (options.only_state) return "i";
    return options.start ? "S" : "P,t,-p";
}

// What the command line leaves open.
void fill_in(SqueueOptions& options, const SqueueOptions& from) {
    const auto take = [](auto& target, const auto& source) {
        if (target.empty()) target = source;
    };
    take(options.query.accounts, from.query.accounts), take(options.query.names, from.query.names);
    take(options.query.partitions, from.query.partitions), take(options.sort, from.sort);
    take(options.filter.qos, from.filter.qos), take(options.filter.licenses, from.filter.licenses);
    take(options.clusters, from.clusters);
    if (options.query.users.empty()) {
        options.query.users = from.query.users;
        options.unknown_users = from.unknown_users;
    }
    if (options.query.states.empty() && !options.all_states) {
        options.query.states = from.query.states;
        options.all_states = from.all_states;
    }
    if (!options.all) options.all = from.all;
    if (from.unfold.arrays) options.unfold.arrays = true;
    if (from.unfold.partitions) options.unfold.partitions = true;
    if (!options.notation) options.notation = from.notation;
}

// The controller is asked for what will be looked at, and no more.
std::vector<std::string> fields_of(const SqueueOptions& options, const PercentFormat& format) {
    const auto filtered = options.filter.letters();
    if (options.steps || options.notation || !filtered) return {};
    std::string letters = "it" + *filtered;
    for (const FormatItem& item : format.items) {
        if (!item.name.empty()) return {};
        letters += item.letter;
    }
    for (const char letter : std::string_view(sort_of(options))) {
        if (std::string_view(",+-").find(letter) == std::string_view::npos) letters += letter;
    }
    if (options.unfold.partitions) letters += 'P';
    return fields_for(letters);
}

// -O's names. As Slurm does, it goes on without those that it does not know.
PercentFormat read_long_format(const SqueueOptions& options, std::ostream& err) {
    PercentFormat format = parse_long_format(options.long_format_text);
    std::erase_if(format.items, [&](FormatItem& item) {
        item.letter = letter_of_long_name(item.name, options.steps);
        const bool is_other = !options.steps && find_long_field(item.name) != nullptr;
        if (item.letter == 0 && !is_other) {
            err << "squeue: error: Invalid job " << (options.steps ? "step " : "")
                << "format specification: " << item.name << '\n';
            return true;
        }
        if (item.letter != 0) item.name.clear();
        return false;
    });
    return format;
}

// By what the server does not choose by.
bool is_chosen(const SqueueOptions& options, const api::JobRow& job, Time now) {
    return options.named.takes(job) && options.filter.takes(job, now);
}

void add_rows(SqueueTable& table, const api::JobRow& job, const SqueueOptions& of, Unfold unfold) {
    if (std::exchange(unfold.partitions, false)) {
        api::JobRow one = job;
        const auto& asked = of.query.partitions;
        const bool all = asked.empty() || std::ranges::count(asked, api::kAllPartitions) > 0;
        for (const std::string_view partition : split(job.partition, ',')) {
            if (!all && std::ranges::count(asked, partition) == 0) continue;
            one.partition = partition;
            add_rows(table, one, of, unfold);
        }
        return;
    }
    const auto tasks = unfold.arrays ? tasks_of(job.array_pending) : std::vector<std::uint32_t>();
    if (tasks.empty()) return table.add(job);
    api::JobRow one = job;
    one.array_job = job.array_job.value_or(job.id);
    one.array_pending.clear();
    for (const std::uint32_t task : tasks) {
        one.array_task = task;
        table.add(one);
    }
}

// Running steps, of each job the batch script last.
Status print_steps(const SqueueOptions& options, const PercentFormat& format,
                   std::vector<api::JobRow> jobs, Time now, std::ostream& out) {
    for (const FormatItem& item : format.items) {
        if (find_step_field(item.letter) == nullptr) {
            return Error{ErrorCode::invalid_argument,
                         std::string("Unrecognized option: ") + item.letter};
        }
    }
    BERTH_CHECK(sort_jobs(jobs, options.sort.empty() ? "P,i" : options.sort));
    const auto print_line = [&](bool is_header, auto text) {
        out << format.prefix;
        for (const FormatItem& item : format.items) {
            const bool cut = is_header || !is_time(item.letter);
            out << cell(printable(std::string(text(*find_step_field(item.letter)))), item.width,
                        item.right, cut)
                << item.suffix;
        }
        out << '\n';
    };
    if (options.header) print_line(true, [](const StepField& field) { return field.header; });
    for (const api::JobRow& job : jobs) {
        std::vector<api::StepRow> steps = running_steps(job, now);
        if (!steps.empty()) std::ranges::rotate(steps, steps.begin() + 1);
        for (const api::StepRow& step : steps) {
            if (options.named.takes(job, step_name(step.id)))
                print_line(false, [&](const StepField& f) { return f.text(job, step, now); });
        }
    }
    return Done{};
}

// One job that was asked for and not found: is it over, or is there none? Said, if so.
bool is_known(Client& client, const SqueueOptions& options, Streams& streams) {
    if (options.query.jobs.size() != 1) return true;
    const auto one = client.job(to_string(options.query.jobs.front()));
    if (!one) streams.err << "slurm_load_jobs error: " << slurm_message(one.problem()) << '\n';
    return one.ok();
}

int cannot_load(const api::Problem& problem, Streams& streams) {
    return streams.err << "slurm_load_jobs error: " << slurm_message(problem) << '\n', 1;
}

// One job after the other, as they come.
int print_json(const Invocation& call, const SqueueOptions& options, Client& client,
               const std::string& cluster, Streams& streams) {
    SlurmJson json(streams.out, *options.notation);
    const Time now = wall_time();
    bool begun = false;
    const auto begin = [&] {
        if (std::exchange(begun, true)) return;
        json.begin();
        json.begin_list("jobs");
    };
    const auto read = client.each_job(options.query, [&](api::JobRow&& job) {
        if (!is_chosen(options, job, now)) return true;
        begin();
        put_job(json, job, cluster);
        json.flush();
        return static_cast<bool>(streams.out);
    });
    if (!read) return cannot_load(read.problem(), streams);
    if (!begun && !is_known(client, options, streams)) return 1;
    begin();
    json.end_list();
    json.put_number("last_backfill", 0);
    json.put_time("last_update", now);
    json.finish(call, cluster);
    return 0;
}

// Before the rows, once they can be had: whose they are, and who is not known.
void print_preamble(const SqueueOptions& options, const std::string& cluster, Streams& streams) {
    for (const std::string& user : options.unknown_users)
        streams.err << "squeue: error: Invalid user: " << user << '\n';
    if (!cluster.empty() && options.header) streams.out << "CLUSTER: " << cluster << '\n';
}

int show_jobs(const SqueueOptions& options, const PercentFormat& format, Client& client,
              const std::string& cluster, Streams& streams) {
    const Time now = wall_time();
    Result<SqueueTable> table = SqueueTable::make(format, sort_of(options), now, options.convert);
    if (!table.ok()) return streams.err << "squeue: error: " << table.error().message << '\n', 1;
    bool is_any = false;
    const auto read = client.each_job(options.query, [&](api::JobRow&& job) {
        is_any = true;
        if (!is_chosen(options, job, now) || (options.start && job.state != "PENDING")) return true;
        options.named.narrow(job);
        add_rows(*table, job, options, options.unfold);
        return true;
    });
    if (!read) return cannot_load(read.problem(), streams);
    if (!is_any && !is_known(client, options, streams)) return 1;
    print_preamble(options, cluster, streams);
    if (options.long_format && options.header) streams.out << local_date_line(now) << '\n';
    if (options.header) table->print_header(streams.out);
    table->print(streams.out);
    return 0;
}

int show_steps(const SqueueOptions& options, const PercentFormat& format, Client& client,
               const std::string& cluster, Streams& streams) {
    auto jobs = client.jobs(options.query);
    if (!jobs) return cannot_load(jobs.problem(), streams);
    if (jobs->empty() && !is_known(client, options, streams)) return 1;
    print_preamble(options, cluster, streams);
    if (options.long_format && options.header) streams.out << local_date_line(wall_time()) << '\n';
    const Time now = wall_time();
    std::erase_if(*jobs, [&](const api::JobRow& job) { return !is_chosen(options, job, now); });
    const Status printed = print_steps(options, format, *std::move(jobs), now, streams.out);
    if (printed.ok()) return 0;
    return streams.err << "squeue: error: " << printed.error().message << '\n', 1;
}

// As in Slurm, -a shows hidden partitions too, and so does asking for one by name.
void show_all_partitions(SqueueOptions& options) {
    if (options.all.value_or(false) && options.query.partitions.empty())
        options.query.partitions = {std::string(api::kAllPartitions)};
}

}  // namespace

int run_squeue(const Invocation& call, Streams& streams) {
    SqueueOptions options;
    const auto fail = [&](const std::string& message) {
        streams.err << "squeue: error: " << message << '\n';
        return 1;
    };
    ArgumentReader reader(call, kSqueueOptions, kSqueueLetters);
    if (const Status read = read_environment(call, options, reader); !read.ok())
        return fail(read.error().message);
    const SqueueOptions from_environment = std::exchange(options, {});
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 'H' || argument->letter == 'U') {
            return streams.out << kSqueueUsage
                               << command_help(call, kSqueueOptions, kSqueueLetters),
                   0;
        }
        const bool may_stand_alone = argument->letter == 'j' || argument->letter == 's';
        const char* value = argument->value;
        if (may_stand_alone && value == nullptr) value = reader.take_word();
        if (const Status read = read_one(argument->letter, value, options); !read.ok()) {
            fail(read.error().message);
            return streams.err << advice_on_option(call, kSqueueOptions, argument->letter), 1;
        }
    }
    if (reader.failed()) return streams.err << "Try \"squeue --help\" for more information\n", 1;
    if (!reader.operands().empty()) return fail("Unrecognized option: " + reader.operands()[0]);
    fill_in(options, from_environment);
    if (options.query.states.empty() && !options.all_states) {
        options.query.states = {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING"};
    }
    options.query.jobs = options.named.ids();
    show_all_partitions(options);
    auto format = parse_percent_format(with_all_letters(format_of(call, options), [&](char letter) {
        return options.steps ? find_step_field(letter) != nullptr
                             : find_job_field(letter) != nullptr;
    }));
    if (!format.ok()) return fail(format.error().message);
    if (!options.long_format_text.empty()) format = read_long_format(options, streams.err);
    options.query.fields = fields_of(options, format.value());
    Client client(endpoint_of(call));
    std::string cluster;
    if (!options.clusters.empty() || options.notation) {
        auto meant =
            cluster_meant(client, options.clusters.empty() ? "all" : options.clusters, "squeue");
        if (!meant.ok()) return fail(meant.error().message);
        cluster = *std::move(meant);
    }
    if (!are_known(client, call, options.query.nodes, streams)) return 1;
    if (options.notation) return print_json(call, options, client, cluster, streams);
    const bool dated = options.header && !options.long_format;  // -l has a date of its own.
    return show_repeatedly(options.iterate, dated, streams, [&] {
        return options.steps ? show_steps(options, format.value(), client, cluster, streams)
                             : show_jobs(options, format.value(), client, cluster, streams);
    });
}

}  // namespace berth::slurm
