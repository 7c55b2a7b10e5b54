// NodeName lines of slurm.conf.
#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/config/draft.h"

namespace berth::config {
namespace {

constexpr std::int64_t kCountMax = 1'000'000;

const std::vector<std::string_view> kNodeKeys = {
    "NodeName",      "NodeHostname",    "NodeAddr",   "BcastAddr",    "Boards",
    "CoreSpecCount", "CoresPerSocket",  "CpuBind",    "CPUs",         "CPUSpecList",
    "Features",      "Feature",         "Gres",       "MemSpecLimit", "Parameters",
    "Port",          "Procs",           "RealMemory", "Reason",       "RestrictedCoresPerGPU",
    "Sockets",       "SocketsPerBoard", "State",      "SuspendTime",  "ThreadsPerCore",
    "TmpDisk",       "Topology",        "Weight"};

// Keys that are right in Slurm and that nothing acts on yet.
bool has_no_effect(std::string_view key) {
    return std::ranges::any_of(
        std::to_array<std::string_view>(
            {"BcastAddr", "CoreSpecCount", "CpuBind", "CPUSpecList", "MemSpecLimit", "Parameters",
             "Port", "RestrictedCoresPerGPU", "SuspendTime", "Topology", "Reason"}),
        [&](auto known) { return iequals(known, key); });
}

// This line's value of a key, or that of the last NodeName=DEFAULT line.
const Pair* value_of(const Line& line, const Line& defaults, std::string_view key) {
    const Pair* own = line.find(key);
    return own != nullptr ? own : defaults.find(key);
}

std::uint32_t count_of(Draft& draft, const Line& line, const Pair* pair, std::uint32_t otherwise) {
    if (pair == nullptr) return otherwise;
    return static_cast<std::uint32_t>(number_or(draft, line, *pair, 1, kCountMax, otherwise));
}

// CPUs, Sockets, CoresPerSocket and ThreadsPerCore: any may be left out, but they must agree.
void read_processors(Draft& draft, const Line& line, const Line& defaults, NodeSpec& node) {
    const Pair* cpus = value_of(line, defaults, "CPUs");
    if (cpus == nullptr) cpus = value_of(line, defaults, "Procs");
    node.boards = count_of(draft, line, value_of(line, defaults, "Boards"), 1);
    const Pair* sockets = value_of(line, defaults, "Sockets");
    const Pair* per_board = value_of(line, defaults, "SocketsPerBoard");
    node.threads_per_core = count_of(draft, line, value_of(line, defaults, "ThreadsPerCore"), 1);
    node.cores_per_socket = count_of(draft, line, value_of(line, defaults, "CoresPerSocket"), 1);
    const std::uint32_t per_socket = node.cores_per_socket * node.threads_per_core;
    if (sockets != nullptr) {
        node.sockets = count_of(draft, line, sockets, 1);
    } else if (per_board != nullptr) {
        node.sockets = node.boards * static_cast<std::uint32_t>(number_or(
                                         draft, line, *per_board, 1, kCountMax / node.boards, 1));
    } else {
        node.sockets =
            cpus == nullptr ? 1 : std::max(1U, count_of(draft, line, cpus, 1) / per_socket);
    }
    if (cpus == nullptr) return;
    const std::uint32_t said = count_of(draft, line, cpus, node.cpus());
    if (said == node.cores() && node.threads_per_core > 1) {
        node.threads_per_core = 1;  // Slurm: CPUs = cores means that threads are not handed out.
    } else if (said != node.cpus()) {
        draft.error(line, *cpus,
                    "CPUs=" + std::to_string(said) +
                        " does not agree with Sockets × CoresPerSocket × ThreadsPerCore = " +
                        std::to_string(node.cpus()) + "; leave one of them out or correct it");
    }
}

void read_memory(Draft& draft, const Line& line, const Line& defaults, NodeSpec& node) {
    node.memory = mib(1);  // As in Slurm.
    if (const Pair* memory = value_of(line, defaults, "RealMemory")) {
        node.memory = mib(number_or(draft, line, *memory, 1, 1LL << 40, 1));
    }
    if (const Pair* disk = value_of(line, defaults, "TmpDisk")) {
        node.tmp_disk = mib(number_or(draft, line, *disk, 0, 1LL << 40, 0));
    }
}

// "gpu:a100:8", "gpu:8", "fpga", "gpu:a100:8(S:0-1)".
std::optional<NodeGres> parse_gres(std::string_view text) {
    const std::vector<std::string_view> parts = split(text.substr(0, text.find('(')), ':');
    if (parts.empty() || parts.size() > 3 || parts[0].empty()) return std::nullopt;
    NodeGres gres{.name = std::string(parts[0]), .type = {}, .count = 1};
    if (parts.size() == 1) return gres;
    const auto count = parse_count(parts.back());
    if (parts.size() == 3) {
        if (!count || parts[1].empty()) return std::nullopt;
        gres.type = parts[1];
        gres.count = *count;
    } else if (count) {
        gres.count = *count;
    } else {
        gres.type = parts[1];
    }
    return gres;
}

std::vector<NodeGres> read_gres(Draft& draft, const Line& line, const Pair& pair) {
    std::vector<NodeGres> all;
    if (!pair.value) return all;
    for (const std::string_view text : split(*pair.value, ',')) {
        const auto gres = parse_gres(trim(text));
        if (!gres) {
            draft.error(
                line, pair,
                "Gres=" + std::string(text) + " should be NAME[:TYPE][:COUNT], like gpu:a100:8");
        } else if (!draft.gres_types.contains(gres->name)) {
            draft.error(line, pair,
                        "Gres=" + std::string(text) + ": add " + gres->name + " to GresTypes");
        } else if (is_share_name(gres->name) && !gres->type.empty()) {
            draft.error(line, pair,
                        "Gres=" + std::string(text) + ": parts of GPUs have no type; write " +
                            gres->name + ":" + std::to_string(gres->count));
        } else {
            all.push_back(*gres);
            if (gres->name == "mig") all.back().name = "gpu";  // Of its profile's type.
        }
    }
    return all;
}

void intern_gres(Draft& draft, const Line& line, NodeSpec& node, const std::vector<NodeGres>& all) {
    for (const NodeGres& gres : all) {
        const auto dimension = draft.spec.dimensions.intern(gres.name, gres.type);
        if (!dimension) {
            draft.error(line, "more than " + std::to_string(kDimensionsMax - 2) +
                                  " kinds of GRES in one cluster");
            continue;
        }
        node.capacity[*dimension] += gres.count;
    }
}

void check_node_keys(Draft& draft, const Line& line) {
    for (const Pair& pair : line.pairs) {
        const bool known =
            std::ranges::any_of(kNodeKeys, [&](auto key) { return iequals(key, pair.key); });
        if (!known) {
            std::string text = "there is no option " + pair.key + " on a NodeName line";
            if (const auto meant = nearest(pair.key, kNodeKeys))
                text += "; did you mean " + *meant + "?";
            draft.error(line, pair, text);
        } else if (!pair.value) {
            draft.error(line, pair, pair.key + " has no value");
        } else if (has_no_effect(pair.key)) {
            draft.warning(line, pair, pair.key + "=" + *pair.value + " has no effect yet");
        }
    }
    const Pair* state = line.find("State");
    if (state == nullptr || !state->value) return;
    if (!iequals(*state->value, "UNKNOWN") && !iequals(*state->value, "IDLE")) {
        draft.warning(line, *state,
                      "State=" + *state->value +
                          " has no effect here; use scontrol update NodeName=… State=…");
    }
}

// The i-th of a list that runs beside the node names; one that stands alone serves all.
std::string beside(Draft& draft, const Line& line, const Pair* pair, std::size_t index,
                   std::size_t count, const std::string& otherwise) {
    if (pair == nullptr || !pair->value) return otherwise;
    const auto names = expand_hostlist(*pair->value);
    if (names.ok() && names.value().size() == 1) return names.value().front();
    if (names.ok() && names.value().size() == count) return names.value()[index];
    if (index == 0)
        draft.error(line, *pair, pair->key + " should name as many hosts as NodeName, or one");
    return otherwise;
}

}  // namespace

void read_node_line(Draft& draft, const Line& line, Line& defaults) {
    check_node_keys(draft, line);
    const Pair& name = line.pairs.front();
    if (!name.value) return;
    if (iequals(*name.value, "DEFAULT")) {
        defaults = line;
        return;
    }
    const auto names = expand_hostlist(*name.value);
    if (!names.ok()) return draft.error(line, name, names.error().message);
    NodeSpec node;
    read_processors(draft, line, defaults, node);
    read_memory(draft, line, defaults, node);
    if (const Pair* weight = value_of(line, defaults, "Weight")) {
        node.weight =
            static_cast<std::uint32_t>(number_or(draft, line, *weight, 0, 0xffff'ffff, 1));
    }
    const Pair* features = value_of(line, defaults, "Features");
    if (features == nullptr) features = value_of(line, defaults, "Feature");
    if (features != nullptr && features->value) {
        for (const auto feature : split(*features->value, ','))
            node.features.emplace_back(trim(feature));
    }
    std::vector<NodeGres> gres;
    if (const Pair* pair = value_of(line, defaults, "Gres"); pair != nullptr && pair->value) {
        gres = read_gres(draft, line, *pair);
        node.gres_text = *pair->value;
    }
    node.capacity.set_cpu(cores(node.cpus()));
    node.capacity.set_memory(node.memory);
    intern_gres(draft, line, node, gres);
    for (std::size_t i = 0; i < names.value().size(); ++i) {
        node.name = names.value()[i];
        if (draft.spec.find_node(node.name)) {
            draft.error(line, "node " + node.name + " is described twice");
            continue;
        }
        node.hostname =
            beside(draft, line, line.find("NodeHostname"), i, names.value().size(), node.name);
        node.address =
            beside(draft, line, line.find("NodeAddr"), i, names.value().size(), node.hostname);
        draft.spec.nodes.push_back(node);
        draft.node_gres.push_back(gres);
    }
}

}  // namespace berth::config
