// sinfo: partitions and nodes, those that print alike on one line.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/options/arguments.h"
#include "berth/slurm/options/clusters.h"
#include "berth/slurm/options/command_help.h"
#include "berth/slurm/options/input_variables.h"
#include "berth/slurm/show/scontrol_show.h"
#include "berth/slurm/tables/iterate.h"
#include "berth/slurm/tables/sinfo_fields.h"
#include "berth/slurm/tables/sinfo_json.h"
#include "berth/slurm/tables/sinfo_order.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/printable.h"
#include "berth/trust/wall_time.h"

namespace berth::slurm {
namespace {

struct NodeChoice {
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> states;  // Any of these, each of them all of its states.
    std::optional<bool> responding;                // -r or -d: only such nodes.
};

struct SinfoOptions {
    std::string format, long_format_text, clusters, sort;
    std::optional<std::chrono::seconds> iterate;
    std::vector<std::string> partitions;
    NodeChoice chosen;
    std::optional<Notation> notation;  // --json, --yaml
    bool header = true, long_format = false, by_node = false, summary = false, reasons = false,
         all = false, reservations = false;
};

constexpr auto kSinfoOptions = std::to_array<option>({
    {"all", no_argument, nullptr, 'a'},
    {"exact", no_argument, nullptr, 'e'},
    {"noheader", no_argument, nullptr, 'h'},
    {"long", no_argument, nullptr, 'l'},
    {"nodes", required_argument, nullptr, 'n'},
    {"Node", no_argument, nullptr, 'N'},
    {"format", required_argument, nullptr, 'o'},
    {"partition", required_argument, nullptr, 'p'},
    {"list-reasons", no_argument, nullptr, 'R'},
    {"summarize", no_argument, nullptr, 's'},
    {"states", required_argument, nullptr, 't'},
    {"version", no_argument, nullptr, 'V'},
    {"help", no_argument, nullptr, 'H'},
    {"usage", no_argument, nullptr, 'U'},
    {"verbose", no_argument, nullptr, 'v'},
    {"noconvert", no_argument, nullptr, 'c'},
    {"Format", required_argument, nullptr, 'O'},
    {"dead", no_argument, nullptr, 'd'},
    {"responding", no_argument, nullptr, 'r'},
    {"reservation", no_argument, nullptr, 'T'},
    {"sort", required_argument, nullptr, 'S'},
    {"iterate", required_argument, nullptr, 'i'},
    {"clusters", required_argument, nullptr, 'M'},
    {"json", optional_argument, nullptr, 'J'},
    {"yaml", optional_argument, nullptr, 'Y'},
    {"future", no_argument, nullptr, 'F'},
    {"federation", no_argument, nullptr, 1},
    {"local", no_argument, nullptr, 2},
    {"hide", no_argument, nullptr, 3},
    {nullptr, 0, nullptr, 0},
});
constexpr const char* kSinfoLetters = "adehi:lM:n:No:O:p:rRsS:t:TvVF";

constexpr const char* kSinfoUsage =
    "Usage: sinfo [-aehlNRs] [-n nodes] [-o format] [-p partition] [-t states]\n";

// What -t takes: the states and flags of nodes, long and short, and what it means where a node's
// row has another word. Nodes of Berth are in none of the last ones.
struct StateWord {
    std::string_view word, meaning = word;
};
constexpr auto kSinfoStates = std::to_array<StateWord>({
    {"all"},
    {"unknown"},
    {"unk"},
    {"down"},
    {"idle"},
    {"allocated"},
    {"alloc"},
    {"mixed"},
    {"mix"},
    {"drain"},
    {"drained"},
    {"draining"},
    {"drng"},
    {"not_responding"},
    {"no_respond", "not_responding"},
    {"reserved"},
    {"resv"},
    {"completing"},
    {"comp"},
    {"planned"},
    {"plnd"},
    {"fail"},
    {"maint"},
    {"reboot"},
    {"blocked"},
    {"reboot^", "reboot_issued"},
    {"reboot_requested"},
    {"reboot_issued"},
    {"future"},
    {"futr", "future"},
    {"cloud"},
    {"perfctrs"},
    {"npc", "perfctrs"},
    {"powering_down"},
    {"powered_down"},
    {"power_down"},
    {"powering_up"},
});

std::string state_words() {
    std::string words;
    for (const StateWord& one : kSinfoStates)
        words.append(words.empty() ? "" : ",").append(one.word);
    return words;
}

// "idle,drain+down": idle ones, and those that are both.
Status read_states(const char* text, SinfoOptions& options) {
    for (const auto item : split(text, ',')) {
        std::vector<std::string> all;
        std::string together(item);
        std::ranges::replace(together, '&', '+');
        for (const auto word : split(together, '+')) {
            const std::string state = to_lower(trim(word));
            const auto known = std::ranges::find(kSinfoStates, state, &StateWord::word);
            if (known == kSinfoStates.end()) {
                return Error{ErrorCode::invalid_argument,
                             "Bad state string: \"" + std::string(item) +
                                 "\"\nsinfo: error: valid states: " + state_words()};
            }
            all.emplace_back(known->meaning);
        }
        options.chosen.states.push_back(std::move(all));
    }
    return Done{};
}

Status read_one(int letter, const char* value, SinfoOptions& options) {
    switch (letter) {
        case 'a': options.all = true; return Done{};
        case 'c':
        case 'e':  // We never fold nodes that differ, nor convert units.
        case 1:
        case 2: return Done{};  // There is one cluster.
        case 3: options.all = false; return Done{};
        case 'd': options.chosen.responding = false; return Done{};
        case 'r': options.chosen.responding = true; return Done{};
        case 'h': options.header = false; return Done{};
        case 'l': options.long_format = true; return Done{};
        case 'N': options.by_node = true; return Done{};
        case 'o': options.format = value; return Done{};
        case 'O': options.long_format_text = value; return Done{};
        case 'M': options.clusters = value; return Done{};
        case 'J': options.notation = Notation::json; return check_shape(value);
        case 'Y': options.notation = Notation::yaml; return check_shape(value);
        case 'p':
            for (const auto name : split(value, ',')) options.partitions.emplace_back(trim(name));
            return Done{};
        case 'S': options.sort = value; return Done{};
        case 'i': {
            BERTH_TRY(options.iterate, parse_iterate(value));
            return Done{};
        }
        case 'R': options.reasons = true; return Done{};
        case 's': options.summary = true; return Done{};
        case 'T': options.reservations = true; return Done{};
        case 't': return read_states(value, options);
        case 'n': {
            BERTH_TRY(options.chosen.names, expand_node_argument(value));
            return Done{};
        }
        default: return not_supported(kSinfoOptions, letter);
    }
}

bool is_own_format(const Invocation& call, const SinfoOptions& options) {
    const bool is_ours = options.reasons || options.summary || options.by_node ||
                         options.long_format || call.variable("SINFO_FORMAT") == nullptr;
    return !options.format.empty() || !options.long_format_text.empty() || !is_ours;
}

std::string format_of(const Invocation& call, const SinfoOptions& options) {
    if (!options.format.empty()) return options.format;
    if (options.reasons) return options.long_format ? "%20E %12u %19H %6t %N" : "%20E %9u %19H %N";
    if (options.summary) return "%P %.5a %.10l %.16F %N";
    if (options.by_node && options.long_format)
        return "%N %.6D %.9P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E";
    if (options.by_node) return "%N %.6D %.9P %6t";
    if (options.long_format) return "%P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N";
    const std::string* format = call.variable("SINFO_FORMAT");
    return format == nullptr ? "%P %.5a %.10l %.6D %.6t %N" : *format;
}

bool has_state(const api::NodeRow& node, const std::string& state) {
    // Slurm counts every node with CPUs in use, mixed ones too.
    if ((state == "alloc" || state == "allocated") && node.allocated_cpus > 0) return true;
    if (state == "all" || state == to_lower(node.state) || state == node_state(node, true) ||
        state == node_state(node, false))
        return true;
    if ((state == "mix" && node.state == "MIXED") ||
        (state == "alloc" && node.state == "ALLOCATED"))
        return true;
    return std::ranges::any_of(node.flags, [&](const std::string& flag) {
        const std::string name = to_lower(flag);
        return name == state || (state == "reboot" && name.starts_with("reboot_"));
    });
}

bool has_any_of(const api::NodeRow& node, const std::vector<std::vector<std::string>>& states) {
    return states.empty() || std::ranges::any_of(states, [&](const std::vector<std::string>& all) {
               return std::ranges::all_of(
                   all, [&](const std::string& state) { return has_state(node, state); });
           });
}

bool is_wanted(const api::NodeRow& node, const SinfoOptions& options) {
    if (options.reasons && node.reason.empty()) return false;
    if (!options.chosen.names.empty() &&
        std::ranges::find(options.chosen.names, node.name) == options.chosen.names.end())
        return false;
    if (options.chosen.responding &&
        *options.chosen.responding == has_state(node, "not_responding"))
        return false;
    return has_any_of(node, options.chosen.states);
}

// What the nodes of one line have in common: the text of every field of this kind.
std::string key_of(const PercentFormat& format, const NodeGroup& one, TellsApart what) {
    std::string key;
    for (const FormatItem& item : format.items) {
        const GroupField* field = find_group_field(item);
        if (field->tells_apart == what) key += field->text(one) + '\x1f';
    }
    return key;
}

// As in Slurm: root sees all, and so does who names a partition.
bool shows_hidden(const SinfoOptions& options) {
    return options.all || !options.partitions.empty() || geteuid() == 0;
}

bool is_shown(const api::PartitionRow& partition, const SinfoOptions& options) {
    if (partition.hidden && !shows_hidden(options)) return false;
    return options.partitions.empty() ||
           std::ranges::find(options.partitions, partition.name) != options.partitions.end();
}

// Lines by what their nodes and partitions have in common. Two partitions share lines unless a
// field tells them apart; a node that is in both then counts once.
class GroupLines {
public:
    GroupLines(const SinfoOptions& options, const PercentFormat& format)
        : options_(options), format_(format) {}

