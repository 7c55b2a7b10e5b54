// TlsStream: TLS 1.3 over a connected socket, for those who read and write by poll().
//
// Three ways to know the other end: by the cluster's authority; by the fingerprint of one that is
// not known yet; and, between srun and a step, by a secret that both were given.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/trust/certificates.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX.

namespace berth {

class TlsStream {
public:
    using Timeout = std::chrono::milliseconds;
    // Waits for this event of poll() at the socket, for as long as the caller likes; false: it did
    // not come, and the handshake fails.
    using Wait = std::function<bool(short event)>;
    // Waits for so long, in all calls together.
    static Wait within(int socket, Timeout most);

    // The socket stays its owner's, and becomes non-blocking. Each returns when both ends know each
    // other; a peer that is another is `permission_denied`.
    static Result<TlsStream> to_controller(int socket, const std::string& authority,
                                           const Wait& wait);
    static Result<TlsStream> to_fingerprint(int socket, const std::string& fingerprint,
                                            const Wait& wait);
    static Result<TlsStream> by_secret(int socket, std::string_view secret, Timeout most);
    static Result<TlsStream> accept_by_secret(int socket, std::string_view secret, Timeout most);
    // Waits for nothing: they come to know each other while it is read.
    static TlsStream accept_while_reading(int socket, std::string_view secret);

    TlsStream(TlsStream&&) noexcept;
    TlsStream& operator=(TlsStream&&) noexcept;
    ~TlsStream();  // Says farewell if that takes no waiting.

    // As read(2) and send(2) of a non-blocking socket: -1 with EAGAIN where there is nothing now, 0
    // at the end. A write that gave EAGAIN is to be tried again with the same bytes or more.
    ssize_t read(char* to, std::size_t size);
    ssize_t write(const char* from, std::size_t size);
    // There is something to read that poll() does not know of.
    bool has_more() const;

    // Of to_fingerprint(): the authority, as PEM.
    const std::string& authority() const;

    struct State;  // Of tls.cc.

private:
    explicit TlsStream(std::unique_ptr<State> state);
    static std::unique_ptr<State> acceptor_of(std::string_view secret);
    static void attach(State& state, int socket);
    static Result<TlsStream> shake_hands(std::unique_ptr<State> state, int socket, bool accepting,
                                         const Wait& wait);
    std::unique_ptr<State> state_;
};

// For a server: with this certificate, followed by that of the authority; no client needs one. The
// caller owns it.
Result<ssl_ctx_st*> make_server_context(const KeyPair& pair, const std::string& authority);

}  // namespace berth
