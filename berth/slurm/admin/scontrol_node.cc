#include "berth/slurm/admin/scontrol_node.h"

#include <algorithm>
#include <ostream>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/model/new_node_text.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

// "n[1-3]"; "ALL": every node there is.
Result<std::vector<std::string>> nodes_meant(Client& client, const std::string& list) {
    if (!iequals(list, "ALL")) return expand_hostlist(list);
    const auto nodes = client.nodes();
    if (!nodes) return Error{ErrorCode::unavailable, slurm_message(nodes.problem())};
    std::vector<std::string> names;
    for (const api::NodeRow& node : *nodes) names.push_back(node.name);
    return names;
}

int patch_each(Client& client, const std::string& list, const api::NodePatch& patch,
               const char* verb, Streams& streams) {
    const auto names = nodes_meant(client, list);
    if (!names.ok()) {
        streams.err << "scontrol: error: " << names.error().message << '\n';
        return 1;
    }
    int code = 0;
    for (const std::string& name : *names) {
        const auto done = client.update_node(name, patch);
        if (done) continue;
        streams.err << verb << " error for " << name << ": " << slurm_message(done.problem())
                    << '\n';
        code = 1;
    }
    return code;
}

bool names_node(std::string_view word) {
    return starts_with_icase(word, "nodename=") || starts_with_icase(word, "node=");
}

// Slurm's words, and behind them what exactly was wrong.
int objection(const std::string& before, const api::Problem& problem, Streams& streams) {
    streams.err << before << slurm_message(problem) << '\n';
    if (!problem.slurm.empty() && !problem.detail.empty())
        streams.err << "scontrol: " << problem.detail << '\n';
    return 1;
}

}  // namespace

std::string node_named(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (names_node(word)) return word.substr(word.find('=') + 1);
    }
    return {};
}

int create_nodes(Client& client, const std::vector<std::string>& words, Streams& streams) {
    const auto fail = [&](const std::string& why) {
        streams.err << "scontrol: error: " << why << '\n';
        return 1;
    };
    const auto names = expand_hostlist(node_named(words));
    if (!names.ok()) return fail(names.error().message);
    std::vector<std::string> rest;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool is_entity = i == 1 && (iequals(words[i], "node") || iequals(words[i], "nodes"));
        if (!is_entity && !names_node(words[i])) rest.push_back(words[i]);
    }
    api::NodeCall call{.names = *names, .node = {}};
    if (const Status read = read_new_node(rest, call.node); !read.ok())
        return fail(read.error().message);
    const auto made = client.create_nodes(call);
    return made ? 0 : objection("Error creating node(s): ", made.problem(), streams);
}

int delete_nodes(Client& client, const std::vector<std::string>& words, Streams& streams) {
    const auto names = expand_hostlist(node_named(words));
    if (!names.ok()) {
        streams.err << "scontrol: error: " << names.error().message << '\n';
        return 1;
    }
    int code = 0;
    for (const std::string& name : *names) {
        const auto done = client.delete_node(name);
        if (!done) code = objection("delete_node " + name + ": ", done.problem(), streams);
    }
    return code;
}

int reboot_nodes(Client& client, const std::vector<std::string>& words, Streams& streams) {
    api::NodePatch patch{.state = "REBOOT"};
    std::string list;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        const std::string value = word.substr(std::min(word.size(), word.find('=') + 1));
        if (iequals(word, "ASAP")) {
            patch.asap = true;
        } else if (starts_with_icase(word, "nextstate=")) {
            patch.next_state = value;
        } else if (starts_with_icase(word, "reason=")) {
            patch.reason = value;
        } else if (list.empty() && word.find('=') == std::string::npos) {
            list = word;
        } else {
            streams.err << "Invalid input: " << word
                        << "; reboot [ASAP] [nextstate=RESUME|DOWN] [reason=…] NODES|ALL\n";
            return 1;
        }
    }
    if (list.empty()) {
        streams.err << "missing node list; name them, or ALL\n";
        return 1;
    }
    return patch_each(client, list, patch, "scontrol_reboot_nodes", streams);
}

int cancel_reboot(Client& client, const std::vector<std::string>& words, Streams& streams) {
    if (words.size() != 2) {
        streams.err << "cancel_reboot needs a node list\n";
        return 1;
    }
    return patch_each(client, words[1], {.state = "CANCEL_REBOOT"}, "scontrol_cancel_reboot",
                      streams);
}

}  // namespace berth::slurm
