// Parts of GPUs: mps, shard and gpumem in Gres= and in gres.conf, as what each GPU of a node has to
// give out.
#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/config/draft.h"

namespace berth::config {
namespace {

bool is_gpu(const Draft& draft, const Device& device) {
    return draft.spec.dimensions.at(device.dimension).name == "gpu";
}

// What a line of gres.conf says of one GPU: "Name=mps Count=200 File=/dev/nvidia[0-1]" is 100 each.
struct PartsOfFiles {
    std::vector<std::string> files;  // Empty: all of the node's GPUs.
    std::int64_t each = 0;
};

std::optional<PartsOfFiles> read_line(Draft& draft, const Line& line) {
    PartsOfFiles parts;
    const Pair* count = line.find("Count");
    if (count == nullptr) return std::nullopt;  // Gres= has the number.
    const auto number = parse_count(count->value.value_or(""));
    if (!number || *number == 0) {
        draft.error(line, *count, "Count should be a whole number from 1 on, like 100");
        return std::nullopt;
    }
    const Pair* file = line.find("File");
    if (file == nullptr) return std::nullopt;
    const auto files = expand_hostlist(file->value.value_or(""));
    if (!files.ok()) {
        draft.error(line, *file, "File: " + files.error().message);
        return std::nullopt;
    }
    parts.files = *files;
    parts.each = *number / static_cast<std::int64_t>(parts.files.size());
    return parts;
}

bool is_for(const Line& line, const NodeSpec& node) {
    const Pair* names = line.find("NodeName");
    if (names == nullptr || !names->value) return true;
    const auto all = expand_hostlist(*names->value);
    return all.ok() && std::ranges::find(*all, node.name) != all->end();
}

// The lines of gres.conf that name files come first; who is not named has its even part of Gres=.
void give_parts(Draft& draft, NodeSpec& node, const NodeGres& gres) {
    const auto kind = draft.spec.dimensions.find(gres.name, "");
    if (!kind) return;
    std::int64_t sum = 0;
    for (const Line& line : draft.part_lines) {
        const Pair* name = line.find("Name");
        if (name->value != gres.name || !is_for(line, node)) continue;
        const auto parts = read_line(draft, line);
        if (!parts) continue;
        for (Device& device : node.devices) {
            if (!is_gpu(draft, device) || parts->each == 0) continue;
            if (std::ranges::find(parts->files, device.file) == parts->files.end()) continue;
            device.shares.push_back({*kind, parts->each});
            sum += parts->each;
        }
    }
    const auto gpus = std::ranges::count_if(
        node.devices, [&](const Device& device) { return is_gpu(draft, device); });
    if (sum == 0 && gpus > 0) {
        for (Device& device : node.devices) {
            if (!is_gpu(draft, device) || gres.count < gpus) continue;
            device.shares.push_back({*kind, gres.count / gpus});
            sum += gres.count / gpus;
        }
    }
    if (sum != gres.count) {
        draft.findings.add(Severity::warning, draft.slurm_conf, 0,
                           "node " + node.name + ": Gres=" + gres.name + ":" +
                               std::to_string(gres.count) + " over " + std::to_string(gpus) +
                               " GPUs comes to " + std::to_string(sum) +
                               "; give each GPU the same number of parts");
    }
    node.capacity[*kind] = sum;
    if (gres.name != "gpumem") return;
    for (Device& device : node.devices) {
        const auto own = std::ranges::find(device.shares, *kind, &ShareKind::dimension);
        if (own != device.shares.end()) device.memory = Bytes(own->parts);
    }
}

bool any_node_has(const Draft& draft, const std::string& name) {
    return std::ranges::any_of(draft.node_gres, [&](const std::vector<NodeGres>& all) {
        return std::ranges::find(all, name, &NodeGres::name) != all.end();
    });
}

}  // namespace

bool note_parts(Draft& draft, const Line& line, const std::string& name) {
    if (!is_share_name(name) || !any_node_has(draft, name)) return false;
    draft.part_lines.push_back(line);
    return true;
}

void finish_parts(Draft& draft) {
    for (std::size_t i = 0; i < draft.spec.nodes.size(); ++i) {
        for (const NodeGres& gres : draft.node_gres[i]) {
            if (is_share_name(gres.name)) give_parts(draft, draft.spec.nodes.edit(i), gres);
        }
    }
}

namespace {

// NVIDIA's compute capabilities, for types that go by their usual names.
struct Capability {
    std::string_view type;
    std::uint32_t tenths;
};
constexpr Capability kCapabilities[] = {{"k80", 37},  {"p100", 60}, {"p40", 61},   {"v100", 70},
                                        {"t4", 75},   {"a100", 80}, {"a30", 80},   {"a10", 86},
                                        {"a40", 86},  {"l4", 89},   {"l40", 89},   {"l40s", 89},
                                        {"h100", 90}, {"h200", 90}, {"gh200", 90}, {"b200", 100}};

}  // namespace

void finish_gpu_types(Draft& draft) {
    for (std::size_t i = 0; i < draft.spec.nodes.size(); ++i) {
        for (Device& device : draft.spec.nodes.edit(i).devices) {
            if (!is_gpu(draft, device)) continue;
            const std::string type = to_lower(draft.spec.dimensions.at(device.dimension).type);
            const auto named = std::ranges::find(kCapabilities, type, &Capability::type);
            if (named != std::end(kCapabilities)) device.compute_capability = named->tenths;
            const auto said = draft.gpu_types.find(type);
            if (said == draft.gpu_types.end()) continue;
            if (said->second.memory > Bytes(0)) device.memory = said->second.memory;
            if (said->second.compute_capability > 0) {
                device.compute_capability = said->second.compute_capability;
            }
        }
    }
}

}  // namespace berth::config
