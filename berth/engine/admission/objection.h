// Refusing: why a request is refused, and the message to the user. Objection: the result of a
// check, either a refusal or none.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/reason.h"

namespace berth {

struct Refusing {
    Refusal why = Refusal::invalid_request;
    std::string message;               // What was wrong, and what would be right.
    std::vector<std::string> details;  // Lines that Slurm prints before its own message.
};

using Objection = std::optional<Refusing>;  // nullopt: no objection.

inline Refusing refuse(Refusal why, std::string message) {
    return {.why = why, .message = std::move(message), .details = {}};
}

inline Refusing refuse_invalid(std::string message) {
    return refuse(Refusal::invalid_request, std::move(message));
}

}  // namespace berth
