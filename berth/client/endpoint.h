// Endpoint: where the controller listens, as a command finds it.
#pragma once

#include <string>

#include "berth/base/result.h"

namespace berth {

// A Unix socket, known by its path.
struct Endpoint {
    std::string socket;
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

inline constexpr const char* kSystemSocket = "/run/berth/berthd.sock";

// $BERTH_SOCKET if it is set; else the system's socket if it is there; else this user's own,
// $XDG_RUNTIME_DIR/berth/berthd.sock, if that is there; else the system's, for the error to name.
Endpoint find_endpoint();

}  // namespace berth
