// salloc --get-user-env: the variables of a user's login shell on this host.
#pragma once

#include <map>
#include <string>

#include "berth/base/result.h"

namespace berth::slurm {

// `how`: "120L", as --get-user-env is kept: how long it may take, and whether the shell is one of a
// login. As in Slurm, for root alone.
Result<std::map<std::string, std::string>> login_variables(const std::string& user,
                                                           const std::string& how);

}  // namespace berth::slurm
