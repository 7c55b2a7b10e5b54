// topology.conf: the tree of switches. Each node gets its path from the top.
#include <algorithm>
#include <map>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/config/draft.h"

namespace berth::config {
namespace {

struct Switch {
    const Line* line = nullptr;
    std::vector<std::string> nodes, children;
    std::string parent;
};
using Switches = std::map<std::string, Switch>;

std::vector<std::string> hostnames_in(Draft& draft, const Line& line, const char* key) {
    const Pair* pair = line.find(key);
    if (pair == nullptr) return {};
    const auto names = expand_hostlist(pair->value.value_or(""));
    if (names.ok()) return names.value();
    draft.error(line, *pair, names.error().message);
    return {};
}

void read_switch(Draft& draft, const Line& line, Switches& switches) {
    for (const Pair& pair : line.pairs) {
        const bool known = iequals(pair.key, "SwitchName") || iequals(pair.key, "Nodes") ||
                           iequals(pair.key, "Switches") || iequals(pair.key, "LinkSpeed");
        if (!known)
            draft.error(line, pair, "there is no option " + pair.key + " on a SwitchName line");
        if (iequals(pair.key, "LinkSpeed")) {
            draft.warning(line, pair, "LinkSpeed has no effect: all links of a switch are equal");
        }
    }
    const auto names = hostnames_in(draft, line, "SwitchName");
    if (names.size() != 1) return draft.error(line, "SwitchName should be one name");
    Switch item{.line = &line,
                .nodes = hostnames_in(draft, line, "Nodes"),
                .children = hostnames_in(draft, line, "Switches")};
    if (item.nodes.empty() == item.children.empty()) {
        return draft.error(line, "switch " + names[0] + " needs either Nodes= or Switches=");
    }
    if (!switches.emplace(names[0], std::move(item)).second) {
        draft.error(line, "switch " + names[0] + " is described twice");
    }
}

// Blocks of nodes: "BlockName=b1 Nodes=n[1-8]".
void read_block(Draft& draft, const Line& line) {
    for (const Pair& pair : line.pairs) {
        const bool known = iequals(pair.key, "BlockName") || iequals(pair.key, "Nodes");
        if (!known) {
            draft.error(line, pair, "there is no option " + pair.key + " on a BlockName line");
        }
    }
    const auto names = hostnames_in(draft, line, "BlockName");
    const auto nodes = hostnames_in(draft, line, "Nodes");
    if (names.size() != 1 || nodes.empty()) {
        return draft.error(line, "a block has one BlockName and needs Nodes=");
    }
    for (const std::string& name : nodes) {
        const auto id = draft.spec.find_node(name);
        if (!id) {
            draft.error(
                line, "block " + names[0] + " has " + name + ", which no NodeName line describes");
        } else if (NodeSpec& node = draft.spec.nodes.edit(id->index()); !node.block.empty()) {
            draft.error(
                line, "node " + name + " is in block " + node.block + " and in block " + names[0]);
        } else {
            node.block = names[0];
        }
    }
}

// "switch core is above rack1, which is not described"
std::string of_switch(const std::string& name, std::string_view verb, const std::string& other,
                      std::string_view rest) {
    return "switch " + name + std::string(verb) + other + std::string(rest);
}

void link_parents(Draft& draft, Switches& switches) {
    for (auto& [name, item] : switches) {
        for (const std::string& child : item.children) {
            const auto found = switches.find(child);
            if (found == switches.end()) {
                draft.error(*item.line,
                            of_switch(name, " is above ", child, ", which is not described"));
            } else if (!found->second.parent.empty()) {
                draft.error(*item.line, of_switch(child, " is below both ", found->second.parent,
                                                  " and " + name));
            } else {
                found->second.parent = name;
            }
        }
    }
}

// From the top down to `leaf`; empty if the tree goes in a circle.
std::vector<std::string> path_to(const Switches& switches, const std::string& leaf) {
    std::vector<std::string> path;
    for (std::string at = leaf; !at.empty(); at = switches.at(at).parent) {
        if (path.size() > switches.size()) return {};
        path.insert(path.begin(), at);
    }
    return path;
}

// What TopologyPlugin lets be read. Without it whatever the file describes is.
struct Read {
    bool switches = true, blocks = true;
    std::string plugin;  // Empty: slurm.conf says none.
};

Read read_plugin(Draft& draft) {
    const Pair* pair = draft.global("topologyplugin");
    if (pair == nullptr) return {};
    const Line line{.file = draft.slurm_conf, .number = 0, .pairs = {}};
    const std::string name = to_lower(*pair->value);
    if (name == "topology/flat" || name == "topology/default" || name == "topology/none") {
        return {.switches = false, .blocks = false, .plugin = name};
    }
    if (name == "topology/tree") return {.blocks = false, .plugin = name};
    if (name == "topology/block") return {.switches = false, .plugin = name};
    draft.error(line, *pair,
                "TopologyPlugin=" + *pair->value +
                    " should be topology/flat, topology/tree or topology/block");
    return {};
}

// Lines that the plugin does not read, and says so once for each kind.
void keep_readable(Draft& draft, const Read& read, std::vector<const Line*>& lines,
                   const char* kind, bool wanted) {
    if (wanted || lines.empty()) return;
    draft.warning(*lines.front(),
                  std::string(kind) + " lines have no effect with TopologyPlugin=" + read.plugin);
    lines.clear();
}

}  // namespace

void read_topology_conf(Draft& draft, const std::vector<Line>& lines) {
    const Read read = read_plugin(draft);
    Switches switches;
    std::vector<const Line*> all, blocks;
    for (const Line& line : lines) {
        if (iequals(line.pairs.front().key, "SwitchName")) {
            all.push_back(&line);
        } else if (iequals(line.pairs.front().key, "BlockName")) {
            blocks.push_back(&line);
        } else if (iequals(line.pairs.front().key, "BlockSizes")) {
            draft.warning(line, line.pairs.front(),
                          "BlockSizes has no effect: blocks are joined as jobs need them");
        } else {
            draft.error(
                line,
                line.pairs.front().key +
                    " is not supported in topology.conf yet; SwitchName and BlockName lines are");
        }
    }
    if (all.empty()) {  // Said to be misplaced in slurm.conf; with --lenient they hold all the
                        // same.
        for (const Line& line : draft.switches) all.push_back(&line);
    }
    keep_readable(draft, read, all, "SwitchName", read.switches);
    keep_readable(draft, read, blocks, "BlockName", read.blocks);
    for (const Line* line : blocks) read_block(draft, *line);
    for (const Line* line : all) read_switch(draft, *line, switches);
    link_parents(draft, switches);
    for (const auto& [name, item] : switches) {
        if (item.nodes.empty()) continue;
        const std::vector<std::string> path = path_to(switches, name);
        if (path.empty()) draft.error(*item.line, "switch " + name + " is above itself");
        for (const std::string& node : item.nodes) {
            if (const auto id = draft.spec.find_node(node)) {
                draft.spec.nodes.edit(id->index()).switches = path;
            } else {
                draft.error(*item.line,
                            of_switch(name, " has ", node, ", which no NodeName line describes"));
            }
        }
    }
}

}  // namespace berth::config
