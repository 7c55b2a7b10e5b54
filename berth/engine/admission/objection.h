// A refusal of a request: why, and how that is said. Objection: what a check has against a request.
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
    std::vector<std::string> details;  // Lines that Slurm prints before its own.
};

using Objection = std::optional<Refusing>;  // nullopt: none.

inline Refusing refuse(Refusal why, std::string message) {
    return {.why = why, .message = std::move(message), .details = {}};
}

inline Refusing refuse_invalid(std::string message) {
    return refuse(Refusal::invalid_request, std::move(message));
}

}  // namespace berth
