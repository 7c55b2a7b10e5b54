#include "berth/slurm/admin/scontrol_update.h"

#include <algorithm>
#include <array>

#include "berth/base/bitmask.h"
#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/node.h"
#include "berth/slurm/admin/scontrol_reservation.h"
#include "berth/slurm/text/argument_text.h"

namespace berth::slurm {
namespace {

// Of Slurm's keys of nodes that are not ours; nullptr: it is none.
const char* why_not_of_nodes(const std::string& key) {
    if (iequals(key, "CpuBind")) return "jobs say how they are bound: srun --cpu-bind";
    if (iequals(key, "CertToken")) return "an agent's certificate is made by berth-agent join";
    if (iequals(key, "InstanceId") || iequals(key, "InstanceType"))
        return "say it in Comment or Extra";
    if (iequals(key, "ResumeAfter")) return "say State=RESUME when it is time";
    if (iequals(key, "Topology")) return "set it in topology.conf, and reconfigure";
    if (iequals(key, "Gres")) return "set it in slurm.conf or gres.conf, and reconfigure";
    if (iequals(key, "NodeAddr") || iequals(key, "NodeHostName"))
        return "the node's agent tells where it is when it registers";
    return nullptr;
}

Status set_node_key(api::NodePatch& node, const std::string& key, const std::string& value) {
    if (iequals(key, "State")) {
        const bool known = std::ranges::any_of(
            std::to_array<std::string_view>({"DRAIN", "RESUME", "UNDRAIN", "DOWN", "IDLE"}),
            [&](std::string_view state) { return iequals(state, value); });
        if (!known) {
            return invalid_argument("Invalid node state specified: " + value +
                                    "; there are DRAIN, RESUME, UNDRAIN, DOWN, IDLE");
        }
        std::string upper = value;
        std::ranges::transform(upper, upper.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        });
        node.state = upper == "UNDRAIN" ? "RESUME" : upper;
    } else if (iequals(key, "Reason")) {
        node.reason = value;
    } else if (iequals(key, "BerthGpus")) {
        const Result<BitSet> gpus = BitSet::parse(value, kDevicesPerNodeMax);
        if (!gpus.ok())
            return invalid_argument("Invalid BerthGpus value: " + value + "; write 0,2-3");
        for (std::size_t gpu = gpus->find_first(); gpu != BitSet::kNone;
             gpu = gpus->find_next(gpu)) {
            node.gpus.push_back(static_cast<std::uint32_t>(gpu));
        }
    } else if (iequals(key, "Comment")) {
        node.change.comment = value;
    } else if (iequals(key, "Extra")) {
        node.change.extra = value;
    } else if (iequals(key, "Weight")) {
        const auto weight = parse_int64(value);
        if (!weight.ok() || *weight < 0 || *weight > 0xffff'fffeLL) {
            return invalid_argument("scontrol: error: Weight value (" + value +
                                    ") is not a valid number");
        }
        node.change.weight = static_cast<std::uint32_t>(*weight);
    } else if (iequals(key, "Features") || iequals(key, "AvailableFeatures") ||
               iequals(key, "ActiveFeatures")) {
        std::vector<std::string>& features = node.change.features.emplace();
        for (const auto feature : split(value, ',')) {
            if (!trim(feature).empty()) features.emplace_back(trim(feature));
        }
    } else if (const char* const why = why_not_of_nodes(key)) {
        return Error{ErrorCode::failed_precondition,
                     key + "=" + value + " is not supported: " + why};
    } else {
        return invalid_argument("Update of this parameter is not supported: " + key + "=" + value);
    }
    return Done{};
}

// StepId=12.0, or StepId=12 for all steps of the job.
Result<api::StepPatch> steps_named(const std::string& value) {
    const std::size_t dot = value.find('.');
    api::StepPatch patch;
    const bool has_job = dot != 0 && !value.empty();
    if (has_job && dot == std::string::npos) return patch;
    const auto number =
        parse_int64(std::string_view(value).substr(std::min(dot + 1, value.size())));
    if (!has_job || !number.ok() || *number < 0 || *number >= kPrologStep.value()) {
        return invalid_argument("Invalid StepId value: " + value +
                                "; a step of srun is 12.0, and 12 are all of that job");
    }
    patch.step = StepId(static_cast<std::uint32_t>(*number));
    return patch;
}

Status set_step_key(api::StepPatch& step, const std::string& key, const std::string& value) {
    if (!means(key, "TimeLimit", 3)) {
        return invalid_argument("Update of this parameter is not supported: " + key + "=" + value +
                                "; of a step only TimeLimit can be changed");
    }
    if (!parse_time_limit(value).ok()) return invalid_argument("Invalid TimeLimit value: " + value);
    step.time_limit = value;
    return Done{};
}

Status set_key(Update& update, const std::string& key, const std::string& value, Time now) {
    if (update.node) return set_node_key(*update.node, key, value);
    if (update.step) return set_step_key(*update.step, key, value);
    return set_job_key(update.job, key, value, now);
}

using Keys = std::vector<std::pair<std::string, std::string>>;

// Takes the key of this name out of them.
std::optional<std::string> take_key(Keys& keys, std::initializer_list<std::string_view> names) {
    const auto found = std::ranges::find_if(keys, [&](const auto& one) {
        return std::ranges::any_of(names, [&](auto name) { return iequals(one.first, name); });
    });
    if (found == keys.end()) return std::nullopt;
    std::string value = std::move(found->second);
    keys.erase(found);
    return value;
}

// Without JobId= a job's name says which jobs are meant; with it, it is their new name.
Status find_by_name(Update& update, Keys& keys) {
    if (update.node || update.step) return Done{};
    std::optional<std::string> user = take_key(keys, {"UserID"});
    if (!update.names.empty()) {
        if (!user) return Done{};
        return invalid_argument("UserID=" + *user +
                                " goes with JobName=, and JobId= has been given");
    }
    if (auto name = take_key(keys, {"JobName", "Name"}))
        update.by_name = {.name = *std::move(name), .user = std::move(user)};
    return Done{};
}

}  // namespace

