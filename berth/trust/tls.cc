#include "berth/trust/tls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "berth/base/assert.h"
#include "berth/trust/openssl.h"
#include "berth/trust/secrets.h"

namespace berth {

using openssl::failed;
using ContextOwner = openssl::Owned<SSL_CTX, SSL_CTX_free>;
using SslOwner = openssl::Owned<SSL, SSL_free>;

// What callbacks find at the connection stays in place while the stream is moved about.
struct TlsStream::State {
    ContextOwner context;
    SslOwner ssl;
    std::string secret, fingerprint, authority;
    std::string refusal;  // Why the peer is not who it should be.
    bool broken = false;  // No farewell then.
};

namespace {

constexpr const char* kSecretSuite = "TLS_AES_128_GCM_SHA256";
constexpr unsigned char kSecretSuiteId[] = {0x13, 0x01};
constexpr std::string_view kSecretName = "berth-step";

TlsStream::State& state_of(SSL* ssl);

// OpenSSL's own socket BIO writes with write(2), which may end a command by SIGPIPE.
int bio_fd(BIO* bio) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int bio_done(BIO* bio, ssize_t n, int retry) {
    BIO_clear_retry_flags(bio);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_flags(bio, retry);
    return static_cast<int>(n);
}
int bio_write(BIO* bio, const char* from, int size) {
    const ssize_t n = ::send(bio_fd(bio), from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    return bio_done(bio, n, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY);
}
int bio_read(BIO* bio, char* to, int size) {
    const ssize_t n = ::recv(bio_fd(bio), to, static_cast<std::size_t>(size), 0);
    return bio_done(bio, n, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
}
long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO* bio_of(int fd) {
    static BIO_METHOD* const method = [] {
        BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "berth");
        BIO_meth_set_write(made, bio_write);
        BIO_meth_set_read(made, bio_read);
        BIO_meth_set_ctrl(made, bio_control);
        return made;
    }();
    BIO* const bio = BIO_new(method);
    BERTH_ASSERT(bio != nullptr);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a descriptor, which nobody follows.
    BIO_set_data(bio, reinterpret_cast<void*>(std::intptr_t{fd}));
    BIO_set_init(bio, 1);
    return bio;
}

ContextOwner make_context(const SSL_METHOD* method) {
    ContextOwner context(SSL_CTX_new(method));
    BERTH_ASSERT(context != nullptr);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return context;
}

// A session that has the shared secret in the place of what an earlier handshake would have agreed.
SSL_SESSION* session_of_secret(SSL* ssl) {
    const std::string& secret = state_of(ssl).secret;
    SSL_SESSION* const session = SSL_SESSION_new();
    const SSL_CIPHER* const cipher = SSL_CIPHER_find(ssl, kSecretSuiteId);
    BERTH_ASSERT(session != nullptr && cipher != nullptr);
    BERTH_ASSERT(SSL_SESSION_set1_master_key(session,
                                             reinterpret_cast<const unsigned char*>(secret.data()),
                                             secret.size()) == 1);
    BERTH_ASSERT(SSL_SESSION_set_cipher(session, cipher) == 1);
    BERTH_ASSERT(SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1);
    return session;
}

int use_secret(SSL* ssl, const EVP_MD* digest, const unsigned char** name, std::size_t* size,
               SSL_SESSION** session) {
    *session = nullptr;
    if (digest != nullptr && EVP_MD_get_type(digest) != NID_sha256) return 1;
    *name = reinterpret_cast<const unsigned char*>(kSecretName.data());
    *size = kSecretName.size();
    *session = session_of_secret(ssl);
    return 1;
}

int find_secret(SSL* ssl, const unsigned char* name, std::size_t size, SSL_SESSION** session) {
    const std::string_view asked(reinterpret_cast<const char*>(name), size);
    *session = asked == kSecretName ? session_of_secret(ssl) : nullptr;
    return 1;
}

// Whoever has this fingerprint is the authority; from there on the chain is looked at as ever.
int check_by_fingerprint(X509_STORE_CTX* chain, void*) {
    SSL* const ssl =
        static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
    TlsStream::State& state = state_of(ssl);
    STACK_OF(X509)* const sent = X509_STORE_CTX_get0_untrusted(chain);
    for (int i = 0; i < sk_X509_num(sent); ++i) {
        X509* const one = sk_X509_value(sent, i);
        const openssl::Bio bio(BIO_new(BIO_s_mem()));
        if (PEM_write_bio_X509(bio.get(), one) != 1) continue;
        std::string pem = openssl::text_of(bio.get());
        const Result<std::string> print = fingerprint_of(pem);
        if (!print.ok() || !equal_secrets(*print, state.fingerprint)) continue;
        state.authority = std::move(pem);
        STACK_OF(X509)* const trusted = sk_X509_new_null();
        sk_X509_push(trusted, one);
        X509_STORE_CTX_set0_trusted_stack(chain, trusted);
        const int verified = X509_verify_cert(chain);
        X509_STORE_CTX_set0_trusted_stack(chain, nullptr);
        sk_X509_free(trusted);
        return verified;
    }
    state.refusal =
        "its authority is another one than the token names: this is not the controller "
        "that made the token, or somebody is in between";
    X509_STORE_CTX_set_error(chain, X509_V_ERR_CERT_UNTRUSTED);
    return 0;
}

Status trust_authority(SSL_CTX* context, const std::string& authority) {
    BERTH_TRY(const openssl::Certificate root, openssl::read_certificate(authority));
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root.get()) != 1)
        return failed("the authority cannot be trusted");
    return Done{};
}

Error why_not(TlsStream::State& state, int result) {
    const long verdict = SSL_get_verify_result(state.ssl.get());
    if (state.refusal.empty() && verdict != X509_V_OK)
        state.refusal = X509_verify_cert_error_string(verdict);
    if (!state.refusal.empty()) {
        ERR_clear_error();
        return {ErrorCode::permission_denied, "its certificate is refused: " + state.refusal};
    }
    if (SSL_get_error(state.ssl.get(), result) == SSL_ERROR_SYSCALL && ERR_peek_error() == 0)
        return {ErrorCode::unavailable, "it broke off while TLS began"};
    Error error = failed("TLS cannot begin");
    error.code = ErrorCode::permission_denied;
    return error;
}

TlsStream::State& state_of(SSL* ssl) {
    return *static_cast<TlsStream::State*>(SSL_get_app_data(ssl));
}

}  // namespace

