// CommandConversion: requests into commands for the controller, and its answers into responses.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "berth/api/messages.h"
#include "berth/api/routes.h"
#include "berth/control/turn/command.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

// A routed and authorized request.
struct CommandRequest {
    const api::Route& route;
    std::string_view capture;  // The job or node that the path names; empty: none.
    std::string_view body;
    const Principal& principal;
};

// REQUIRES: the controller answers the route (is_command).
std::variant<Command, api::Problem> command_of(const Snapshot& snapshot,
                                               const CommandRequest& request);
bool is_command(api::RouteId route);

// The message, as JSON, that answers this route; or the problem.
// `messages`: what the site's job_submit.lua says to the user.
std::variant<std::string, api::Problem> reply_of(const ClusterSpec& spec, api::RouteId route,
                                                 const Answer& answer,
                                                 const std::vector<std::string>& messages);

}  // namespace berth
