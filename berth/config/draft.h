// Draft: the ClusterSpec while it is being read from the files, and what there is to say about
// them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/config/finding.h"
#include "berth/config/lines.h"
#include "berth/model/cluster_spec.h"

namespace berth::config {

// A GRES as a node line names it: "gpu:a100:8".
struct NodeGres {
    std::string name, type;
    std::int64_t count = 1;
};

// What is known of a GPU type.
struct GpuType {
    Bytes memory;
    std::uint32_t compute_capability = 0;  // In tenths.
};

// A NodeSet line: nodes by name, and all that have one of its features.
struct NodeSet {
    Line line;
    std::string nodes;  // A host list; may be empty.
    std::vector<std::string> features;
};

// What berth.yaml says, where slurm.conf has a word in it, too.
struct YamlSettings {
    std::optional<bool> enforce_limits;
    std::vector<RuleSpec> priority_terms;
    Line preemption, priority_classes;
    std::map<std::string, Line> qos_preempts;    // Where it says whom a QOS preempts.
    std::map<std::string, Line> preempt_always;  // Where a priority class has PreemptAlways.
    std::vector<std::pair<std::string, Line>> queues, flavors;  // By name, as it says.
};

struct Draft {
    ClusterSpec spec;
    Findings findings;
    std::map<std::string, Pair, std::less<>> globals;  // slurm.conf's single keys, in lower case.
    std::set<std::string> gres_types;
    std::map<std::string, std::size_t> gres_type_lines;
    std::vector<std::vector<NodeGres>> node_gres;  // By node, as its line says.
    std::map<std::string, GpuType> gpu_types;      // By type.
    std::optional<std::pair<Line, Pair>> auto_detect;
    std::vector<Line> part_lines;  // Of gres.conf, about parts of GPUs.
    std::map<std::string, NodeSet, std::less<>> node_sets;
    std::vector<Line> switches;  // SwitchName lines, wherever they stood.
    std::vector<std::pair<Line, std::optional<Pair>>>
        partition_nodes;  // By partition: its line, its Nodes=.
    YamlSettings yaml;
    std::string slurm_conf = "slurm.conf";

    void error(const Line& line, const Pair& pair, std::string message) {
        findings.add(Severity::error, line.file, pair.line, std::move(message));
    }
    void error(const Line& line, std::string message) {
        findings.add(Severity::error, line.file, line.number, std::move(message));
    }
    void warning(const Line& line, std::string message) {
        findings.add(Severity::warning, line.file, line.number, std::move(message));
    }
    void warning(const Line& line, const Pair& pair, std::string message) {
        findings.add(Severity::warning, line.file, pair.line, std::move(message));
    }
    void note(const Line& line, const Pair& pair, std::string message) {
        findings.add(Severity::note, line.file, pair.line, std::move(message));
    }
    // Of a slurm.conf key: its value, or nullptr.
    const Pair* global(std::string_view lower_case_key) const {
        const auto found = globals.find(lower_case_key);
        return found == globals.end() ? nullptr : &found->second;
    }
};

// One reader for each kind of line or file; each adds to the draft.
void read_slurm_conf(Draft& draft, const std::vector<Line>& lines);
// Why a mode of preemption that is there is refused.
std::string checkpoint_in_yaml(const Pair& pair);
void read_node_line(Draft& draft, const Line& line, Line& defaults);
void read_partition_line(Draft& draft, const Line& line, Line& defaults);
void read_node_set_line(Draft& draft, const Line& line);
void resolve_partition_nodes(Draft& draft);
void check_partition_qos(Draft& draft);
void read_scheduling_keys(Draft& draft);
// After all partitions and QOS.
void read_preempt_keys(Draft& draft);
void check_priority_classes(Draft& draft);  // priority_classes.cc
void read_flavors(Draft& draft);            // flavors.cc. After all nodes.
// queues.cc. After all nodes, flavors, accounts and licenses.
void read_queues(Draft& draft);
void read_priority_keys(Draft& draft);
// Whether berth.yaml's priority: can give this term a weight.
bool is_weighed(std::string_view term);
// berth.yaml's priority: stands above slurm.conf's weights, so it comes after them.
void add_priority_terms(Draft& draft);
// The weights as they are now, among the settings that `scontrol show config` lists.
void list_priority_terms(Draft& draft);
void read_care_keys(Draft& draft);
void read_site_keys(Draft& draft);
void read_step_keys(Draft& draft);
// hook_keys.cc. Of slurm.conf's lines, since Prolog= and Epilog= may stand there several times.
void read_notification_keys(Draft& draft);  // notifications.cc
void read_hook_keys(Draft& draft, const std::vector<Line>& lines);
void read_slurmctld_parameters(Draft& draft, const std::vector<Line>& lines);
void read_licenses(Draft& draft);
void read_gres_conf(Draft& draft, const std::vector<Line>& lines);
void finish_devices(Draft& draft);
// gpu_parts.cc. True: the line is about parts of GPUs that some node has, and kept for the end.
bool note_parts(Draft& draft, const Line& line, const std::string& name);
void finish_parts(Draft& draft);
void finish_gpu_types(Draft& draft);
void read_cgroup_conf(Draft& draft, const std::vector<Line>& lines);
void read_topology_conf(Draft& draft, const std::vector<Line>& lines);
// `is_policy`: it may say nothing about nodes and people.
void read_berth_yaml(Draft& draft, const ConfigText& source, bool is_policy = false);
// policy_file.cc
Findings check_policy(const ConfigText& policy);
void read_policy(Draft& draft, const ConfigText& policy);
void list_settings(Draft& draft);

// "CPU=1.0,Mem=0.25G,GRES/gpu=2.0"; what is wrong in it is found and left out.
std::vector<TresWeight> read_tres_weights(Draft& draft, const Line& line, const Pair& pair);

// "8", "1K"; nullopt if it is not a whole number ≥ 0.
std::optional<std::int64_t> parse_count(std::string_view text);

// A pair's whole number within [low, high]; otherwise a finding, and `otherwise`.
std::int64_t number_or(Draft& draft, const Line& line, const Pair& pair, std::int64_t low,
                       std::int64_t high, std::int64_t otherwise);

}  // namespace berth::config
