#include "berth/testing/scenario_submit.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/engine/admission/reservation_choice.h"
#include "berth/model/oversubscribe.h"

namespace berth::testing {
namespace {

constexpr std::pair<const char*, DependencyKind> kDependencies[] = {
    {"after", DependencyKind::after},         {"afterany", DependencyKind::afterany},
    {"afterok", DependencyKind::afterok},     {"afternotok", DependencyKind::afternotok},
    {"aftercorr", DependencyKind::aftercorr},
};

std::uint32_t uint_of(std::string_view text) {
    return static_cast<std::uint32_t>(parse_int64(text).value());
}

std::optional<std::uint32_t> uint_of(const ScenarioWords& words, const std::string& name) {
    const auto found = words.number(name);
    if (!found) return std::nullopt;
    return static_cast<std::uint32_t>(*found);
}

// "2" or "a100:2"
GresRequest read_gres(const std::string& name, const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return {name, "", parse_int64(text).value()};
    return {name, text.substr(0, colon), parse_int64(text.substr(colon + 1)).value()};
}

void add_gres(const ScenarioWords& words, const std::string& option, const std::string& name,
              std::vector<GresRequest>& to) {
    const auto found = words.text(option);
    if (!found) return;
    for (const std::string_view one : split(*found, ',')) {
        to.push_back(read_gres(name, std::string(one)));
    }
}

// "0-9%2" or "1,5"
ArraySpec read_array(const std::string& text) {
    ArraySpec array;
    const auto parts = split(text, '%');
    if (parts.size() > 1) array.max_running = uint_of(parts[1]);
    for (const std::string_view range : split(parts[0], ',')) {
        const auto ends = split(range, '-');
        for (std::uint32_t i = uint_of(ends.front()); i <= uint_of(ends.back()); ++i) {
            array.tasks.push_back(i);
        }
    }
    return array;
}

void read_nodes(const ScenarioWords& words, JobRequest& request) {
    const auto text = words.text("nodes");
    if (!text) return;
    const auto ends = split(*text, '-');
    request.nodes_min = uint_of(ends.front());
    if (ends.size() > 1) request.nodes_max = uint_of(ends.back());
    request.nodes_given = true;
}

// "12", "12_3" or "12+5"
Dependency read_dependency(DependencyKind kind, std::string_view text) {
    Dependency dependency{.kind = kind};
    const auto delayed = split(text, '+');
    if (delayed.size() > 1) dependency.delay = std::chrono::minutes(uint_of(delayed[1]));
    const auto parts = split(delayed[0], '_');
    dependency.job = JobId(uint_of(parts[0]));
    if (parts.size() > 1) dependency.array_task = uint_of(parts[1]);
    return dependency;
}

void read_dependencies(const ScenarioWords& words, JobSpec& spec) {
    for (const auto& [name, kind] : kDependencies) {
        const auto text = words.text(name);
        if (!text) continue;
        for (const std::string_view one : split(*text, ',')) {
            spec.dependencies.edit().push_back(read_dependency(kind, one));
        }
    }
    if (words.has("singleton")) {
        spec.dependencies.edit().push_back({.kind = DependencyKind::singleton});
    }
    spec.any_dependency = words.has("any");
}

// "switches=1" or "switches=1@10", in minutes.
void read_nearness(const ScenarioWords& words, TopologyConstraint& near) {
    if (const auto switches = words.text("switches")) {
        const auto parts = split(*switches, '@');
        near.switches = uint_of(parts[0]);
        if (parts.size() > 1) near.switches_wait = std::chrono::minutes(uint_of(parts[1]));
    }
    near.segment = uint_of(words, "segment");
    near.contiguous = words.has("contiguous");
    near.spread = words.has("spread");
    near.pack = words.has("pack");
    near.compact = words.has("compact");
    for (const bool apart : {false, true}) {
        const auto wishes = words.text(apart ? "apart" : "beside");
        if (!wishes) continue;
        for (std::string_view one : split(*wishes, ',')) {  // "node:a", "gpu:a?"
            Affinity wish{.apart = apart, .required = !one.ends_with('?')};
            if (!wish.required) one.remove_suffix(1);
            wish.to = one.starts_with("gpu:")    ? Affinity::To::job_on_gpu
                      : one.starts_with("node:") ? Affinity::To::job_on_node
                                                 : Affinity::To::feature;
            wish.name = one.substr(one.find(':') + 1);
            near.affinities.push_back(std::move(wish));
        }
    }
    near.gpu_memory_min = words.size("gpu_memory").value_or(Bytes(0));
    near.compute_capability_min = uint_of(words, "capability").value_or(0);
    near.node = {.sockets = uint_of(words, "sockets").value_or(0),
                 .cores_per_socket = uint_of(words, "cores").value_or(0),
                 .threads_per_core = uint_of(words, "threads").value_or(0),
                 .tmp_disk = words.size("tmp").value_or(Bytes(0))};
    near.fewest_nodes = words.has("use_min_nodes");
    near.layout.per_socket = uint_of(words, "tasks_per_socket").value_or(0);
    near.layout.per_core = uint_of(words, "tasks_per_core").value_or(0);
    near.layout.gpus_per_socket = uint_of(words, "gpus_per_socket").value_or(0);
    near.layout.overcommit = words.has("overcommit");
    if (words.has("over_sockets")) near.layout.over_sockets = CoreOrder::cyclic;
}

JobRequest read_request(const ScenarioWords& words) {
    JobRequest request;
    read_nodes(words, request);
    request.tasks = uint_of(words, "tasks");
    request.tasks_per_node = uint_of(words, "tasks_per_node");
    request.cpus_per_task = uint_of(words, "cpus");
    request.memory_per_node = words.size("mem");
    request.memory_per_cpu = words.size("mem_per_cpu");
    add_gres(words, "gpus", "gpu", request.gpus_per_node.edit());
    add_gres(words, "total_gpus", "gpu", request.gpus.edit());
    add_gres(words, "gpus_per_task", "gpu", request.gpus_per_task.edit());
    add_gres(words, "fpga", "fpga", request.gres_per_node.edit());
    add_gres(words, "mps", "mps", request.gres_per_node.edit());
    add_gres(words, "shard", "shard", request.gres_per_node.edit());
    if (const auto memory = words.size("gpumem")) {
        request.gres_per_node.edit().push_back(
            {.name = "gpumem", .type = {}, .count = memory->count()});
    }
    request.exclusive = words.has("exclusive");
    request.oversubscribe = words.has("share");
    request.nodelist = words.hosts("nodelist");
    request.exclude = words.hosts("exclude");
    request.constraint = words.text("constraint").value_or("");
    request.time_limit = words.duration("t");
    request.max_wait = words.duration("max_wait");
    read_nearness(words, request.nearness.edit());
    if (const auto licenses = words.text("licenses")) {
        request.licenses = parse_licenses(*licenses).value();
    }
    request.reservation = words.text("reservation").value_or("");
    return request;
}

}  // namespace

JobSpec read_submission(const ScenarioWords& words, Time now) {
    JobSpec spec;
    spec.name = words.text("name").value_or("job");
    spec.partition = words.text("partition").value_or("");
    spec.qos = words.text("qos").value_or("");
    spec.request = read_request(words);
    read_dependencies(words, spec);
    if (const auto begin = words.duration("begin")) spec.begin = now + *begin;
    if (const auto array = words.text("array")) spec.array = read_array(*array);
    if (const auto deadline = words.duration("deadline")) spec.deadline = now + *deadline;
    spec.time_min = words.duration("time_min");
    spec.account = words.text("account").value_or("");
    spec.hold = words.has("hold");
    spec.nice = static_cast<std::int32_t>(words.number("nice").value_or(0));
    spec.priority = uint_of(words, "priority");
    if (const auto file = words.text("checkpoint")) spec.command.edit().checkpoint = *file;
    if (const auto kill = words.text("kill"))
        spec.command.edit().kill_on_invalid_dep = *kill == "yes";
    return spec;
}

NodeOptions read_node(const ScenarioWords& words) {
    NodeOptions options;
    options.gpus = uint_of(words, "gpus").value_or(options.gpus);
    options.gpu_type = words.text("type").value_or(options.gpu_type);
    options.sockets = uint_of(words, "sockets").value_or(options.sockets);
    options.cores_per_socket = uint_of(words, "cores").value_or(options.cores_per_socket);
    options.threads_per_core = uint_of(words, "threads").value_or(1);
    options.memory = words.size("mem").value_or(options.memory);
    options.weight = uint_of(words, "weight").value_or(1);
    const std::string links = words.text("links").value_or("fours");
    options.links = links == "none" ? Links::none : links == "all" ? Links::all : Links::fours;
    const auto features = words.text("features");
    if (features) {
        for (const std::string_view one : split(*features, ',')) options.features.emplace_back(one);
    }
    if (const auto fpga = words.number("fpga")) options.counted.emplace_back("fpga", *fpga);
    options.switch_path = words.text("switch").value_or("");
    options.block = words.text("block").value_or("");
    options.gpu_memory = words.size("gpu_memory").value_or(Bytes(0));
    options.capability = uint_of(words, "capability").value_or(0);
    for (const char* const kind : {"mps", "shard"}) {
        if (const auto parts = words.number(kind)) options.parts.emplace_back(kind, *parts);
    }
    if (const auto memory = words.size("gpumem")) {
        options.parts.emplace_back("gpumem", memory->count());
    }
    return options;
}

void read_planning(const ScenarioWords& words, PlanningSpec& planning) {
    const auto set_count = [&](const char* name, std::uint32_t& count) {
        count = uint_of(words, name).value_or(count);
    };
    const auto set_length = [&](const char* name, Duration& length) {
        length = words.duration(name).value_or(length);
    };
    set_count("user_depth", planning.depth_per_user);
    set_count("partition_depth", planning.depth_per_partition);
    set_count("user_partition_depth", planning.depth_per_user_and_partition);
    set_count("association_depth", planning.depth_per_association);
    set_count("starts", planning.starts_max);
    set_length("min_age", planning.min_age);
    set_length("starts_pause", planning.starts_pause);
    set_length("cycle_pause", planning.cycle_pause);
    set_length("submission_wait", planning.submission_wait);
    set_length("hold_after", planning.hold_after);
    planning.min_priority = words.number("min_priority").value_or(planning.min_priority);
    if (const auto most = words.duration("switches_wait_max")) planning.switches_wait_max = most;
}

Reservation read_reservation(const ScenarioWords& words, const ClusterSpec& spec, Time now) {
    Reservation made{.name = words.plain.front()};
    made.start = now + words.duration("start").value_or(Duration{});
    made.end = made.start + words.duration("length").value_or(std::chrono::hours(1));
    const auto gpus = words.number("gpus");
    made.whole_nodes = !gpus;
    for (const std::string& name : words.hosts("nodes")) {
        const NodeId node = *spec.find_node(name);
        Resources amount = spec.node(node).capacity;
        if (gpus) amount = share_for_gpus(spec, spec.node(node), *gpus);
        made.amounts.emplace_back(node, amount);
    }
    made.users = words.list("users");
    made.accounts = words.list("accounts");
    made.maint = words.has("maint");
    made.flex = words.has("flex");
    made.overlap = words.has("overlap");
    made.hold_jobs_after = !words.has("no_hold_after");
    const std::string every = words.text("every").value_or("");
    made.repeat = every == "hour"      ? Repeat::hourly
                  : every == "day"     ? Repeat::daily
                  : every == "week"    ? Repeat::weekly
                  : every == "weekday" ? Repeat::weekday
                  : every == "weekend" ? Repeat::weekend
                                       : Repeat::never;
    return made;
}

std::optional<PreemptMode> read_preempt_mode(const ScenarioWords& words) {
    const auto mode = words.text("mode");
    if (!mode) return std::nullopt;
    const auto known = parse_preempt_mode(*mode);
    return known.ok() ? known->mode : PreemptMode::off;
}

PartitionSpec read_partition(const ScenarioWords& words, const ClusterSpec& spec) {
    PartitionSpec partition{.name = words.plain.front()};
    partition.is_default = words.has("default");
    partition.exclusive = words.has("exclusive");
    if (const auto sharing = words.text("share"))
        partition.oversubscribe = parse_oversubscribe(*sharing).value();
    if (words.has("force")) partition.oversubscribe = PartitionSpec::kForceOne;
    std::vector<NodeId>& nodes = partition.nodes.edit();
    for (const std::string& name : words.hosts("nodes")) nodes.push_back(*spec.find_node(name));
    if (!words.text("nodes")) {
        for (std::size_t n = 0; n < spec.nodes.size(); ++n) nodes.push_back(NodeId::from_index(n));
    }
    std::ranges::sort(nodes);
    partition.max_time = words.duration("max_time");
    partition.default_time = words.duration("default_time");
    partition.max_nodes = uint_of(words, "max_nodes");
    partition.min_nodes = uint_of(words, "min_nodes").value_or(0);
    partition.max_cpus_per_node = uint_of(words, "max_cpus_per_node");
    partition.priority_tier = words.number("tier").value_or(1);
    partition.priority_job_factor = words.number("factor").value_or(1);
    partition.preempt_mode = read_preempt_mode(words);
    partition.grace_time = std::chrono::seconds(words.number("grace").value_or(0));
    partition.qos = words.text("qos").value_or("");
    partition.disable_root_jobs = words.has("no_root");
    partition.requires_reservation = words.has("needs_reservation");
    const std::string state = words.text("state").value_or("up");
    partition.state = state == "down"       ? PartitionState::down
                      : state == "inactive" ? PartitionState::inactive
                      : state == "drain"    ? PartitionState::drain
                                            : PartitionState::up;
    return partition;
}

}  // namespace berth::testing
