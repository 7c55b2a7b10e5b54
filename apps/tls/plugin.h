// berth-tls.so: the interface of the TLS plug-in for commands. Most calls stay on this machine, and
// loading OpenSSL takes longer than such a call. So a command loads it only to talk to another
// host.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/trust/tls.h"

namespace berth {

// The functions of the same names in TlsStream. A stream is a pointer that only the plug-in
// interprets.
struct TlsPlugin {
    struct Refusal {
        std::uint8_t code = 0;  // An ErrorCode.
        char text[1000] = {};
    };
    // Returns a stream, or nullptr and sets the refusal. `Until`: what bounds the handshake.
    template <class Until>
    using Opens = void* (*)(int socket, std::string_view known_by, const Until& until, Refusal&);

    // Both sides must be of the same build; only then do the other members match.
    const char* version;
    Opens<TlsStream::Wait> to_controller, to_fingerprint;
    Opens<TlsStream::Timeout> by_secret;
    void* (*accept_while_reading)(int socket, std::string_view secret);
    ssize_t (*read)(void* stream, char* to, std::size_t size);
    ssize_t (*write)(void* stream, const char* from, std::size_t size);
    bool (*has_more)(const void* stream);
    std::string_view (*authority)(const void* stream);
    void (*close)(void* stream);
};

inline constexpr const char* kTlsPluginFile = "berth-tls.so";
inline constexpr const char* kTlsPluginEntry = "berth_tls";

}  // namespace berth
