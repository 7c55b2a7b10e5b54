// Problems: what every refusal looks like on the wire (RFC 9457).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/model/reason.h"

namespace berth::api {

inline constexpr std::string_view kProblemType = "application/problem+json";

// The controller said no. Code and Slurm's text come with the refusal.
Problem problem_of(Refusal why, std::string message, std::vector<std::string> details = {});

// HTTP's own: no such route, wrong method, too large … The code is the title in small letters.
Problem problem_of_status(std::int32_t status, std::string detail);

// The status that a refusal answers with.
std::int32_t status_of(Refusal why);

}  // namespace berth::api
