// Access: whether a principal may use a route, by control's authorization table.
#pragma once

#include <optional>

#include "berth/api/routes.h"
#include "berth/control/requests/authorize.h"

namespace berth {

// The verb that a route names; nullopt: it is open to every peer that can connect.
std::optional<Verb> verb_of(const api::Route& route);

// `own`: the object that the path names belongs to the principal, or has no owner yet. A route
// whose verb is not in the table is closed.
bool may_use(const api::Route& route, Role role, bool own);

}  // namespace berth
