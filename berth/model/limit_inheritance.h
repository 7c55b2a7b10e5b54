// LimitInheritance: which limits of an account hold for the users and accounts beneath it.
#pragma once

#include "berth/model/limits.h"

namespace berth {

// Adds to an association's limits those of the account above that it does not set itself, of each
// TRES and each count. Group limits are not inherited: each account counts its own.
void inherit_limits(Limits& own, const Limits& above);

}  // namespace berth
