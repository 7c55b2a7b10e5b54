// sprio: what the priorities of the jobs that wait are made of.
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
#include "berth/slurm/tables/sprio_fields.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

constexpr const char* kSprioLongFormat =
    "%.15i %9r %.8u %.8o %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10n %.10Q %.11N %.20T";
constexpr const char* kLongNormalFormat =
    "%.15i %9r %.8u %.8o %10y %.10S %10a %10b %10f %10j %10p %.10n %10q %20t";

struct SprioOptions {
    api::JobQuery query;
    std::string format, sort = "i", clusters;
    bool header = true, long_format = false, normalized = false, weights = false;
};

constexpr auto kSprioOptions = std::to_array<option>({
    {"noheader", no_argument, nullptr, 'h'},
    {"jobs", optional_argument, nullptr, 'j'},
    {"long", no_argument, nullptr, 'l'},
    {"norm", no_argument, nullptr, 'n'},
    {"format", required_argument, nullptr, 'o'},
    {"sort", required_argument, nullptr, 'S'},
    {"partition", required_argument, nullptr, 'p'},
    {"user", required_argument, nullptr, 'u'},
    {"users", required_argument, nullptr, 'u'},
    {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},
    {"weights", no_argument, nullptr, 'w'},
    {"help", no_argument, nullptr, 'H'},
    {"usage", no_argument, nullptr, 'U'},
    {"local", no_argument, nullptr, 'L'},
    {"clusters", required_argument, nullptr, 'M'},
    {"cluster", required_argument, nullptr, 'M'},
    {"federation", no_argument, nullptr, 'F'},
    {"sibling", no_argument, nullptr, 'G'},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSprioLetters = "hj::lM:no:S:p:u:vVw";

constexpr const char* kSprioUsage =
    "Usage: sprio [-h] [-j jobid[s]] [-l] [-n] [-o format] [-p partition[s]] [-S fields]\n"
    "             [-u user_name[s]] [-v] [-w]\n";

Status read_jobs(const char* text, SprioOptions& options) {
    for (const auto word : split(text, ',')) {
        const auto id = parse_int64(trim(word).substr(0, trim(word).find_first_of("_+")));
        if (!id.ok() || id.value() <= 0 || id.value() > 0xffff'ffffLL) {
            return Error{ErrorCode::invalid_argument, "Invalid job id: " + std::string(word)};
        }
        options.query.jobs.push_back(JobId(static_cast<std::uint32_t>(id.value())));
    }
    return Done{};
}

Status read_one(int letter, const char* value, SprioOptions& options) {
    switch (letter) {
        case 'h': options.header = false; return Done{};
        case 'j': return value == nullptr ? Status(Done{}) : read_jobs(value, options);
        case 'l': options.long_format = true; return Done{};
        case 'n': options.normalized = true; return Done{};
        case 'o': options.format = value; return Done{};
        case 'S': options.sort = value; return Done{};
        case 'p': add_names(value, options.query.partitions); return Done{};
        case 'u': add_names(value, options.query.users); return Done{};
        case 'w': options.weights = true; return Done{};
        case 'M': options.clusters = value; return Done{};
        case 'v':
        case 'F':
        case 'G':
        case 'L': return Done{};  // There is this cluster alone, and no more to say.
        default: return not_supported(kSprioOptions, letter);
    }
}

// The columns of what has a weight.
std::string plain_format(const SprioOptions& options, const PriorityWeights& weights) {
    std::string format = "%.15i %9r";
    if (!options.query.users.empty()) format += " %.8u";
    format += options.normalized ? " %10y" : " %.10Y";
    format += " %.10S";
    const std::pair<std::int64_t, char> columns[] = {
        {weights.age, 'A'},  {weights.association, 'B'}, {weights.fair_share, 'F'},
        {weights.size, 'J'}, {weights.partition, 'P'},   {weights.qos, 'Q'}};
    for (const auto& [weight, letter] : columns) {
        if (weight == 0) continue;
        format += options.normalized ? std::string(" %10") + static_cast<char>(letter + 32)
                                     : std::string(" %.10") + letter;
    }
    if (!weights.tres.empty()) format += options.normalized ? " %20t" : " %.20T";
    if (!weights.other.empty()) format += options.normalized ? " %20x" : " %.20X";
    return format;
}

Result<PercentFormat> format_of(const Invocation& call, const SprioOptions& options,
                                const PriorityWeights& weights) {
    std::string format = options.format;
    const std::string* variable = call.variable("SPRIO_FORMAT");
    if (format.empty() && options.long_format)
        format = options.normalized ? kLongNormalFormat : kSprioLongFormat;
    if (format.empty() && variable != nullptr) format = *variable;
    if (format.empty()) format = plain_format(options, weights);
    BERTH_TRY(PercentFormat parsed, parse_percent_format(format));
    for (const FormatItem& item : parsed.items) {
        if (find_priority_field(item.letter) == nullptr) {
            return Error{ErrorCode::invalid_argument,
                         std::string("Invalid job format specification: ") + item.letter};
        }
    }
    return parsed;
}

template <class Text>
void print_line(const PercentFormat& format, std::ostream& out, Text text) {
    out << format.prefix;
    for (const FormatItem& item : format.items) {
        out << cell(text(*find_priority_field(item.letter)), item.width, item.right) << item.suffix;
    }
    out << '\n';
}

void print_all(const SprioOptions& options, const PercentFormat& format,
               const PriorityWeights& weights, const std::vector<api::PriorityRow>& rows,
               std::ostream& out) {
    if (options.header) {
        print_line(format, out, [](const PriorityField& f) { return std::string(f.header); });
    }
    if (options.weights) {
        print_line(format, out, [&](const PriorityField& f) { return f.weight(weights); });
        return;
    }
    for (const api::PriorityRow& row : rows) {
        print_line(format, out, [&](const PriorityField& f) { return f.text(row, weights); });
    }
}

}  // namespace

int run_sprio(const Invocation& call, Streams& streams) {
    SprioOptions options;
    const auto fail = [&](const std::string& message) {
        streams.err << "sprio: error: " << message << '\n';
        return 1;
    };
    ArgumentReader reader(call, kSprioOptions, kSprioLetters);
    for (const SetVariable& set : set_variables(call, kSprioOptions)) {
        if (const Status read = read_one(set.letter, set.value, options); !read.ok())
            return fail(set.variable->name + (": " + read.error().message));
    }
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 'H' || argument->letter == 'U') {
            return streams.out << kSprioUsage << command_help(call, kSprioOptions, kSprioLetters),
                   0;
        }
        const char* value = argument->value;
        if (argument->letter == 'j' && value == nullptr) value = reader.take_word();
        if (const Status read = read_one(argument->letter, value, options); !read.ok()) {
            return fail(read.error().message);
        }
    }
    if (reader.failed()) return streams.err << "Try \"sprio --help\" for more information\n", 1;
    if (!reader.operands().empty()) return fail("Unrecognized option: " + reader.operands()[0]);
    if (options.long_format && !options.format.empty()) {
        return streams.err << "sprio: fatal: Options -o(--format) and -l(--long) are mutually "
                              "exclusive. Please remove one and retry.\n",
               1;
    }
    Client client(endpoint_of(call));
    if (const auto other = other_cluster(client, options.clusters, "sprio")) return fail(*other);
    const auto config = client.config();
    if (!config) return fail(slurm_message(config.problem()));
    if (const std::string type = setting_of(*config, "PriorityType"); type == "priority/basic") {
        streams.err << "You are not running a supported priority plugin\n(" << type
                    << ").\nOnly 'priority/multifactor' is supported.\n";
        return 1;
    }
    const PriorityWeights weights = weights_of(*config);
    const auto format = format_of(call, options, weights);
    if (!format.ok()) return fail(format.error().message);
    auto rows = client.priorities(options.query);
    if (!rows) {
        streams.err << "Couldn't get priority factors from controller: "
                    << slurm_message(rows.problem()) << '\n';
        return 1;
    }
    if (!options.query.jobs.empty() && rows->empty()) {
        return streams.out << "Unable to find jobs matching user/id(s) specified\n", 0;
    }
    if (const Status sorted = sort_priorities(*rows, options.sort); !sorted.ok()) {
        return fail(sorted.error().message);
    }
    print_all(options, *format, weights, *rows, streams.out);
    return 0;
}

}  // namespace berth::slurm
