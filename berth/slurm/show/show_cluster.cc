// scontrol show node, partition and config.
#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/slurm/show/partition_text.h"
#include "berth/slurm/show/scontrol_show.h"
#include "berth/slurm/show/show_format.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

std::string mebibytes(std::int64_t bytes) { return std::to_string(in_mib(Bytes(bytes))); }
std::string list_or(const std::vector<std::string>& all, const char* otherwise) {
    return all.empty() ? otherwise : join(all, ",");
}

// "MIXED+DRAIN", "IDLE*"
std::string state_text(const api::NodeRow& node) {
    std::string text = node.state;
    for (const std::string& flag : node.flags) text += "+" + flag;
    const bool silent = std::ranges::find(node.flags, "NOT_RESPONDING") != node.flags.end();
    return silent && text.find("NOT_RESPONDING") == std::string::npos ? text + "*" : text;
}

void put_hardware(ShowRecord& record, const api::NodeRow& node, bool detail) {
    record.put("NodeName", node.name).put("Arch", node.arch.empty() ? "(null)" : node.arch);
    record.put("CoresPerSocket", std::to_string(node.cores_per_socket)).line();
    record.put("CPUAlloc", std::to_string(node.allocated_cpus))
        .put("CPUEfctv", std::to_string(node.cpus));
    record.put("CPUTot", std::to_string(node.cpus)).put("CPULoad", "N/A").line();
    record.put("AvailableFeatures", list_or(node.features, "(null)")).line();
    record.put("ActiveFeatures", list_or(node.features, "(null)")).line();
    record.put("Gres", or_null(node.gres)).line();
    const bool some_drained = !node.gres_drained.empty();
    if (detail || some_drained)
        record.put("GresDrain", some_drained ? node.gres_drained : "N/A").line();
    if (detail) record.put("GresUsed", or_null(node.gres_used)).line();
    record.put("NodeAddr", node.address)
        .put("NodeHostName", node.hostname)
        .put("Version", or_null(node.version))
        .line();
    if (!node.os.empty()) record.put("OS", node.os).line();
    record.put("RealMemory", mebibytes(node.memory))
        .put("AllocMem", mebibytes(node.allocated_memory));
    record
        .put("FreeMem", "N/A")  // Agents do not report their load yet.

        .put("Sockets", std::to_string(node.sockets))
        .put("Boards", std::to_string(node.boards))
        .line();
}

void print_node(std::ostream& out, const api::NodeRow& node, const ShowOptions& options) {
    ShowRecord record(out, options.one_line);
    put_hardware(record, node, options.detail);
    record.put("State", state_text(node))
        .put("ThreadsPerCore", std::to_string(node.threads_per_core));
    record.put("TmpDisk", mebibytes(node.tmp_disk))
        .put("Weight", std::to_string(node.weight))
        .put("Owner", "N/A")
        .put("MCS_label", "N/A")
        .line();
    record.put("Partitions", join(node.partitions, ",")).line();
    record.put("BootTime", local_time(node.booted_at, "None"))
        .put("SlurmdStartTime", local_time(node.agent_started_at, "None"))
        .line();
    record.put("LastBusyTime", local_time(node.last_busy_at, "Unknown")).line();
    record.put("CfgTRES", node.configured_tres).line();
    record.put("AllocTRES", node.allocated_tres).line();
    record.put("CurrentWatts", "0").put("AveWatts", "0");
    if (!node.reason.empty()) {
        record.line().put("Reason", node.reason + " [" +
                                        (node.reason_by.empty() ? "slurm" : node.reason_by) + "@" +
                                        local_time(node.reason_at, "Unknown") + "]");
    }
    if (!node.comment.empty()) record.line().put("Comment", node.comment);
    if (!node.extra.empty()) record.line().put("Extra", node.extra);
    record.end();
}

}  // namespace

int show_nodes(Client& client, const ShowOptions& options, const std::string& names,
               Streams& streams) {
    const auto nodes = client.nodes();
    if (!nodes) {
        streams.err << "slurm_load_node error: " << slurm_message(nodes.problem()) << '\n';
        return 1;
    }
    if (names.empty() || iequals(names, "ALL")) {
        for (const api::NodeRow& node : *nodes) print_node(streams.out, node, options);
        return 0;
    }
    const auto wanted = expand_hostlist(names);
    int code = wanted.ok() ? 0 : 1;
    for (const std::string& name : wanted.ok() ? wanted.value() : std::vector<std::string>{names}) {
        const auto found = std::ranges::find(*nodes, name, &api::NodeRow::name);
        if (found != nodes->end()) {
            print_node(streams.out, *found, options);
        } else {
            streams.out << "Node " << name << " not found\n";
            code = 1;
        }
    }
    return code;
}

int show_partitions(Client& client, const ShowOptions& options, const std::string& name,
                    Streams& streams) {
    const auto partitions = client.partitions();
    if (!partitions) {
        streams.err << "slurm_load_partitions error: " << slurm_message(partitions.problem())
                    << '\n';
        return 1;
    }
    bool printed = false;
    const bool shows_hidden = options.all || !name.empty() || ::geteuid() == 0;
    for (const api::PartitionRow& partition : *partitions) {
        if (partition.hidden && !shows_hidden) continue;
        if (!name.empty() && partition.name != name) continue;
        print_partition(streams.out, partition, options.one_line);
        printed = true;
    }
    if (!printed && !name.empty()) {
        streams.out << "Partition " << name << " not found\n";
        return 1;
    }
    return 0;
}

int show_config(Client& client, const ShowOptions& options, Streams& streams) {
    const auto config = client.config();
    const auto ping = client.ping();
    if (!config || !ping) {
        streams.err << "slurm_load_ctl_conf error: "
                    << slurm_message(config ? ping.problem() : config.problem()) << '\n';
        return 1;
    }
    streams.out << "Configuration data as of " << local_time(options.now, "") << '\n';
    for (const auto& [key, value] : config->settings) {
        streams.out << key << std::string(key.size() < 23 ? 23 - key.size() : 0, ' ') << " = "
                    << value << '\n';
    }
    streams.out << "SLURM_VERSION           = " << std::string(kVersion).substr(6) << '\n';
    streams.out << "\nSlurmctld(primary) at " << ping->host << " is UP\n";
    return 0;
}

}  // namespace berth::slurm
