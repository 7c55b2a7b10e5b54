// A submission as slurmrestd takes it, as the SubmitRequest of /v1.
#include <set>

#include "berth/slurmrest/submission_draft.h"

namespace berth::slurmrest {
namespace {

using api::JsonValue;

constexpr std::size_t kComponentsMost = 128;

std::span<const SubmissionField> all_fields() {
    static const std::vector<SubmissionField> all = [] {
        std::vector<SubmissionField> fields(command_fields().begin(), command_fields().end());
        fields.insert(fields.end(), request_fields().begin(), request_fields().end());
        return fields;
    }();
    return all;
}

// What several fields come to together.
Status complete(SubmissionDraft& d) {
    const JobRequest& request = d.spec.request;
    if (request.memory_per_cpu && request.memory_per_node)
        return invalid_argument("memory_per_cpu and memory_per_node exclude each other");
    if (!request.gpus_per_task.empty() && request.gpus.empty() && !request.tasks &&
        !request.tasks_per_node) {
        return invalid_argument("tres_per_task needs tasks, tasks_per_node or tres_per_job");
    }
    if (request.nodes_max && *request.nodes_max < request.nodes_min)
        return invalid_argument("maximum_nodes is less than minimum_nodes");
    if (!d.signal && (d.signal_delay || d.signal_batch))
        return invalid_argument("kill_warning_signal must say which signal is to be sent");
    if (d.signal) {
        d.command().warning =
            WarningSignal{.signal = *d.signal,
                          .before = std::chrono::seconds(d.signal_delay.value_or(60)),
                          .batch = d.signal_batch};
    }
    if (d.spec.name.empty()) d.spec.name = "sbatch";  // As of a script that sbatch reads.
    d.command().script_name = "wrap";                 // No file has it.
    return Done{};
}

Result<SubmissionDraft> draft_of(const JsonValue& value, std::string_view where) {
    const auto* const members = value.as<api::JsonObject>();
    if (members == nullptr)
        return invalid_argument(std::string(where) + " must be a job description, in braces");
    SubmissionDraft draft;
    Status read = read_fields<SubmissionDraft>(*members, all_fields(), draft);
    if (read.ok()) read = complete(draft);
    if (!read.ok()) return prefixed(std::string(where) + ": ", read.error());
    return draft;
}

Result<std::vector<SubmissionDraft>> drafts_in(const JsonValue& body) {
    const JsonValue* const job = body.find("job");
    const JsonValue* const jobs = body.find("jobs");
    std::vector<SubmissionDraft> drafts;
    if ((job != nullptr) == (jobs != nullptr)) {
        return invalid_argument(
            "the body must have \"job\", or \"jobs\" of a heterogeneous job, beside \"script\"");
    }
    if (job != nullptr) {
        BERTH_TRY(drafts.emplace_back(), draft_of(*job, "job"));
        return drafts;
    }
    const auto* const list = jobs->as<api::JsonArray>();
    if (list == nullptr || list->empty() || list->size() > kComponentsMost) {
        return invalid_argument("jobs must be a list of 1 to " + std::to_string(kComponentsMost) +
                                " job descriptions");
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
        const std::string where = "jobs[" + std::to_string(i) + "]";
        BERTH_TRY(drafts.emplace_back(), draft_of((*list)[i], where));
        if (i > 0 && !drafts.back().script.empty())
            return invalid_argument(where + ": only the first component has a script");
    }
    return drafts;
}

}  // namespace

std::vector<std::string_view> submission_fields() {
    return names_of<SubmissionDraft>(all_fields());
}

Result<api::SubmitRequest> read_submission(std::string_view body) {
    BERTH_TRY(const JsonValue root, api::parse_json(body));
    const auto* const members = root.as<api::JsonObject>();
    if (members == nullptr) return invalid_argument("the body must be an object, in braces");
    std::string script;
    std::set<std::string_view> seen;
    for (const auto& [name, value] : *members) {
        if (!seen.insert(name).second) return invalid_argument(name + " is given twice");
        if (name == "script") {
            BERTH_TRY(script, given_text(value));
        } else if (name != "job" && name != "jobs") {
            return invalid_argument(name + " is not a field; there are script, job and jobs");
        }
    }
    BERTH_TRY(std::vector<SubmissionDraft> drafts, drafts_in(root));
    SubmissionDraft& first = drafts.front();
    if (!script.empty() && !first.script.empty() && script != first.script)
        return invalid_argument("script: the body and the job have different ones");
    if (script.empty()) script = first.script;
    if (script.empty()) return invalid_argument("script is required, and must not be empty");
    if (first.environment.empty()) {
        return invalid_argument("environment is required: a list such as [\"PATH=/usr/bin:/bin\"]");
    }
    if (first.spec.command->work_dir.empty())
        return invalid_argument("current_working_directory is required");
    api::SubmitRequest request{
        .spec = std::move(first.spec),
        .payload = {.script = std::move(script), .environment = std::move(first.environment)}};
    for (std::size_t i = 1; i < drafts.size(); ++i) {
        const std::vector<std::string>& own = drafts[i].environment;
        if (!own.empty() && own != request.payload.environment) {
            return invalid_argument("jobs[" + std::to_string(i) +
                                    "]: environment: the script has that of the first component; "
                                    "give the same, or none");
        }
        request.components.push_back(std::move(drafts[i].spec));
    }
    return request;
}

}  // namespace berth::slurmrest
