#include "berth/slurm/options/near_options.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/options/option_values.h"

namespace berth::slurm {
namespace {

constexpr std::size_t kNodeFileMost = 16 << 20;

// "node:train,gpu:infer,feature:ib?": beside these, a question mark where that is but preferred.
Status add_affinities(JobDraft& draft, const char* value, bool apart) {
    for (const std::string_view one : split(value, ',')) {
        const std::size_t colon = one.find(':');
        const std::string_view kind = one.substr(0, colon);
        std::string_view name = colon == std::string_view::npos ? "" : one.substr(colon + 1);
        Affinity wish{.apart = apart};
        if (name.ends_with('?')) {
            wish.required = false;
            name.remove_suffix(1);
        }
        wish.name = name;
        if (kind == "node") {
            wish.to = Affinity::To::job_on_node;
        } else if (kind == "gpu") {
            wish.to = Affinity::To::job_on_gpu;
        } else if (kind == "feature") {
            wish.to = Affinity::To::feature;
        }
        const bool known = kind == "node" || kind == "gpu" || kind == "feature";
        if (!known || wish.name.empty()) {
            return invalid_argument(
                "Invalid affinity \"" + std::string(one) +
                "\": write node:JOB, gpu:JOB or feature:NAME, and ? after it where it is "
                "only preferred");
        }
        draft.spec.request.edit().nearness.edit().affinities.push_back(std::move(wish));
    }
    return Done{};
}

// "0*2,1" or "0x3,0xC": numbers, each perhaps with how often.
bool is_gpu_list(std::string_view text, bool masks) {
    for (const std::string_view part : split(text, ',')) {
        const std::size_t star = part.find('*');
        std::string_view number = part.substr(0, star);
        if (star != std::string_view::npos && !parse_positive(part.substr(star + 1))) return false;
        if (masks && starts_with_icase(number, "0x")) number.remove_prefix(2);
        const char* const digits = masks ? "0123456789abcdefABCDEF" : "0123456789";
        if (number.empty() || number.find_first_not_of(digits) != std::string_view::npos)
            return false;
    }
    return true;
}

bool is_gpu_bind(std::string_view text) {
    if (starts_with_icase(text, "verbose,")) text.remove_prefix(8);
    if (iequals(text, "closest") || iequals(text, "none")) return true;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view word = text.substr(0, colon), value = text.substr(colon + 1);
    if (iequals(word, "single") || iequals(word, "per_task"))
        return parse_positive(value).has_value();
    const bool masks = iequals(word, "mask_gpu");
    return (masks || iequals(word, "map_gpu")) && is_gpu_list(value, masks);
}

using HostList = Shared<std::vector<std::string>>;

Status set_names(HostList& target, const std::string& text) {
    const auto names = expand_hostlist(text);
    if (!names.ok()) return invalid_argument("Invalid node name specified: " + text);
    target = names.value();
    return Done{};
}

// Names and lists, by commas, blanks and lines; each node once.
Status set_names_in(HostList& target, const std::string& path) {
    std::ifstream file(path);
    std::string text(kNodeFileMost + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad() || (text.empty() && !std::ifstream(path)) || text.size() > kNodeFileMost)
        return invalid_argument("Unable to read the node file " + path);
    std::ranges::replace_if(text, [](char c) { return c == '\n' || c == ' ' || c == '\t'; }, ',');
    std::string list;
    for (const std::string_view word : split(text, ',')) {
        if (word.empty()) continue;
        list += (list.empty() ? "" : ",");
        list += word;
    }
    if (list.empty()) return invalid_argument("The node file " + path + " names no node");
    BERTH_CHECK(set_names(target, list));
    std::vector<std::string>& names = target.edit();
    std::set<std::string> seen;
    std::erase_if(names, [&](const std::string& name) { return !seen.insert(name).second; });
    return Done{};
}

// As Slurm: with a slash it is a file that has the list.
Status set_hosts(HostList& target, const char* value) {
    const std::string_view text = value;
    const bool is_file = text.find('/') != std::string_view::npos;
    return is_file ? set_names_in(target, value) : set_names(target, value);
}

// A count, or "*" for any.
Status set_least(std::uint32_t& target, std::string_view text, const char* option_name) {
    if (text == "*") {
        target = 0;
        return Done{};
    }
    const auto count = parse_positive(text);
    if (!count) return invalid_number(std::string(text).c_str(), option_name);
    target = *count;
    return Done{};
}

NodeShape& shape_of(JobDraft& draft) { return draft.spec.request.edit().nearness.edit().node; }

}  // namespace

Status set_exclude(JobDraft& draft, const char* value) {
    return set_hosts(draft.spec.request.edit().exclude, value);
}
Status set_nodefile(JobDraft& draft, const char* value) {
    return set_names_in(draft.spec.request.edit().nodelist, value);
}
Status set_nodelist(JobDraft& draft, const char* value) {
    return set_hosts(draft.spec.request.edit().nodelist, value);
}

Status set_node_shape(JobDraft& draft, const char* value) {
    const auto parts = split(value, ':');
    if (parts.size() > 3) return invalid_argument("Invalid --extra-node-info specification");
    draft.of_cpus.note_instead_of_hint();
    NodeShape& shape = shape_of(draft);
    std::uint32_t* const targets[] = {&shape.sockets, &shape.cores_per_socket,
                                      &shape.threads_per_core};
    for (std::size_t i = 0; i < parts.size(); ++i)
        BERTH_CHECK(set_least(*targets[i], parts[i], "extra-node-info"));
    return Done{};
}
Status set_sockets(JobDraft& draft, const char* value) {
    return set_least(shape_of(draft).sockets, value, "sockets-per-node");
}
Status set_cores_per_socket(JobDraft& draft, const char* value) {
    return set_least(shape_of(draft).cores_per_socket, value, "cores-per-socket");
}
Status set_threads_per_core(JobDraft& draft, const char* value) {
    draft.of_cpus.note_instead_of_hint();
    return set_least(shape_of(draft).threads_per_core, value, "threads-per-core");
}
Status set_tmp_disk(JobDraft& draft, const char* value) {
    const auto size = parse_size(value);
    if (!size.ok()) return invalid_argument("Invalid --tmp specification");
    shape_of(draft).tmp_disk = size.value();
    return Done{};
}

// Each feature for itself: of "ib&ssd" a node that has but one is better than one that has none.
Status set_prefer(JobDraft& draft, const char* value) {
    BERTH_TRY(const std::vector<std::string> names, preferred_features(value));
    if (names.empty()) return invalid_argument("Invalid --prefer specification");
    for (const std::string& name : names) {
        draft.spec.request.edit().nearness.edit().affinities.push_back(
            {.to = Affinity::To::feature, .name = name, .required = false});
    }
    return Done{};
}

Status set_exclusive(JobDraft& draft, const char* value) {
    const bool is_whole = value == nullptr || iequals(value, "exclusive");  // As the variable says.
    if (!is_whole && !iequals(value, "user") && !iequals(value, "mcs") && !iequals(value, "topo"))
        return invalid_argument("Invalid --exclusive specification");
    if (!is_whole) {
        return Error{ErrorCode::failed_precondition, "--exclusive=" + std::string(value) +
                                                         " is not supported yet; --exclusive and "
                                                         "--exclusive=exclusive are"};
    }
    draft.spec.request.edit().exclusive = true;
    draft.spec.request.edit().oversubscribe = false;
    return Done{};
}

// The last of both counts.
Status set_oversubscribe(JobDraft& draft, const char*) {
    draft.spec.request.edit().oversubscribe = true;
    draft.spec.request.edit().exclusive = false;
    return Done{};
}

Status set_gpu_bind(JobDraft& draft, const char* value) {
    if (!is_gpu_bind(value)) {
        return invalid_argument("Invalid --gpu-bind argument: " + std::string(value) +
                                " (write closest, none, single:N, per_task:N, map_gpu:0,1 or "
                                "mask_gpu:0x1,0x2)");
    }
    draft.spec.command.edit().gpu_bind = value;
    return Done{};
}

Status set_affinity(JobDraft& draft, const char* value) {
    return add_affinities(draft, value, false);
}
Status set_anti_affinity(JobDraft& draft, const char* value) {
    return add_affinities(draft, value, true);
}

Status set_switches(JobDraft& draft, const char* value) {
    const auto parts = split(value, '@');
    const auto count = parse_positive(std::string(parts[0]).c_str());
    if (!count || parts.size() > 2) return invalid_argument("Invalid --switches specification");
    TopologyConstraint& near = draft.spec.request.edit().nearness.edit();
    near.switches = count;
    if (parts.size() == 1) return Done{};
    const auto wait = parse_time_limit(parts[1]);
    if (!wait.ok()) return invalid_argument("Invalid --switches specification");
    near.switches_wait = wait.value().value_or(Duration::max());
    return Done{};
}

Status set_switches_wait(JobDraft& draft, const char* value) {
    const auto wait = parse_time_limit(value);
    if (!wait.ok())
        return invalid_argument("Invalid time to wait for switches: " + std::string(value));
    draft.spec.request.edit().nearness.edit().switches_wait = wait->value_or(Duration::max());
    return Done{};
}

Status set_segment(JobDraft& draft, const char* value) {
    const auto count = parse_positive(value);
    if (!count) return invalid_argument("Invalid --segment specification");
    draft.spec.request.edit().nearness.edit().segment = count;
    return Done{};
}

Status set_gpu_memory(JobDraft& draft, const char* value) {
    const auto size = parse_size(value);
    if (!size.ok()) return invalid_argument("Invalid --gpu-memory specification");
    draft.spec.request.edit().nearness.edit().gpu_memory_min = size.value();
    return Done{};
}

Status set_compute_capability(JobDraft& draft, const char* value) {
    const auto parts = split(value, '.');
    const auto major = parse_int64(parts[0]);
    const auto minor = parts.size() > 1 ? parse_int64(parts[1]) : Result<std::int64_t>(0);
    const bool fine = parts.size() <= 2 && major.ok() && minor.ok() && major.value() > 0 &&
                      major.value() < 100 && minor.value() >= 0 && minor.value() < 10;
    if (!fine)
        return invalid_argument("Invalid --compute-capability specification: write it as in 8.0");
    draft.spec.request.edit().nearness.edit().compute_capability_min =
        static_cast<std::uint32_t>(major.value() * 10 + minor.value());
    return Done{};
}

}  // namespace berth::slurm
