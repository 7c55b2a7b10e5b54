// Access: whether a principal may use a route. The table is control's; here it is only asked.
#pragma once

#include <optional>

#include "berth/api/routes.h"
#include "berth/control/requests/authorize.h"

namespace berth {

// The verb that a route names; nullopt: it is open to whoever can connect.
std::optional<Verb> verb_of(const api::Route& route);

// `own`: what the path names belongs to the principal, or is nobody's yet. A route whose verb the
// table does not know is open to nobody.
bool may_use(const api::Route& route, Role role, bool own);

}  // namespace berth
