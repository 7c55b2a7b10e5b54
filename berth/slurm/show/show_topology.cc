// scontrol show topology: the switches or blocks that nodes are in, as their paths tell.
#include <algorithm>
#include <map>
#include <set>

#include "berth/base/text.h"
#include "berth/slurm/show/scontrol_show.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

struct Switch {
    std::size_t level = 0;  // 0: a leaf.
    std::vector<std::string> nodes;
    std::set<std::string> children;
};

// By level, then by name.
std::vector<std::pair<std::string, Switch>> switches_of(const std::vector<api::NodeRow>& nodes) {
    std::map<std::string, Switch> by_name;
    for (const api::NodeRow& node : nodes) {
        for (std::size_t i = 0; i < node.switches.size(); ++i) {
            Switch& one = by_name[node.switches[i]];
            one.level = std::max(one.level, node.switches.size() - 1 - i);
            one.nodes.push_back(node.name);
            if (i + 1 < node.switches.size()) one.children.insert(node.switches[i + 1]);
        }
    }
    std::vector<std::pair<std::string, Switch>> all(by_name.begin(), by_name.end());
    std::ranges::stable_sort(all, {}, [](const auto& one) { return one.second.level; });
    return all;
}

void print_switch(std::ostream& out, const std::string& name, const Switch& one) {
    out << "SwitchName=" << name << " Level=" << one.level
        << " LinkSpeed=1 Nodes=" << nodes_text(one.nodes);
    if (!one.children.empty())
        out << " Switches=" << nodes_text({one.children.begin(), one.children.end()});
    out << '\n';
}

// In the order of the configuration; the name's and the node's own are enough of a match.
int print_blocks(const std::vector<api::NodeRow>& nodes, const std::string& wanted,
                 std::ostream& out) {
    std::vector<std::pair<std::string, std::vector<std::string>>> blocks;
    for (const api::NodeRow& node : nodes) {
        if (node.block.empty()) continue;
        auto at = std::ranges::find(blocks, node.block, [](const auto& one) { return one.first; });
        if (at == blocks.end()) at = blocks.insert(at, {node.block, {}});
        at->second.push_back(node.name);
    }
    int printed = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto& [name, members] = blocks[i];
        const bool has_it = std::ranges::find(members, wanted) != members.end();
        if (!wanted.empty() && name != wanted && !has_it) continue;
        out << "BlockName=" << name << " BlockIndex=" << i << " Nodes=" << nodes_text(members)
            << " BlockSize=" << members.size() << '\n';
        ++printed;
    }
    return printed;
}

}  // namespace

int show_topology(Client& client, const std::string& name, Streams& streams) {
    const auto nodes = client.nodes();
    if (!nodes) {
        streams.err << "slurm_load_topo error: " << slurm_message(nodes.problem()) << '\n';
        return 1;
    }
    const auto switches = switches_of(*nodes);
    const bool any_block =
        std::ranges::any_of(*nodes, [](const api::NodeRow& node) { return !node.block.empty(); });
    if (switches.empty() && !any_block) {
        streams.err << "scontrol: error: No topology information available\n";
        return 0;  // As Slurm: a cluster without switches is none that is wrong.
    }
    int printed = print_blocks(*nodes, name, streams.out);
    for (const auto& [own, one] : switches) {
        const bool has_it = std::ranges::find(one.nodes, name) != one.nodes.end();
        if (!name.empty() && own != name && !has_it) continue;
        print_switch(streams.out, own, one);
        ++printed;
    }
    if (printed > 0) return 0;
    streams.err << "Topology information contains no switch or node named " << name << '\n';
    return 1;
}

}  // namespace berth::slurm
