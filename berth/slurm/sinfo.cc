// sinfo: partitions and nodes, those that print alike on one line.
#include <algorithm>
#include <array>
#include <map>
#include <ostream>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/client/client.h"
#include "berth/slurm/arguments.h"
#include "berth/slurm/columns.h"
#include "berth/slurm/print.h"
#include "berth/slurm/scontrol_show.h"

namespace berth::slurm {
namespace {

// A partition, and some of its nodes (perhaps none) that are to stand on one line.
struct Group {
    const api::PartitionRow* partition = nullptr;
    std::vector<const api::NodeRow*> nodes;

    const api::NodeRow* first() const { return nodes.empty() ? nullptr : nodes.front(); }
};

struct GroupField {
    char letter;
    std::string_view header;
    bool tells_apart;  // Nodes that differ in it do not share a line.
    std::string (*text)(const Group&);
};

template <class Value>
std::string of_first(const Group& group, Value value) {
    return group.first() == nullptr ? std::string("n/a") : value(*group.first());
}

std::string node_names(const Group& group) {
    std::vector<std::string> names;
    for (const api::NodeRow* node : group.nodes) names.push_back(node->name);
    return nodes_text(names);
}

std::string partition_text(const Group& g) {
    return g.partition->name + (g.partition->is_default ? "*" : "");
}

std::string job_size(const Group& g) {
    const std::string low = std::to_string(std::max(1U, g.partition->min_nodes));
    return low + "-" +
           (g.partition->max_nodes ? std::to_string(*g.partition->max_nodes) : "infinite");
}

bool takes_work(const api::NodeRow& node) {
    return node.state != "DOWN" && node.state != "UNKNOWN" &&
           node.flags.end() == std::ranges::find(node.flags, "DRAIN") &&
           node.flags.end() == std::ranges::find(node.flags, "NOT_RESPONDING");
}

// "allocated/idle/other/total"
std::string cpus_aiot(const Group& g) {
    std::uint32_t allocated = 0, idle = 0, other = 0, total = 0;
    for (const api::NodeRow* node : g.nodes) {
        total += node->cpus;
        allocated += node->allocated_cpus;
        (takes_work(*node) ? idle : other) +=
            node->cpus - std::min(node->cpus, node->allocated_cpus);
    }
    return std::to_string(allocated) + "/" + std::to_string(idle) + "/" + std::to_string(other) +
           "/" + std::to_string(total);
}

std::string nodes_aiot(const Group& g) {
    std::size_t allocated = 0, idle = 0, other = 0;
    for (const api::NodeRow* node : g.nodes) {
        if (!takes_work(*node))
            ++other;
        else if (node->allocated_cpus > 0)
            ++allocated;
        else
            ++idle;
    }
    return std::to_string(allocated) + "/" + std::to_string(idle) + "/" + std::to_string(other) +
           "/" + std::to_string(g.nodes.size());
}

std::string features(const api::NodeRow& node) {
    return node.features.empty() ? "(null)" : join(node.features, ",");
}

constexpr auto kFields = std::to_array<GroupField>({
    {'a', "AVAIL", false, [](const Group& g) { return to_lower(g.partition->state); }},
    {'A', "NODES(A/I)", false,
     [](const Group& g) {
         const std::string all = nodes_aiot(g);
         return all.substr(0, all.find('/', all.find('/') + 1));
     }},
    {'b', "ACTIVE_FEATURES", true, [](const Group& g) { return of_first(g, features); }},
    {'B', "MAX_CPUS_PER_NODE", false, [](const Group&) { return std::string("UNLIMITED"); }},
    {'c', "CPUS", true, [](const Group& g) { return of_first(g, [](auto& n) { return std::to_string(n.cpus); }); }},
    {'C', "CPUS(A/I/O/T)", false, cpus_aiot},
    {'d', "TMP_DISK", true, [](const Group& g) { return of_first(g, [](auto& n) { return std::to_string(in_mib(Bytes(n.tmp_disk))); }); }},
    {'D', "NODES", false, [](const Group& g) { return std::to_string(g.nodes.size()); }},
    {'e', "FREE_MEM", false, [](const Group&) { return std::string("N/A"); }},  // Agents do not
    {'E', "REASON", true, [](const Group& g) { return of_first(g, [](auto& n) { return n.reason.empty() ? std::string("none") : n.reason; }); }},
    {'f', "AVAIL_FEATURES", true, [](const Group& g) { return of_first(g, features); }},
    {'F', "NODES(A/I/O/T)", false, nodes_aiot},
    {'g', "GROUPS", false, [](const Group& g) { return g.partition->allow_groups.empty() ? std::string("all") : join(g.partition->allow_groups, ","); }},
    {'G', "GRES", true, [](const Group& g) { return of_first(g, [](auto& n) { return n.gres.empty() ? std::string("(null)") : n.gres; }); }},
    {'h', "OVERSUBSCRIBE", false, [](const Group& g) { return g.partition->oversubscribe; }},
    {'H', "TIMESTAMP", true, [](const Group& g) { return of_first(g, [](auto& n) { return local_time(n.reason_at, "Unknown"); }); }},
    {'I', "PRIO_JOB_FACTOR", false, [](const Group& g) { return std::to_string(g.partition->priority_job_factor); }},
    {'l', "TIMELIMIT", false, [](const Group& g) { return to_lower(format_time_limit_short(g.partition->max_time)) == "unlimited" ? std::string("infinite") : format_time_limit_short(g.partition->max_time); }},
    {'L', "DEFAULTTIME", false, [](const Group& g) { return g.partition->default_time ? format_time_limit_short(g.partition->default_time) : std::string("n/a"); }},
    {'m', "MEMORY", true, [](const Group& g) { return of_first(g, [](auto& n) { return std::to_string(in_mib(Bytes(n.memory))); }); }},
    {'M', "PREEMPT_MODE", false, [](const Group&) { return std::string("OFF"); }},
    {'n', "HOSTNAMES", true, [](const Group& g) { return of_first(g, [](auto& n) { return n.hostname; }); }},
    {'N', "NODELIST", false, node_names},
    {'o', "NODE_ADDR", true, [](const Group& g) { return of_first(g, [](auto& n) { return n.address; }); }},
    {'O', "CPU_LOAD", false, [](const Group&) { return std::string("N/A"); }},  // report load yet.
    {'p', "PRIO_TIER", false, [](const Group& g) { return std::to_string(g.partition->priority_tier); }},
    {'P', "PARTITION", false, partition_text},
    {'r', "ROOT", false, [](const Group& g) { return std::string(g.partition->root_only ? "yes" : "no"); }},
    {'R', "PARTITION", false, [](const Group& g) { return g.partition->name; }},
    {'s', "JOB_SIZE", false, job_size},
    {'t', "STATE", true, [](const Group& g) { return of_first(g, [](auto& n) { return node_state(n, true); }); }},
    {'T', "STATE", true, [](const Group& g) { return of_first(g, [](auto& n) { return node_state(n, false); }); }},
    {'u', "USER", true, [](const Group& g) { return of_first(g, [](auto& n) { return n.reason_by.empty() ? std::string("Unknown") : n.reason_by; }); }},
    {'v', "VERSION", true, [](const Group& g) { return of_first(g, [](auto& n) { return n.version; }); }},
    {'w', "WEIGHT", true, [](const Group& g) { return of_first(g, [](auto& n) { return std::to_string(n.weight); }); }},
    {'X', "SOCKETS", true, [](const Group& g) { return of_first(g, [](auto& n) { return std::to_string(n.sockets); }); }},
    {'Y', "CORES", true, [](const Group& g) { return of_first(g, [](auto& n) { return std::to_string(n.cores_per_socket); }); }},
    {'Z', "THREADS", true, [](const Group& g) { return of_first(g, [](auto& n) { return std::to_string(n.threads_per_core); }); }},
    {'z', "S:C:T", true,
     [](const Group& g) {
         return of_first(g, [](auto& n) {
             return std::to_string(n.sockets) + ":" + std::to_string(n.cores_per_socket) + ":" + std::to_string(n.threads_per_core);
         });
     }},
});

const GroupField* find_field(char letter) {
    const auto found = std::ranges::find(kFields, letter, &GroupField::letter);
    return found == kFields.end() ? nullptr : &*found;
}

struct SinfoOptions {
    std::string format;
    std::vector<std::string> partitions, nodes, states;
    bool header = true, long_format = false, by_node = false, summary = false, reasons = false,
         all = false, reservations = false;
};

constexpr auto kOptions = std::to_array<option>({
    {"all", no_argument, nullptr, 'a'},           {"exact", no_argument, nullptr, 'e'},
    {"noheader", no_argument, nullptr, 'h'},      {"long", no_argument, nullptr, 'l'},
    {"nodes", required_argument, nullptr, 'n'},   {"Node", no_argument, nullptr, 'N'},
    {"format", required_argument, nullptr, 'o'},  {"partition", required_argument, nullptr, 'p'},
    {"list-reasons", no_argument, nullptr, 'R'},  {"summarize", no_argument, nullptr, 's'},
    {"states", required_argument, nullptr, 't'},  {"version", no_argument, nullptr, 'V'},
    {"help", no_argument, nullptr, 'H'},          {"usage", no_argument, nullptr, 'U'},
    {"noconvert", no_argument, nullptr, 'c'},     {"Format", required_argument, nullptr, 'O'},
    {"dead", no_argument, nullptr, 'd'},          {"responding", no_argument, nullptr, 'r'},
    {"reservation", no_argument, nullptr, 'T'},   {"sort", required_argument, nullptr, 'S'},
    {"iterate", required_argument, nullptr, 'i'}, {"clusters", required_argument, nullptr, 'M'},
    {"json", optional_argument, nullptr, 'J'},    {"yaml", optional_argument, nullptr, 'Y'},
    {"future", no_argument, nullptr, 'F'},        {nullptr, 0, nullptr, 0},
});

constexpr const char* kUsage =
    "Usage: sinfo [-aehlNRs] [-n nodes] [-o format] [-p partition] [-t states]\n";

// What -t takes: the states and flags of nodes, long and short.
constexpr auto kNodeStates = std::to_array<std::string_view>({
    "all",   "alloc",          "allocated", "comp",       "completing", "down",
    "drain", "drained",        "draining",  "drng",       "idle",       "mix",
    "mixed", "not_responding", "planned",   "unk",        "unknown",    "fail",
    "maint", "reserved",       "resv",      "no_respond",
});

Status read_states(const char* text, SinfoOptions& options) {
    for (const auto word : split(text, ',')) {
        const std::string state = to_lower(trim(word));
        if (std::ranges::find(kNodeStates, state) == kNodeStates.end()) {
            return Error{ErrorCode::invalid_argument,
                         "Bad state string: \"" + std::string(word) +
                             "\"\nsinfo: error: valid states: " + join(kNodeStates, ",")};
        }
        options.states.push_back(state == "no_respond" ? "not_responding" : state);
    }
    return Done{};
}

Status read_one(int letter, const char* value, SinfoOptions& options) {
    switch (letter) {
        case 'a': options.all = true; return Done{};
        case 'c':
        case 'e': return Done{};  // We never fold nodes that differ, nor convert units.
        case 'h': options.header = false; return Done{};
        case 'l': options.long_format = true; return Done{};
        case 'N': options.by_node = true; return Done{};
        case 'o': options.format = value; return Done{};
        case 'p':
            for (const auto name : split(value, ',')) options.partitions.emplace_back(trim(name));
            return Done{};
        case 'R': options.reasons = true; return Done{};
        case 's': options.summary = true; return Done{};
        case 'T': options.reservations = true; return Done{};
        case 't': return read_states(value, options);
        case 'n': {
            BERTH_TRY(options.nodes, expand_node_argument(value));
            return Done{};
        }
        default: return not_supported(kOptions, letter);
    }
}

bool is_own_format(const Invocation& call, const SinfoOptions& options) {
    const bool is_ours = options.reasons || options.summary || options.by_node ||
                         options.long_format || call.variable("SINFO_FORMAT") == nullptr;
    return !options.format.empty() || !is_ours;
}

std::string format_of(const Invocation& call, const SinfoOptions& options) {
    if (!options.format.empty()) return options.format;
    if (options.reasons) return options.long_format ? "%20E %12u %19H %6t %N" : "%20E %9u %19H %N";
    if (options.summary) return "%P %.5a %.10l %.16F %N";
    if (options.by_node && options.long_format)
        return "%N %.6D %.9P %.11T %.4c %.8z %.6m %.8d %.6w %.8f %20E";
    if (options.by_node) return "%N %.6D %.9P %6t";
    if (options.long_format) return "%P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N";
    const std::string* format = call.variable("SINFO_FORMAT");
    return format == nullptr ? "%P %.5a %.10l %.6D %.6t %N" : *format;
}

bool has_state(const api::NodeRow& node, const std::vector<std::string>& states) {
    if (states.empty()) return true;
    for (const std::string& state : states) {
        if (state == "all" || state == to_lower(node.state) || state == node_state(node, true) ||
            state == node_state(node, false))
            return true;
        if ((state == "mix" && node.state == "MIXED") ||
            (state == "alloc" && node.state == "ALLOCATED"))
            return true;
        if (std::ranges::any_of(node.flags,
                                [&](const std::string& flag) { return to_lower(flag) == state; }))
            return true;
    }
    return false;
}

bool is_wanted(const api::NodeRow& node, const SinfoOptions& options) {
    if (options.reasons && node.reason.empty()) return false;
    if (!options.nodes.empty() &&
        std::ranges::find(options.nodes, node.name) == options.nodes.end())
        return false;
    return has_state(node, options.states);
}

// What the nodes of one line have in common: the text of every field that tells nodes apart.
std::string key_of(const PercentFormat& format, const Group& one) {
    std::string key;
    for (const FormatItem& item : format.items) {
        const GroupField* field = find_field(item.letter);
        if (field->tells_apart) key += field->text(one) + '\x1f';
    }
    return key;
}

std::vector<Group> groups_of(const SinfoOptions& options, const PercentFormat& format,
                             const std::vector<api::PartitionRow>& partitions,
                             const std::vector<api::NodeRow>& nodes) {
    std::map<std::string, const api::NodeRow*> by_name;
    for (const api::NodeRow& node : nodes) by_name[node.name] = &node;
    std::vector<Group> groups;
    for (const api::PartitionRow& partition : partitions) {
        if (partition.hidden && !options.all) continue;
        if (!options.partitions.empty() &&
            std::ranges::find(options.partitions, partition.name) == options.partitions.end())
            continue;
        const std::size_t first = groups.size();
        std::map<std::string, std::size_t> line_of;
        for (const std::string& name : partition.nodes) {
            const auto found = by_name.find(name);
            if (found == by_name.end() || !is_wanted(*found->second, options)) continue;
            Group one{&partition, {found->second}};
            const std::string key = options.by_node ? name : key_of(format, one);
            const auto [line, is_new] = line_of.try_emplace(key, groups.size());
            if (is_new)
                groups.push_back(std::move(one));
            else
                groups[line->second].nodes.push_back(found->second);
        }
        const bool only_nodes = options.by_node || options.reasons;
        if (groups.size() == first && !only_nodes) groups.push_back({&partition, {}});
    }
    return groups;
}

// Under -N, lines go by node and then by partition; -R does not repeat a node for each partition.
void order(const SinfoOptions& options, std::vector<Group>& groups) {
    if (options.by_node) {
        std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
            if (a.first()->name != b.first()->name)
                return host_before(a.first()->name, b.first()->name);
            return a.partition->name < b.partition->name;
        });
    }
    if (!options.reasons) return;
    std::vector<Group> once;
    for (Group& group : groups) {
        const bool seen =
            std::ranges::any_of(once, [&](const Group& g) { return g.nodes == group.nodes; });
        if (!seen) once.push_back(std::move(group));
    }
    groups = std::move(once);
}