TlsStream::TlsStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream& TlsStream::operator=(TlsStream&&) noexcept = default;
TlsStream::~TlsStream() {
    if (state_ != nullptr && !state_->broken) SSL_shutdown(state_->ssl.get());
    ERR_clear_error();
}
const std::string& TlsStream::authority() const { return state_->authority; }
bool TlsStream::has_more() const { return SSL_pending(state_->ssl.get()) > 0; }

void TlsStream::attach(State& state, int socket) {
    ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
    state.ssl.reset(SSL_new(state.context.get()));
    BERTH_ASSERT(state.ssl != nullptr);
    SSL_set_app_data(state.ssl.get(), &state);
    BIO* const bio = bio_of(socket);
    SSL_set_bio(state.ssl.get(), bio, bio);
}

TlsStream::Wait TlsStream::within(int socket, Timeout most) {
    return [socket, until = std::chrono::steady_clock::now() + most](short event) {
        const auto left = std::chrono::ceil<Timeout>(until - std::chrono::steady_clock::now());
        pollfd waiting{socket, event, 0};
        return left.count() > 0 && ::poll(&waiting, 1, static_cast<int>(left.count())) != 0;
    };
}

Result<TlsStream> TlsStream::shake_hands(std::unique_ptr<State> state, int socket, bool accepting,
                                         const Wait& wait) {
    attach(*state, socket);
    SSL* const ssl = state->ssl.get();
    if (!accepting && state->secret.empty() && SSL_set1_host(ssl, kControllerName) != 1)
        return failed("TLS cannot begin");
    for (;;) {
        ERR_clear_error();
        const int result = accepting ? SSL_accept(ssl) : SSL_connect(ssl);
        if (result == 1) return TlsStream(std::move(state));
        const int wants = SSL_get_error(ssl, result);
        const bool reads = wants == SSL_ERROR_WANT_READ;
        if (!reads && wants != SSL_ERROR_WANT_WRITE) return why_not(*state, result);
        if (!wait(static_cast<short>(reads ? POLLIN : POLLOUT)))
            return Error{ErrorCode::unavailable, "TLS did not begin in time"};
    }
}

