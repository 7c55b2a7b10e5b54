// sshare: accounts and users, their shares and what they have used.
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ostream>

#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/json/json_rows.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/tables/sprio_fields.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/columns.h"

namespace berth::slurm {
namespace {

using api::ShareRow;

struct SshareOptions {
    std::vector<std::string> accounts, users;
    std::string format, clusters;
    TableStyle style = TableStyle::table;
    std::optional<Notation> notation;  // --json, --yaml
    bool all = false, header = true, long_format = false, users_only = false, partitions = false;
};

constexpr auto kSshareOptions = std::to_array<option>({
    {"accounts", required_argument, nullptr, 'A'}, {"all", no_argument, nullptr, 'a'},
    {"helpformat", no_argument, nullptr, 'e'},     {"long", no_argument, nullptr, 'l'},
    {"partition", no_argument, nullptr, 'm'},      {"noheader", no_argument, nullptr, 'n'},
    {"format", required_argument, nullptr, 'o'},   {"parsable", no_argument, nullptr, 'p'},
    {"parsable2", no_argument, nullptr, 'P'},      {"users", required_argument, nullptr, 'u'},
    {"Users", no_argument, nullptr, 'U'},          {"verbose", no_argument, nullptr, 'v'},
    {"version", no_argument, nullptr, 'V'},        {"help", no_argument, nullptr, 'H'},
    {"usage", no_argument, nullptr, 'H'},          {"clusters", required_argument, nullptr, 'M'},
    {"cluster", required_argument, nullptr, 'M'},  {"json", optional_argument, nullptr, 'J'},
    {"yaml", optional_argument, nullptr, 'Y'},     {nullptr, 0, nullptr, 0},
});
constexpr const char* kSshareLetters = "aA:ehlM:no:pPUu:vVm";

constexpr const char* kSshareUsage =
    "Usage: sshare [-aelmnpPUvV] [-A accounts] [-o format] [-u users]\n";

// Billionths as "0.396040", half up.
std::string six_places(std::int64_t billionths) {
    const std::int64_t millionths = (billionths + 500) / 1000;
    const std::string rest = std::to_string(millionths % 1'000'000);
    return std::to_string(millionths / 1'000'000) + "." + std::string(6 - rest.size(), '0') + rest;
}

std::string tres_amounts(const std::vector<std::pair<std::string, std::int64_t>>& amounts) {
    std::string text;
    for (const auto& [name, amount] : amounts)
        text += (text.empty() ? "" : ",") + name + "=" + std::to_string(amount);
    return text;
}

bool is_root(const ShareRow& row) { return row.user.empty() && row.parent.empty(); }

struct ShareField {
    std::string_view name;
    std::size_t width;
    bool right;
    bool cut_with_plus;
    std::string (*text)(const ShareRow& row);
};
constexpr auto kShareFields = std::to_array<ShareField>({
    {"Account", 20, false, true,
     [](const ShareRow& r) { return std::string(r.depth, ' ') + r.account; }},
    {"Cluster", 10, true, true, [](const ShareRow& r) { return r.cluster; }},
    {"EffectvUsage", 13, true, false,
     [](const ShareRow& r) { return six_places(r.effective_usage); }},
    {"FairShare", 10, true, false,
     [](const ShareRow& r) { return r.fair_share ? six_places(*r.fair_share) : ""; }},
    {"GrpTRESMins", 30, true, true,
     [](const ShareRow& r) { return tres_amounts(r.group_minutes); }},
    {"GrpTRESRaw", 30, true, true, [](const ShareRow& r) { return tres_amounts(r.tres_minutes); }},
    {"LevelFS", 10, true, false,
     [](const ShareRow& r) {
         if (!r.raw_shares && !is_root(r)) return std::string();  // Fairshare=parent.
         return r.level_fs_infinite ? std::string("inf")
                : r.level_fs        ? six_places(*r.level_fs)
                                    : "";
     }},
    {"NormShares", 11, true, false, [](const ShareRow& r) { return six_places(r.norm_shares); }},
    {"NormUsage", 11, true, false,
     [](const ShareRow& r) { return is_root(r) ? std::string() : six_places(r.norm_usage); }},
    {"Partition", 12, true, true, [](const ShareRow&) { return std::string(); }},
    {"RawShares", 10, true, true,
     [](const ShareRow& r) {
         return r.raw_shares ? std::to_string(*r.raw_shares) : is_root(r) ? "" : "parent";
     }},
    {"RawUsage", 11, true, false, [](const ShareRow& r) { return std::to_string(r.raw_usage); }},
    {"TRESRunMins", 30, true, true,
     [](const ShareRow& r) { return tres_amounts(r.tres_run_minutes); }},
    {"User", 10, true, true, [](const ShareRow& r) { return r.user; }},
});

struct ShareColumn {
    const ShareField* field;
    std::size_t width;
};

Status read_one(int letter, const char* value, SshareOptions& options) {
    switch (letter) {
        case 'a': options.all = true; return Done{};
        case 'A': add_names(value, options.accounts); return Done{};
        case 'h':
        case 'n': options.header = false; return Done{};
        case 'l': options.long_format = true; return Done{};
        case 'M': options.clusters = value; return Done{};
        case 'm': options.partitions = true; return Done{};
        case 'o': options.format = value; return Done{};
        case 'p': options.style = TableStyle::parsable; return Done{};
        case 'P': options.style = TableStyle::parsable2; return Done{};
        case 'u': add_names(value, options.users); return Done{};
        case 'U': options.users_only = true; return Done{};
        case 'v': return Done{};
        case 'J': options.notation = Notation::json; return check_shape(value);
        case 'Y': options.notation = Notation::yaml; return check_shape(value);
        default: return not_supported(kSshareOptions, letter);
    }
}

std::string format_of(const SshareOptions& options, bool has_levels) {
    if (!options.format.empty()) return options.format;
    std::string format = "Account,User";
    if (options.partitions) format += ",Partition";
    format += ",RawShares,NormShares,RawUsage";
    if (options.long_format) format += ",NormUsage";
    format += ",EffectvUsage,FairShare";
    if (options.long_format && has_levels) format += ",LevelFS";
    if (options.long_format) format += ",GrpTRESMins,TRESRunMins";
    return format;
}

// "account%30,user": names may be cut short, as in Slurm.
Result<std::vector<ShareColumn>> columns_of(const std::string& format) {
    std::vector<ShareColumn> columns;
    for (const auto word : split(format, ',')) {
        const std::string_view name = trim(word).substr(0, trim(word).find('%'));
        const auto field = std::ranges::find_if(kShareFields, [&](const ShareField& one) {
            return !name.empty() && starts_with_icase(one.name, name);
        });
        if (iequals(name, "id")) {
            return Error{ErrorCode::failed_precondition,
                         "the field ID is not supported: an association has no number"};
        }
        if (field == kShareFields.end()) {
            return Error{ErrorCode::invalid_argument,
                         "Invalid field requested: \"" + std::string(trim(word)) + "\""};
        }
        ShareColumn column{&*field, field->width};
        if (const std::size_t percent = word.find('%'); percent != std::string_view::npos) {
            const auto width = parse_int64(word.substr(percent + 1));
            if (width.ok() && *width > 0 && *width < 4096)
                column.width = static_cast<std::size_t>(*width);
        }
        columns.push_back(column);
    }
    return columns;
}

std::string padded_cell(const ShareColumn& column, const std::string& text) {
    if (column.field->cut_with_plus) return cell_with_plus(text, column.width, column.field->right);
    return cell(text, column.width, column.field->right, false);
}

template <class Text>
void print_line(const std::vector<ShareColumn>& columns, TableStyle style, std::ostream& out,
                Text text) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string one = text(columns[i]);
        if (style == TableStyle::table) {
            out << padded_cell(columns[i], one) << ' ';
        } else {
            out << one << (style == TableStyle::parsable || i + 1 < columns.size() ? "|" : "");
        }
    }
    out << '\n';
}

