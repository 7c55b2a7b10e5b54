// berth-tls.so: see plugin.h.
#include "apps/tls/plugin.h"

#include <algorithm>
#include <string>
#include <utility>

#include "berth/trust/tls.h"

namespace berth {
namespace {

const TlsStream& stream_of(const void* stream) { return *static_cast<const TlsStream*>(stream); }
TlsStream& stream_of(void* stream) { return *static_cast<TlsStream*>(stream); }

Result<TlsStream> by_secret(int socket, const std::string& secret, const TlsStream::Timeout& most) {
    return TlsStream::by_secret(socket, secret, most);
}

template <class Until, Result<TlsStream> (*open)(int, const std::string&, const Until&)>
void* opened(int socket, std::string_view known_by, const Until& until, TlsPlugin::Refusal& why) {
    Result<TlsStream> made = open(socket, std::string(known_by), until);
    if (made.ok()) return new TlsStream(*std::move(made));
    why.code = static_cast<std::uint8_t>(made.error().code);
    const std::string& text = made.error().message;
    text.copy(why.text, std::min(text.size(), sizeof why.text - 1));
    return nullptr;
}

constexpr TlsPlugin kPlugin{
    .version = BERTH_VERSION,
    .to_controller = opened<TlsStream::Wait, TlsStream::to_controller>,
    .to_fingerprint = opened<TlsStream::Wait, TlsStream::to_fingerprint>,
    .by_secret = opened<TlsStream::Timeout, by_secret>,
    .accept_while_reading = [](int socket, std::string_view secret) -> void* {
        return new TlsStream(TlsStream::accept_while_reading(socket, secret));
    },
    .read = [](void* stream, char* to,
               std::size_t size) { return stream_of(stream).read(to, size); },
    .write = [](void* stream, const char* from,
                std::size_t size) { return stream_of(stream).write(from, size); },
    .has_more = [](const void* stream) { return stream_of(stream).has_more(); },
    .authority = [](const void* stream) -> std::string_view {
        return stream_of(stream).authority();
    },
    .close = [](void* stream) { delete &stream_of(stream); }};

}  // namespace
}  // namespace berth

extern "C" __attribute__((visibility("default"))) const berth::TlsPlugin* berth_tls() {
    return &berth::kPlugin;
}
