// Endpoint: where the controller listens, as a command finds it.
#pragma once

#include <cstdint>
#include <string>

#include "berth/base/result.h"

namespace berth {

// A Unix socket, known by its path; or, where there is a host, TLS.
struct Endpoint {
    std::string socket;
    std::string host;
    std::uint16_t port = 0;
    std::string authority;    // Who has certified the controller, as PEM; or …
    std::string fingerprint;  // … its fingerprint, where no more is known yet.
    std::string token;        // Whose calls these are.
    // Each call is told on standard error, behind this name of a command. Empty: none is.
    std::string traced_as;
    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

inline constexpr const char* kSystemSocket = "/run/berth/berthd.sock";

inline constexpr const char* kControllerFile = "/etc/berth/controller";  // "head:6820"
inline constexpr const char* kAuthorityFile = "/etc/berth/ca.pem";
inline constexpr std::uint16_t kApiPort = 6820;  // As slurmrestd's.

// $BERTH_SOCKET if it is set, and there or nothing else is known; else $BERTH_CONTROLLER
// (HOST[:PORT]), over TLS; else, likewise, the SlurmctldHost of the file $SLURM_CONF if that is
// another machine; else the system's socket if it is there; else this user's own,
// $XDG_RUNTIME_DIR/berth/berthd.sock, if that is there; else the host in kControllerFile; else the
// system's socket, for the error to name. Over TLS the controller's authority is in $BERTH_CA or
// kAuthorityFile, and the user's token in $SLURM_JWT or the file $BERTH_TOKEN_FILE.
Endpoint find_endpoint();
// "host:port" -> the same, as reached over TLS.
Endpoint remote_endpoint(const std::string& address);

}  // namespace berth