    void add(const api::PartitionRow& partition, const api::NodeRow& node) {
        const NodeGroup one{&partition, {&node}};
        const std::size_t line = line_for(
            partition, options_.by_node ? node.name : key_of(format_, one, TellsApart::nodes));
        if (counted_.emplace(line, &node).second) groups_[line].nodes.push_back(&node);
    }
    // A partition without nodes has a line if something of it is shown.
    void add_empty(const api::PartitionRow& partition) {
        if (!options_.by_node && !partition_key(partition).empty()) line_for(partition, "");
    }

    std::vector<NodeGroup> take() { return std::move(groups_); }

private:
    // -N has a line for each partition of a node.
    std::string partition_key(const api::PartitionRow& partition) const {
        if (options_.by_node) return partition.name;
        return key_of(format_, NodeGroup{&partition, {}}, TellsApart::partitions);
    }
    std::size_t line_for(const api::PartitionRow& partition, const std::string& nodes) {
        const std::string key = partition_key(partition) + '\x1e' + nodes;
        const auto [found, is_new] = line_of_.try_emplace(key, groups_.size());
        if (is_new) groups_.push_back({&partition, {}});
        return found->second;
    }

    const SinfoOptions& options_;
    const PercentFormat& format_;
    std::map<std::string, std::size_t> line_of_;
    std::set<std::pair<std::size_t, const api::NodeRow*>> counted_;
    std::vector<NodeGroup> groups_;
};

std::vector<NodeGroup> groups_of(const SinfoOptions& options, const PercentFormat& format,
                                 const std::vector<api::PartitionRow>& partitions,
                                 const std::vector<api::NodeRow>& nodes) {
    std::map<std::string, const api::NodeRow*> by_name;
    for (const api::NodeRow& node : nodes) by_name[node.name] = &node;
    GroupLines lines(options, format);
    for (const api::PartitionRow& partition : partitions) {
        if (!is_shown(partition, options)) continue;
        bool has_none = true;
        for (const std::string& name : partition.nodes) {
            const auto found = by_name.find(name);
            if (found == by_name.end() || !is_wanted(*found->second, options)) continue;
            lines.add(partition, *found->second);
            has_none = false;
        }
        if (has_none && !options.reasons) lines.add_empty(partition);
    }
    return lines.take();
}

// Under -N, lines go by node and then by partition; -R does not repeat a node for each partition.
void order(const SinfoOptions& options, std::vector<NodeGroup>& groups) {
    if (options.by_node) {
        std::ranges::stable_sort(groups, [](const NodeGroup& a, const NodeGroup& b) {
            if (a.first()->name != b.first()->name)
                return host_before(a.first()->name, b.first()->name);
            return a.partition->name < b.partition->name;
        });
    }
    if (!options.reasons) return;
    std::vector<NodeGroup> once;
    for (NodeGroup& group : groups) {
        const bool seen =
            std::ranges::any_of(once, [&](const NodeGroup& g) { return g.nodes == group.nodes; });
        if (!seen) once.push_back(std::move(group));
    }
    groups = std::move(once);
}

// In our own formats, a partition or node list without a width, not at the end of the line, is as
// wide as its longest.
void set_widths(PercentFormat& format, const std::vector<NodeGroup>& groups) {
    for (FormatItem& item : format.items) {
        if (item.width || &item == &format.items.back()) continue;
        if (item.letter != 'P' && item.letter != 'N' && item.letter != 'R') continue;
        std::size_t width = 9;
        for (const NodeGroup& group : groups)
            width = std::max(width, find_group_field(item)->text(group).size());
        item.width = width;
    }
}

void print_groups(const PercentFormat& format, const std::vector<NodeGroup>& groups, bool header,
                  std::ostream& out) {
    const auto line = [&](auto text) {
        out << format.prefix;
        for (const FormatItem& item : format.items)
            out << cell(printable(text(item)), item.width, item.right) << item.suffix;
        out << '\n';
    };
    if (header) line([](const FormatItem& i) { return std::string(find_group_field(i)->header); });
    for (const NodeGroup& group : groups)
        line([&](const FormatItem& item) { return find_group_field(item)->text(group); });
}

// -O's names. As Slurm does, it goes on without those that it does not know.
PercentFormat read_long_format(const SinfoOptions& options, std::ostream& err) {
    PercentFormat format = parse_long_format(options.long_format_text);
    std::erase_if(format.items, [&](const FormatItem& item) {
        if (find_group_field(item) != nullptr) return false;
        err << "sinfo: error: Invalid job format specification: " << item.name << '\n';
        return true;
    });
    return format;
}

int show_once(const Invocation& call, const SinfoOptions& options, PercentFormat items,
              Client& client, const std::string& cluster, Streams& streams) {
    if (options.reservations) return print_reservations(client, options.header, streams);
    const auto partitions = client.partitions();
    if (!partitions) {
        return streams.err << "slurm_load_partitions: " << slurm_message(partitions.problem())
                           << '\n',
               1;
    }
    const auto nodes = client.nodes();
    if (!nodes)
        return streams.err << "slurm_load_node: " << slurm_message(nodes.problem()) << '\n', 1;
    if (options.notation) {
        const PercentFormat all = parse_long_format(kJsonGroups);
        SlurmJson json(streams.out, *options.notation);
        put_sinfo(json, call, cluster, groups_of(options, all, *partitions, *nodes));
        return 0;
    }
    std::vector<NodeGroup> groups = groups_of(options, items, *partitions, *nodes);
    order(options, groups);
    if (const Status sorted = sort_groups(groups, options.sort); !sorted.ok())
        return streams.err << "sinfo: error: " << sorted.error().message << '\n', 1;
    if (!is_own_format(call, options)) set_widths(items, groups);
    if (options.long_format && options.header) streams.out << local_date_line(wall_time()) << '\n';
    print_groups(items, groups, options.header, streams.out);
    return 0;
}

// What the variables say; a list on the command line replaces theirs.
Status read_environment(const Invocation& call, SinfoOptions& options, ArgumentReader& reader) {
    for (const SetVariable& set : set_variables(call, kSinfoOptions)) {
        if (set.letter == 'o') continue;  // Only where no option names another: format_of().
        if (const Status read = read_one(set.letter, set.value, options); !read.ok())
            return prefixed(set.variable->name + std::string(": "), read.error());
        reader.note(set.variable->option, set.value);
    }
    return Done{};
}

}  // namespace

int run_sinfo(const Invocation& call, Streams& streams) {
    SinfoOptions options;
    const auto fail = [&](const std::string& message) {
        streams.err << "sinfo: error: " << message << '\n';
        return 1;
    };
    ArgumentReader reader(call, kSinfoOptions, kSinfoLetters);
    if (const Status read = read_environment(call, options, reader); !read.ok())
        return fail(read.error().message);
    const std::vector<std::string> from_variable = std::exchange(options.partitions, {});
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 'H' || argument->letter == 'U') {
            return streams.out << kSinfoUsage << command_help(call, kSinfoOptions, kSinfoLetters),
                   0;
        }
        if (const Status read = read_one(argument->letter, argument->value, options); !read.ok())
            return fail(read.error().message);
    }
    if (reader.failed()) return streams.err << "Try \"sinfo --help\" for more information\n", 1;
    if (options.partitions.empty()) options.partitions = from_variable;
    if (iequals(options.long_format_text, "all")) {
        options.format = "%all";
        options.long_format_text.clear();
    }
    const auto is_field = [](char letter) {
        return find_group_field({.letter = letter}) != nullptr;
    };
    auto format =
        parse_percent_format(with_all_letters(format_of(call, options), is_field), "node");
    if (!format.ok()) return fail(format.error().message);
    PercentFormat items = format.value();
    if (!options.long_format_text.empty()) items = read_long_format(options, streams.err);
    for (const FormatItem& item : items.items) {
        if (find_group_field(item) == nullptr)
            return fail(std::string("Invalid node format specification: ") + item.letter);
    }
    Client client(endpoint_of(call));
    std::string cluster;
    if (!options.clusters.empty() || options.notation) {
        auto meant =
            cluster_meant(client, options.clusters.empty() ? "all" : options.clusters, "sinfo");
        if (!meant.ok()) return fail(meant.error().message);
        cluster = *std::move(meant);
    }
    if (!cluster.empty() && options.header && !options.notation)
        streams.out << "CLUSTER: " << cluster << '\n';
    const bool dated = options.header && !options.long_format;  // -l has a date of its own.
    return show_repeatedly(options.iterate, dated, streams, [&] {
        return show_once(call, options, items, client, cluster, streams);
    });
}

}  // namespace berth::slurm