void print_header(const std::vector<ShareColumn>& columns, TableStyle style, std::ostream& out) {
    print_line(columns, style, out, [&](const ShareColumn& column) {
        const std::string name(column.field->name);
        return style == TableStyle::table ? name.substr(0, column.width) : name;
    });
    if (style != TableStyle::table) return;
    print_line(columns, style, out,
               [](const ShareColumn& column) { return std::string(column.width, '-'); });
}

bool is_wanted(const SshareOptions& options, const ShareRow& row) {
    const auto among = [](const std::vector<std::string>& names, const std::string& name) {
        return names.empty() || std::ranges::find(names, name) != names.end();
    };
    if (row.user.empty()) return !options.users_only && among(options.accounts, row.account);
    return among(options.accounts, row.account) && among(options.users, row.user);
}

int print_all(const SshareOptions& options, const std::vector<ShareRow>& rows, bool has_levels,
              Streams& streams) {
    const auto columns = columns_of(format_of(options, has_levels));
    if (!columns.ok()) {
        return streams.err << "sshare: error: " << columns.error().message << '\n', 1;
    }
    if (options.header) print_header(*columns, options.style, streams.out);
    for (const ShareRow& row : rows) {
        if (!is_wanted(options, row)) continue;
        print_line(*columns, options.style, streams.out,
                   [&](const ShareColumn& column) { return column.field->text(row); });
    }
    return 0;
}