// In our own formats, a partition or node list without a width, not at the end of the line, is as
// wide as its longest.
void set_widths(PercentFormat& format, const std::vector<Group>& groups) {
    for (FormatItem& item : format.items) {
        if (item.width || &item == &format.items.back()) continue;
        if (item.letter != 'P' && item.letter != 'N' && item.letter != 'R') continue;
        std::size_t width = 9;
        for (const Group& group : groups)
            width = std::max(width, find_field(item.letter)->text(group).size());
        item.width = width;
    }
}

void print_groups(const PercentFormat& format, const std::vector<Group>& groups, bool header,
                  std::ostream& out) {
    const auto line = [&](auto text) {
        out << format.prefix;
        for (const FormatItem& item : format.items)
            out << cell(text(item.letter), item.width, item.right) << item.suffix;
        out << '\n';
    };
    if (header) line([](char letter) { return std::string(find_field(letter)->header); });
    for (const Group& group : groups)
        line([&](char letter) { return find_field(letter)->text(group); });
}

}  // namespace

int run_sinfo(const Invocation& call, Streams& streams) {
    SinfoOptions options;
    const auto fail = [&](const std::string& message) {
        streams.err << "sinfo: error: " << message << '\n';
        return 1;
    };
    ArgumentReader reader(call, kOptions, "adehi:lM:n:No:O:p:rRsS:t:TvVF");
    while (const auto argument = reader.next(streams)) {
        if (argument->letter == 'V') return streams.out << kVersion << '\n', 0;
        if (argument->letter == 'H' || argument->letter == 'U') return streams.out << kUsage, 0;
        if (const Status read = read_one(argument->letter, argument->value, options); !read.ok())
            return fail(read.error().message);
    }
    if (reader.failed()) return streams.err << "Try \"sinfo --help\" for more information\n", 1;
    auto format = parse_percent_format(format_of(call, options));
    if (!format.ok()) return fail(format.error().message);
    PercentFormat items = format.value();
    for (const FormatItem& item : items.items) {
        if (find_field(item.letter) == nullptr)
            return fail(std::string("Invalid node format specification: ") + item.letter);
    }
    Client client(endpoint_of(call));
    if (options.reservations) return print_reservations(client, options.header, streams);
    const auto partitions = client.partitions();
    if (!partitions)
        return streams.err << "slurm_load_partitions: " << slurm_message(partitions.problem())
                           << '\n',
               1;
    const auto nodes = client.nodes();
    if (!nodes)
        return streams.err << "slurm_load_node: " << slurm_message(nodes.problem()) << '\n', 1;
    std::vector<Group> groups = groups_of(options, items, *partitions, *nodes);
    order(options, groups);
    if (!is_own_format(call, options)) set_widths(items, groups);
    if (options.long_format && options.header)
        streams.out << local_date_line(wall_clock_now()) << '\n';
    print_groups(items, groups, options.header, streams.out);
    return 0;
}

}  // namespace berth::slurm
