// Objection: what a check has against a request, and how it says so.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "berth/engine/admission.h"

namespace berth {

using Objection = std::optional<Refusing>;  // nullopt: none.

inline Refusing refuse(Refusal why, std::string message) {
    return {.why = why, .message = std::move(message), .details = {}};
}

inline Refusing refuse_invalid(std::string message) {
    return refuse(Refusal::invalid_request, std::move(message));
}

}  // namespace berth
