// berth-tls.so, TLS for the commands: what they find in it. Most calls stay on this machine, and
// to load OpenSSL takes longer than to make one, so only who speaks to another host loads it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth {

// What TlsStream's functions of these names do; a stream is a pointer that the plug-in knows.
struct TlsPlugin {
    struct Refusal {
        std::uint8_t code = 0;  // An ErrorCode.
        char text[1000] = {};
    };
    // A stream, or nullptr and why.
    using Opens = void* (*)(int socket, std::string_view known_by, std::int64_t most_ms, Refusal&);

    const char* version;  // Both sides are of one build, and only then agree on the rest.
    Opens to_controller, to_fingerprint, by_secret;
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