std::vector<std::string> with_job_named(std::vector<std::string> words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (!iequals(words[i], "job") && !iequals(words[i], "jobid")) continue;
        words[i] += "=" + words[i + 1];
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    return words;
}

Updated what_is_updated(const std::vector<std::string>& words) {
    const bool of_job_or_node = std::ranges::any_of(words, [](const std::string& word) {
        const std::string_view key = std::string_view(word).substr(0, word.find('='));
        return key.size() < word.size() && (iequals(key, "JobId") || iequals(key, "Job") ||
                                            iequals(key, "JobName") || iequals(key, "NodeName"));
    });
    if (of_job_or_node) return Updated::job_or_node;
    if (!reservation_named(words).empty()) return Updated::reservation;
    const bool of_partition = std::ranges::any_of(
        words, [](const std::string& word) { return starts_with_icase(word, "partition"); });
    return of_partition ? Updated::partition : Updated::job_or_node;
}

Result<Update> parse_update(const std::vector<std::string>& words, Time now) {
    Update update;
    Keys keys;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            return invalid_argument("Invalid input: " + word + "; write KEY=VALUE");
        const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
        if (iequals(key, "JobId") || iequals(key, "Job")) {
            for (const auto id : split(value, ',')) {
                if (trim(id).empty())
                    return invalid_argument(word + " names no job; write JobId=12 or JobId=12,13");
                update.names.emplace_back(trim(id));
            }
        } else if (iequals(key, "NodeName")) {
            BERTH_TRY(update.names, expand_hostlist(value));
            update.node.emplace();
        } else if (iequals(key, "StepId")) {
            BERTH_TRY(update.step, steps_named(value));
            update.names = {value};
        } else {
            keys.emplace_back(key, value);
        }
    }
    BERTH_CHECK(find_by_name(update, keys));
    if (update.names.empty() && !update.by_name) {
        return invalid_argument(
            "No valid entity in update command; begin with JobId=, JobName=, "
            "StepId= or NodeName=");
    }
    for (const auto& [key, value] : keys) {
        BERTH_CHECK(set_key(update, key, value, now));
    }
    if (keys.empty()) return invalid_argument("No changes specified");
    return update;
}

}  // namespace berth::slurm
