// sreport: what was used of the cluster in a time, by account, user, workload key and size of job,
// and what became of the rest.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/tables/sreport_print.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/prompt.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

constexpr auto kSreportOptions = std::to_array<option>({
    {"all_clusters", no_argument, nullptr, 'a'},
    {"cluster", required_argument, nullptr, 'M'},
    {"federation", no_argument, nullptr, 1},
    {"help", no_argument, nullptr, 'h'},
    {"local", no_argument, nullptr, 2},
    {"noheader", no_argument, nullptr, 'n'},
    {"parsable", no_argument, nullptr, 'p'},
    {"parsable2", no_argument, nullptr, 'P'},
    {"quiet", no_argument, nullptr, 'Q'},
    {"tres", required_argument, nullptr, 'T'},
    {"usage", no_argument, nullptr, 'h'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSreportLetters = "aM:hnpPQt:T:vV";

constexpr const char* kSreportUsage =
    "Usage: sreport [-anpPQvV] [-t TIME] [-T TRES] REPORT [KEY=VALUE ...]\n"
    "  cluster Utilization\n"
    "  cluster AccountUtilizationByUser [accounts=] [users=] [tree]\n"
    "  cluster UserUtilizationByAccount [accounts=] [users=]\n"
    "  cluster UserUtilizationByWckey|WCKeyUtilizationByUser [wckeys=] [users=]\n"
    "  user TopUsage [topcount=N] [group] [accounts=] [users=]\n"
    "  job SizesByAccount|SizesByWckey|SizesByAccountAndWckey [grouping=50,250|individual]\n"
    "      [FlatView] [AcctAsParent] [PrintJobCount] [accounts=] [users=] [wckeys=] [jobs=]\n"
    "      [partitions=] [nodes=] [gid=]\n"
    "  reservation Utilization [names=] [nodes=]\n"
    "  all of them: [start=TIME] [end=TIME] [format=FIELD%WIDTH,...] [clusters=]\n"
    "  -t TIME: Seconds, Minutes, Hours, Percent, SecPer, MinPer or HourPer (Minutes)\n";

// A report over months takes the controller its time.
constexpr std::chrono::minutes kReportPatience{10};

struct SreportOptions {
    std::string clusters, tres;
    TimeNotation notation;
    ReportStyle style;
};

api::UsageQuery query_of(const ReportWords& words, Time now) {
    const ReportPeriod period = period_of(words, now);
    api::UsageQuery query{.from = period.from, .until = period.until};
    query.users = words.chosen.users;
    query.wckeys = words.chosen.wckeys;
    query.jobs = words.chosen.jobs;
    query.partitions = words.chosen.partitions;
    query.groups = words.chosen.groups;
    query.by_size = is_of_sizes(words.kind);
    // Users may have numbers there.
    for (std::string& user : query.users) {
        const auto uid = query.by_size ? parse_int64(user) : Result<std::int64_t>(-1);
        if (uid.ok() && *uid >= 0 && *uid <= 0xffff'ffffLL)
            user = user_name_of(static_cast<std::uint32_t>(*uid));
    }
    query.reservations = words.kind == ReportKind::reservations;
    if (words.kind != ReportKind::reservations) query.nodes = words.chosen.nodes;
    // Otherwise those below the accounts that are named count, too: they are picked out here.
    if (words.kind == ReportKind::user_by_account || words.kind == ReportKind::top_users)
        query.accounts = words.chosen.accounts;
    return query;
}

int run_report(const Invocation& call, const SreportOptions& options, const ReportWords& words,
               Streams& streams) {
    const auto fail = [&](const std::string& message) {
        return streams.err << "sreport: error: " << message << '\n', 1;
    };
    Client client(endpoint_of(call), {.timeout = kReportPatience});
    const std::string clusters = join(words.chosen.clusters, ",");
    for (const std::string& names : {options.clusters, clusters}) {
        if (const auto other = other_cluster(client, names, "sreport")) return fail(*other);
    }
    const auto usage = client.accounts().usage(query_of(words, wall_time()));
    if (!usage) return fail(slurm_message(usage.problem()));
    ReportAsked asked{
        .words = words, .notation = options.notation, .with_tres = !options.tres.empty()};
    auto tres = tres_asked(options.tres, asked, usage->tres);
    if (!tres.ok()) return streams.err << tres.error().message, 1;
    asked.tres = *std::move(tres);
    std::vector<api::AssociationRow> associations;
    if (words.kind == ReportKind::account_by_user || is_of_sizes(words.kind)) {
        auto rows = client.accounts().associations();
        if (!rows) return fail(slurm_message(rows.problem()));
        associations = *std::move(rows);
    }
    return print_report(options.style, std::move(asked), *usage, std::move(associations), streams);
}

Status read_option(int letter, const char* value, SreportOptions& options) {
    switch (letter) {
        case 'M': options.clusters = value; return Done{};
        case 'n': options.style.header = false; return Done{};
        case 'p': options.style.table = TableStyle::parsable; return Done{};
        case 'P': options.style.table = TableStyle::parsable2; return Done{};
        case 'Q': options.style.quiet = true; return Done{};
        case 'T': options.tres = value; return Done{};
        case 't': {
            BERTH_TRY(options.notation, parse_time_notation(value));
            return Done{};
        }
        case 'a':
        case 1:
        case 2:
        case 'v':
        default: return Done{};  // There is one cluster.
    }
}

// What the words mean that are no report; nullopt: they are one.
std::optional<int> run_other_word(const std::vector<std::string>& words, Streams& streams) {
    const std::string& word = words.front();
    if (means(word, "version", 4)) return streams.out << kVersion << '\n', 0;
    if (means(word, "exit", 1) || means(word, "quit", 4)) return 0;
    constexpr std::pair<const char*, const char*> kOfPrompt[] = {
        {"nonparsable", "leave -p away"},
        {"parsable", "use -p"},
        {"parsable2", "use -P"},
        {"quiet", "use -Q"},
        {"sort", "use sort(1)"},
        {"time", "use -t"},
        {"verbose", "use -v"},
        {"association", "use the cluster reports"}};
    for (const auto& [name, instead] : kOfPrompt) {
        if (!iequals(word, name)) continue;
        streams.err << "sreport: error: " << name << " is a command of the prompt; " << instead
                    << '\n';
        return 1;
    }
    return std::nullopt;
}

// What the words say of the reports that follow at the prompt; nullopt: nothing.
std::optional<Status> set_word(const std::vector<std::string>& words, SreportOptions& options) {
    constexpr std::pair<const char*, int> kLetters[] = {
        {"parsable", 'p'}, {"parsable2", 'P'}, {"quiet", 'Q'}, {"verbose", 'v'}, {"time", 't'}};
    const std::string& word = words.front();
    if (iequals(word, "nonparsable")) {
        options.style.table = TableStyle::table;
        return Done{};
    }
    for (const auto& [name, letter] : kLetters) {
        if (!iequals(word, name)) continue;
        const bool has_value = words.size() > 1;
        if (letter == 't' && !has_value) {
            return Error{ErrorCode::invalid_argument,
                         "sreport: error: time should have a format, as in \"time Hours\""};
        }
        return read_option(letter, has_value ? words[1].c_str() : nullptr, options);
    }
    return std::nullopt;
}

int run_words(const Invocation& call, const SreportOptions& options,
              const std::vector<std::string>& words, Streams& streams) {
    if (const auto code = run_other_word(words, streams)) return *code;
    const Result<ReportWords> report = parse_report(words, wall_time());
    if (!report.ok()) return streams.err << report.error().message, 1;
    return run_report(call, options, *report, streams);
}

}  // namespace

int run_sreport(const Invocation& call, Streams& streams) {
    SreportOptions options;
    const auto help = [&] {
        streams.out << kSreportUsage << command_help(call, kSreportOptions, kSreportLetters);
        return 0;
    };
    ArgumentReader reader(call, kSreportOptions, kSreportLetters);
    for (const SetVariable& set : set_variables(call, kSreportOptions)) {
        (void)read_option(set.letter, set.value, options);
        reader.note(set.variable->option, set.value);
    }
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 'h') return help();
        const Status read = read_option(argument->letter, argument->value, options);
        if (!read.ok()) return streams.err << read.error().message << '\n', 1;
    }
    if (reader.failed()) return streams.err << "Try \"sreport --help\" for more information\n", 1;
    const std::vector<std::string> words = reader.operands();
    const auto run = [&](const std::vector<std::string>& line) {
        return means(line.front(), "help", 2) ? help() : run_words(call, options, line, streams);
    };
    if (!words.empty()) return run(words);
    return run_prompt("sreport", streams, [&](const std::vector<std::string>& line) {
        const auto set = set_word(line, options);
        if (!set) return run(line);
        if (!set->ok()) streams.err << set->error().message << '\n';
        return set->ok() ? 0 : 1;
    });
}

}  // namespace berth::slurm
