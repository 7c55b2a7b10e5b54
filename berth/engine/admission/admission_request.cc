// Admission: normalises a request and checks that every number is within bounds.
#include <algorithm>
#include <set>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/placement/features.h"
#include "berth/engine/placement/gpu_counts.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/gres_lists.h"

namespace berth {
namespace {

// A number above these is a mistake, and sums of such numbers could overflow.
constexpr std::uint32_t kRequestCountMax = 1'000'000;
constexpr Bytes kMemoryMax = gib(1 << 20);
constexpr std::size_t kGresKindsMax = 32;
// A longer limit means no limit.
constexpr Duration kTimeLimitMax = std::chrono::hours(24 * 365 * 10);

Objection check_count(std::string_view option, std::optional<std::uint32_t> count) {
    if (!count || (*count >= 1 && *count <= kRequestCountMax)) return std::nullopt;
    return refuse_invalid(std::string(option) + " is " + std::to_string(*count) +
                          "; it can be 1 to " + std::to_string(kRequestCountMax));
}

Objection check_memory_count(std::string_view option, std::optional<Bytes> memory) {
    if (!memory || (*memory >= Bytes(0) && *memory <= kMemoryMax)) return std::nullopt;
    return refuse_invalid(std::string(option) + " is " + std::to_string(memory->count()) +
                          " bytes; it can be 0 (all) to 1 PiB");
}

Objection check_numbers(const JobRequest& request) {
    if (auto no = check_count("the number of nodes", request.nodes_min)) return no;
    if (auto no = check_count("the largest number of nodes", request.nodes_max)) return no;
    if (auto no = check_count("the number of tasks", request.tasks)) return no;
    if (auto no = check_count("tasks per node", request.tasks_per_node)) return no;
    if (auto no = check_count("CPUs per task", request.cpus_per_task)) return no;
    if (auto no = check_memory_count("memory per node", request.memory_per_node)) return no;
    if (auto no = check_memory_count("memory per CPU", request.memory_per_cpu)) return no;
    if (request.memory_per_node && request.memory_per_cpu) {
        return refuse_invalid("memory per node and memory per CPU: say one of them");
    }
    if (request.nodes_max && *request.nodes_max < request.nodes_min) {
        return refuse_invalid("at least " + std::to_string(request.nodes_min) + " and at most " +
                              std::to_string(*request.nodes_max) +
                              " nodes: the first is the larger");
    }
    if (request.max_wait && *request.max_wait <= Duration::zero()) {
        return refuse_invalid("the longest wait (max_wait) must be above zero");
    }
    return std::nullopt;
}

Objection check_gres_list(const ClusterSpec& spec, const std::vector<GresRequest>& requests) {
    if (requests.size() > kGresKindsMax)
        return refuse_invalid("more than 32 kinds of GRES in one list");
    for (const GresRequest& request : requests) {
        const std::int64_t most = request.name == "gpumem" ? kMemoryMax.count() : kRequestCountMax;
        if (request.count < 0 || request.count > most) {
            return Refusing{.why = Refusal::unknown_gres,
                            .message = request.name + " is asked for " +
                                       std::to_string(request.count) + " times; it can be 0 to " +
                                       std::to_string(most)};
        }
        if (!spec.dimensions.knows_name(request.name) || request.name == "cpu" ||
            request.name == "mem" || request.name == Dimension::kPartitionCpus) {
            return Refusing{.why = Refusal::unknown_gres,
                            .message = "no node has a GRES of the name '" + request.name +
                                       "'; the nodes have " + known_gres(spec)};
        }
    }
    return std::nullopt;
}

Objection check_gres(const ClusterSpec& spec, const JobRequest& request) {
    for (const auto* list : gres_lists(request)) {
        if (auto no = check_gres_list(spec, *list)) return no;
    }
    if (names_gpus(request.gres_per_node) && names_gpus(request.gpus_per_node)) {
        return refuse_invalid(
            "GPUs per node are given by --gres and by --gpus-per-node: say one of them");
    }
    if (const auto counts = gpu_counts(request); !counts.ok()) {
        return Refusing{.why = Refusal::unknown_gres, .message = counts.error().message};
    }
    std::int64_t total = 0;
    for (const GresRequest& gpus : request.gpus) total += gpus.count;
    if (names_gpus(request.gpus) && total < request.nodes_min) {
        return Refusing{.why = Refusal::unknown_gres,
                        .message = std::to_string(total) + " GPUs over " +
                                   std::to_string(request.nodes_min) +
                                   " nodes: each node needs at least one"};
    }
    return std::nullopt;
}

// A list for a message: cut, for a site may have thousands of names.
std::string there_are(std::string names) {
    constexpr std::size_t kLongest = 300;
    if (names.size() > kLongest) names = names.substr(0, names.rfind(',', kLongest)) + ", ...";
    return "; there are: " + (names.empty() ? "none" : names);
}

std::string names_of_nodes(const ClusterSpec& spec) {
    std::vector<std::string> names;
    for (const NodeSpec& node : spec.nodes) {
        if (!node.gone) names.push_back(node.name);
    }
    return compress_hostlist(std::move(names));
}

std::string names_of_features(const ClusterSpec& spec) {
    std::set<std::string> names;
    for (const NodeSpec& node : spec.nodes) {
        if (!node.gone) names.insert(node.features.begin(), node.features.end());
    }
    return join(std::vector(names.begin(), names.end()), ", ");
}

// Expands "gpu[1-3]" and "gpu1" to plain names of existing nodes.
Objection expand_nodes(const ClusterSpec& spec, Shared<std::vector<std::string>>& list) {
    std::vector<std::string> names;
    for (const std::string& item : list) {
        const auto expanded = expand_hostlist(item);
        if (!expanded.ok()) {
            return Refusing{.why = Refusal::invalid_node_list, .message = expanded.error().message};
        }
        for (const std::string& name : *expanded) {
            const auto node = spec.find_node(name);
            if (!node || spec.node(*node).gone) {
                return Refusing{
                    .why = Refusal::invalid_node_list,
                    .message = "there is no node '" + name + "'" + there_are(names_of_nodes(spec)),
                    .details = {"invalid node name specified: " + name}};
            }
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
        if (names.size() > kHostsMax) return refuse_invalid("a node list is too long");
    }
    list = std::move(names);
    return std::nullopt;
}

Objection check_nodes(const ClusterSpec& spec, JobRequest& request) {
    if (auto no = expand_nodes(spec, request.nodelist)) return no;
    if (auto no = expand_nodes(spec, request.exclude)) return no;
    for (const std::string& name : request.nodelist) {
        if (std::find(request.exclude.begin(), request.exclude.end(), name) !=
            request.exclude.end()) {
            return Refusing{.why = Refusal::invalid_node_list,
                            .message = "node " + name + " is both wanted and excluded"};
        }
    }
    // If there are more names than nodes, the last names are dropped, as in Slurm.
    const std::uint32_t most = request.nodes_max.value_or(request.nodes_min);
    if (request.nodes_given && request.nodelist.size() > most) request.nodelist.edit().resize(most);
    return std::nullopt;
}

Objection check_constraint(const ClusterSpec& spec, const std::string& constraint) {
    if (constraint.empty()) return std::nullopt;
    const auto features = FeatureExpression::parse(constraint);
    if (!features.ok()) {
        return Refusing{.why = Refusal::invalid_feature, .message = features.error().message};
    }
    for (const std::string& name : features->names()) {
        const auto has_it = [&](const NodeSpec& node) {
            return std::find(node.features.begin(), node.features.end(), name) !=
                   node.features.end();
        };
        if (std::none_of(spec.nodes.begin(), spec.nodes.end(), has_it)) {
            return Refusing{.why = Refusal::invalid_feature,
                            .message = "no node has the feature '" + name + "'" +
                                       there_are(names_of_features(spec))};
        }
    }
    return std::nullopt;
}

}  // namespace

std::string known_gres(const ClusterSpec& spec) {
    std::vector<std::string> names;
    for (const DimensionId d : spec.dimensions.gres()) {
        const Dimension& one = spec.dimensions.at(d);
        names.push_back(one.type.empty() ? one.name : one.name + ":" + one.type);
    }
    return names.empty() ? "none" : join(names, ", ");
}

Objection normalise_request(const ClusterSpec& spec, JobRequest& request) {
    if (auto no = check_numbers(request)) return no;
    if (request.nodes_given && request.tasks && request.nodes_min > *request.tasks) {
        // Every node needs a task. Slurm's commands print a warning.
        request.nodes_min = *request.tasks;
        request.nodes_max = request.tasks;
    }
    if (auto no = check_gres(spec, request)) return no;
    if (auto no = check_nodes(spec, request)) return no;
    return check_constraint(spec, request.constraint);
}

Objection resolve_time_limit(const ClusterSpec& spec, Job& job) {
    if (const std::optional<Duration> asked = job.spec.request->time_limit) {
        if (*asked < Duration::zero()) {
            return Refusing{.why = Refusal::time_limit_too_long,
                            .message = "the time limit is negative"};
        }
        const bool endless = *asked == Duration::zero() || *asked > kTimeLimitMax;
        job.time_limit = endless ? Duration::max() : round_up_to_minute(*asked);
        if (job.time_limit != *asked) job.spec.request.edit().time_limit = job.time_limit;
        return std::nullopt;
    }
    job.time_limit = default_time_limit(spec, job.partition, job.qos);
    return std::nullopt;
}

Objection check_partition_limits(const ClusterSpec& spec, const Job& job) {
    if (spec.scheduling.enforce_part_limits == "NO") return std::nullopt;
    const PartitionSpec& partition = spec.partition(job.partition);
    if (partition.max_time && job.time_limit > *partition.max_time) {
        return Refusing{.why = Refusal::time_limit_too_long,
                        .message = "the time limit is above partition " + partition.name +
                                   "'s MaxTime of " + format_duration(*partition.max_time)};
    }
    const std::uint32_t most = std::min(partition.max_nodes.value_or(UINT32_MAX),
                                        static_cast<std::uint32_t>(partition.nodes.size()));
    const JobRequest& request = job.spec.request;
    if (request.nodes_min > most || request.nodes_max.value_or(UINT32_MAX) < partition.min_nodes) {
        return Refusing{.why = Refusal::too_many_nodes,
                        .message = "partition " + partition.name + " takes jobs of " +
                                   std::to_string(std::max(partition.min_nodes, 1U)) + " to " +
                                   std::to_string(most) + " nodes"};
    }
    Demand demand = amounts_of(spec, job);
    if (limits_tasks(demand.near)) demand.choices = {shaped_nodes(spec, job)};
    if (!exceeds_node_memory(spec, partition, demand)) return std::nullopt;
    return Refusing{.why = Refusal::memory_over_limit,
                    .message = format_size(memory_on_fullest(spec, demand)) +
                               " of memory on one node; partition " + partition.name + " allows " +
                               format_size(*partition.max_memory_per_node) + " (MaxMemPerNode)"};
}

}  // namespace berth
