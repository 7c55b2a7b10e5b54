#include "berth/slurm/tables/known_nodes.h"

#include <ostream>

#include "berth/base/hostlist.h"
#include "berth/slurm/options/advice.h"

namespace berth::slurm {

std::string advice_on_node(const Invocation& call, const std::string& name,
                           const std::vector<std::string>& nodes) {
    const std::string all =
        nodes.empty() ? "there are no nodes" : "the nodes are " + compress_hostlist(nodes);
    return advice_on_name(call, name, nodes, all);
}

std::string advice_on_unknown_node(Client& client, const Invocation& call,
                                   const std::string& name) {
    if (!wants_advice(call)) return {};
    const auto rows = client.nodes();
    if (!rows) return {};
    std::vector<std::string> names;
    for (const api::NodeRow& row : *rows) names.push_back(row.name);
    return advice_on_node(call, name, names);
}

bool are_known(Client& client, const Invocation& call, const std::vector<std::string>& nodes,
               Streams& streams) {
    for (const std::string& name : nodes) {
        const auto node = client.node(name);
        if (node || node.problem().code != "unknown_node") continue;
        streams.err << call.name << ": error: Invalid node name " << name << '\n'
                    << advice_on_unknown_node(client, call, name);
        return false;
    }
    return true;
}

}  // namespace berth::slurm