Result<TlsStream> TlsStream::to_controller(int socket, const std::string& authority,
                                           const Wait& wait) {
    auto state = std::make_unique<State>();
    state->context = make_context(TLS_client_method());
    BERTH_CHECK(trust_authority(state->context.get(), authority));
    SSL_CTX_set_verify(state->context.get(), SSL_VERIFY_PEER, nullptr);
    return shake_hands(std::move(state), socket, false, wait);
}

Result<TlsStream> TlsStream::to_fingerprint(int socket, const std::string& fingerprint,
                                            const Wait& wait) {
    auto state = std::make_unique<State>();
    state->context = make_context(TLS_client_method());
    state->fingerprint = fingerprint;
    SSL_CTX_set_verify(state->context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_cert_verify_callback(state->context.get(), check_by_fingerprint, nullptr);
    return shake_hands(std::move(state), socket, false, wait);
}

Result<TlsStream> TlsStream::by_secret(int socket, std::string_view secret, Timeout most) {
    auto state = std::make_unique<State>();
    state->context = make_context(TLS_client_method());
    state->secret = secret;
    SSL_CTX_set_ciphersuites(state->context.get(), kSecretSuite);
    SSL_CTX_set_psk_use_session_callback(state->context.get(), use_secret);
    // Without a secret in common there is no certificate that could stand in for it.
    SSL_CTX_set_verify(state->context.get(), SSL_VERIFY_PEER, nullptr);
    return shake_hands(std::move(state), socket, false, within(socket, most));
}

std::unique_ptr<TlsStream::State> TlsStream::acceptor_of(std::string_view secret) {
    auto state = std::make_unique<State>();
    state->context = make_context(TLS_server_method());
    state->secret = secret;
    SSL_CTX_set_ciphersuites(state->context.get(), kSecretSuite);
    SSL_CTX_set_psk_find_session_callback(state->context.get(), find_secret);
    SSL_CTX_set_num_tickets(state->context.get(), 0);
    return state;
}

Result<TlsStream> TlsStream::accept_by_secret(int socket, std::string_view secret, Timeout most) {
    return shake_hands(acceptor_of(secret), socket, true, within(socket, most));
}

TlsStream TlsStream::accept_while_reading(int socket, std::string_view secret) {
    auto state = acceptor_of(secret);
    attach(*state, socket);
    SSL_set_accept_state(state->ssl.get());
    return TlsStream(std::move(state));
}

ssize_t TlsStream::read(char* to, std::size_t size) {
    ERR_clear_error();
    const int n =
        SSL_read(state_->ssl.get(), to, static_cast<int>(std::min<std::size_t>(size, 1 << 20)));
    if (n > 0) return n;
    const int wants = SSL_get_error(state_->ssl.get(), n);
    if (wants == SSL_ERROR_ZERO_RETURN) return 0;
    errno = wants == SSL_ERROR_WANT_READ || wants == SSL_ERROR_WANT_WRITE ? EAGAIN : ECONNRESET;
    if (errno != EAGAIN) state_->broken = true;
    return -1;
}

ssize_t TlsStream::write(const char* from, std::size_t size) {
    ERR_clear_error();
    const int n =
        SSL_write(state_->ssl.get(), from, static_cast<int>(std::min<std::size_t>(size, 1 << 20)));
    if (n > 0) return n;
    const int wants = SSL_get_error(state_->ssl.get(), n);
    errno = wants == SSL_ERROR_WANT_READ || wants == SSL_ERROR_WANT_WRITE ? EAGAIN : EPIPE;
    if (errno != EAGAIN) state_->broken = true;
    return -1;
}

Result<ssl_ctx_st*> make_server_context(const KeyPair& pair, const std::string& authority) {
    ContextOwner context = make_context(TLS_server_method());
    BERTH_TRY(const openssl::Key key, openssl::read_key(pair.key));
    BERTH_TRY(const openssl::Certificate own, openssl::read_certificate(pair.certificate));
    BERTH_TRY(openssl::Certificate root, openssl::read_certificate(authority));
    if (SSL_CTX_use_certificate(context.get(), own.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 ||
        SSL_CTX_add_extra_chain_cert(context.get(), root.get()) != 1)
        return failed("the certificate cannot be served");
    (void)root.release();  // The context's now.
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context.get(), 0);
    return context.release();
}

}  // namespace berth