void print_sshare_json(const Invocation& call, const SshareOptions& options,
                       const std::vector<ShareRow>& rows, std::ostream& out) {
    std::vector<ShareRow> wanted;
    std::ranges::copy_if(rows, std::back_inserter(wanted),
                         [&](const ShareRow& row) { return is_wanted(options, row); });
    SlurmJson json(out, *options.notation);
    json.begin();
    put_shares(json, wanted);
    json.finish(call, rows.empty() ? "" : rows.front().cluster);
}

void print_fields(std::ostream& out) {
    std::size_t at = 0;
    for (const ShareField& field : kShareFields) {
        out << cell(field.name, 17, false) << (++at % 4 == 0 ? "\n" : " ");
    }
    if (at % 4 != 0) out << '\n';
}

}  // namespace

int run_sshare(const Invocation& call, Streams& streams) {
    SshareOptions options;
    const auto fail = [&](const std::string& message) {
        streams.err << "sshare: error: " << message << '\n';
        return 1;
    };
    ArgumentReader reader(call, kSshareOptions, kSshareLetters);
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 'H') {
            return streams.out << kSshareUsage
                               << command_help(call, kSshareOptions, kSshareLetters),
                   0;
        }
        if (argument->letter == 'e') return print_fields(streams.out), 0;
        if (const Status read = read_one(argument->letter, argument->value, options); !read.ok()) {
            return fail(read.error().message);
        }
    }
    if (reader.failed()) return streams.err << "Try \"sshare --help\" for more information\n", 1;
    if (!reader.operands().empty()) return fail("Unknown arguments: " + reader.operands()[0]);
    // Without a choice: oneself.
    if (!options.all && options.users.empty()) options.users = {user_name_of(geteuid())};
    Client client(endpoint_of(call));
    if (const auto other = other_cluster(client, options.clusters, "sshare")) return fail(*other);
    const auto config = client.config();
    if (!config) return fail(slurm_message(config.problem()));
    if (const std::string type = setting_of(*config, "PriorityType"); type == "priority/basic") {
        streams.err << "You are not running a supported priority plugin\n(" << type
                    << ").\nOnly 'priority/multifactor' is supported.\n";
        return 1;
    }
    auto rows = client.accounts().shares();
    if (!rows) {
        streams.err << "Couldn't get shares from controller: " << slurm_message(rows.problem())
                    << '\n';
        return 1;
    }
    const bool has_levels = std::ranges::any_of(*rows, [](const ShareRow& row) {
        return row.level_fs_infinite || row.level_fs.value_or(0) > 0;
    });
    if (options.notation) return print_sshare_json(call, options, *rows, streams.out), 0;
    return print_all(options, *rows, has_levels, streams);
}

}  // namespace berth::slurm
