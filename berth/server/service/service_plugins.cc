// What JobSubmitPlugins make of a command on its way to the controller.
#include "berth/server/service/service.h"

namespace berth {

bool Service::is_for_plugins(const ForController& request) const {
    return job_submit_ != nullptr &&
           JobSubmit::concerns(*read_model_.current()->spec, request.command);
}

std::optional<ApiResponse> Service::ask_plugins(const Principal& who,
                                                ForController& request) const {
    JobSubmit::Outcome outcome = job_submit_->apply(*read_model_.current(), who, request.command);
    request.asked.messages = std::move(outcome.messages);
    if (!outcome.refused) return std::nullopt;
    ApiResponse response = respond(*outcome.refused);
    response.route = request.asked.route;
    return response;
}

}  // namespace berth
