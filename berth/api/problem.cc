#include "berth/api/problem.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"

namespace berth::api {
namespace {

struct StatusTitle {
    std::int32_t status;
    std::string_view title;
};
constexpr std::array kTitles = {
    StatusTitle{400, "Bad request"},
    StatusTitle{401, "Not known"},
    StatusTitle{403, "Not allowed"},
    StatusTitle{404, "Not found"},
    StatusTitle{405, "Method not allowed"},
    StatusTitle{408, "Request timed out"},
    StatusTitle{409, "Conflict"},
    StatusTitle{413, "Too large"},
    StatusTitle{415, "Unsupported media type"},
    StatusTitle{422, "Cannot be served"},
    StatusTitle{429, "Too many requests"},
    StatusTitle{431, "Header too large"},
    StatusTitle{500, "Internal error"},
    StatusTitle{501, "Not supported"},
    StatusTitle{503, "Unavailable"},
    StatusTitle{504, "No answer in time"},
};

std::string_view title_of(std::int32_t status) {
    const auto found = std::ranges::find(kTitles, status, &StatusTitle::status);
    return found == kTitles.end() ? "Refused" : found->title;
}

std::string code_of(std::string_view title) {
    std::string words = to_lower(title);
    std::ranges::replace(words, ' ', '_');
    return words;
}

}  // namespace

std::int32_t status_of(Refusal why) {
    switch (why) {
        case Refusal::invalid_request: return 400;
        case Refusal::not_allowed: return 403;
        case Refusal::unknown_job:
        case Refusal::unknown_step:
        case Refusal::unknown_node: return 404;
        case Refusal::job_finished:
        case Refusal::job_not_pending:
        case Refusal::job_not_running:
        case Refusal::job_not_requeueable:
        case Refusal::job_suspended:
        case Refusal::job_not_suspended:
        case Refusal::job_pending:
        case Refusal::job_held:
        case Refusal::partition_in_use:
        case Refusal::partition_name_taken:
        case Refusal::node_name_taken:
        case Refusal::nodes_busy:
        case Refusal::step_resources_busy:
        case Refusal::already_disabled: return 409;
        case Refusal::script_too_large: return 413;
        case Refusal::not_supported: return 501;
        case Refusal::job_limit_reached:
        case Refusal::read_only: return 503;
        default: return 422;  // Understood, and impossible on this cluster.
    }
}

Problem problem_of(Refusal why, std::string message, std::vector<std::string> details) {
    const std::int32_t status = status_of(why);
    return {.status = status,
            .code = std::string(code(why)),
            .title = std::string(title_of(status)),
            .detail = std::move(message),
            .slurm = std::string(slurm_text(why)),
            .details = std::move(details)};
}

Problem problem_of_status(std::int32_t status, std::string detail) {
    const std::string_view title = title_of(status);
    return {.status = status,
            .code = code_of(title),
            .title = std::string(title),
            .detail = std::move(detail)};
}

}  // namespace berth::api
