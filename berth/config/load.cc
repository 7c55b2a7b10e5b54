#include "berth/config/load.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/model/partition_cpus.h"
#include "berth/policy/policy.h"

namespace berth::config {
namespace {

constexpr int kIncludeDepthMax = 8;

// Slurm's "Include NAME" has no "=": it reads as two words.
const std::string* included_name(const Line& line) {
    if (line.pairs.size() != 2 || line.pairs[0].value || line.pairs[1].value) return nullptr;
    return iequals(line.pairs[0].key, "Include") ? &line.pairs[1].key : nullptr;
}

std::vector<Line> lines_with_includes(Draft& draft, const ConfigText& source,
                                      const ConfigFiles& files, int depth) {
    std::vector<Line> all;
    for (Line& line : parse_lines(source, draft.findings)) {
        const std::string* name = included_name(line);
        if (name == nullptr) {
            all.push_back(std::move(line));
            continue;
        }
        const auto found = std::ranges::find(files.included, *name, &ConfigText::name);
        if (found == files.included.end() || depth >= kIncludeDepthMax) {
            draft.error(line,
                        "Include " + *name + ": there is no such file (or it includes itself)");
            continue;
        }
        for (Line& inner : lines_with_includes(draft, *found, files, depth + 1))
            all.push_back(std::move(inner));
    }
    return all;
}

Loaded load_all(const ConfigFiles& files, const ConfigText* policy_file) {
    Draft draft;
    draft.spec.qos.push_back({.name = "normal"});
    if (files.slurm) draft.slurm_conf = files.slurm->name;
    // The order in which findings are listed, too.
    if (files.slurm) read_slurm_conf(draft, lines_with_includes(draft, *files.slurm, files, 0));
    if (files.berth) read_berth_yaml(draft, *files.berth);
    if (policy_file != nullptr) read_policy(draft, *policy_file);
    if (files.gres) read_gres_conf(draft, parse_lines(*files.gres, draft.findings));
    finish_devices(draft);
    finish_gpu_types(draft);
    finish_parts(draft);
    if (files.cgroup) read_cgroup_conf(draft, parse_lines(*files.cgroup, draft.findings));
    read_topology_conf(
        draft, files.topology ? parse_lines(*files.topology, draft.findings) : std::vector<Line>());
    resolve_partition_nodes(draft);
    if (!count_partition_cpus(draft.spec)) {
        draft.findings.add(Severity::error, draft.slurm_conf, 0,
                           "MaxCPUsPerNode of a partition counts as one kind of GRES: there may be "
                           "30 of both together");
    }
    check_partition_qos(draft);
    read_scheduling_keys(draft);
    read_preempt_keys(draft);
    read_priority_keys(draft);
    add_priority_terms(draft);
    check_priority_classes(draft);
    read_care_keys(draft);
    read_site_keys(draft);
    const auto& plugins = draft.spec.job_submit.plugins;
    if (files.job_submit && std::ranges::find(plugins, "lua") != plugins.end())
        draft.spec.job_submit.script = files.job_submit->text;
    read_notification_keys(draft);
    read_step_keys(draft);
    read_licenses(draft);
    read_flavors(draft);
    read_queues(draft);
    list_settings(draft);
    list_priority_terms(draft);
    const Result<Policy> policy = build_policy(draft.spec);
    if (!policy.ok() && !draft.findings.has_errors()) {
        draft.findings.add(Severity::error, files.berth ? files.berth->name : draft.slurm_conf, 0,
                           policy.error().message);
    }
    draft.findings.sort();
    return {std::move(draft.spec), draft.findings.all(), draft.findings.has_errors()};
}

}  // namespace

Loaded load(const ConfigFiles& files) { return load_all(files, nullptr); }

Loaded load_with_policy(const ConfigFiles& files, const ConfigText& policy) {
    const Findings wrong = check_policy(policy);
    if (wrong.has_errors()) return {{}, wrong.all(), true};
    return load_all(files, &policy);
}

}  // namespace berth::config
