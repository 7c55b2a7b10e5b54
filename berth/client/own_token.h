// The token by which the user's calls over TLS are made.
#pragma once

#include <string>

namespace berth {

// $SLURM_JWT, or what the file $BERTH_TOKEN_FILE holds now. Empty: neither is there.
std::string own_token();

}  // namespace berth
