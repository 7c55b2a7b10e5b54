#include "berth/wire/link_security.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <cstdlib>

#include "berth/trust/certificates.h"

namespace berth {
namespace {

// Leaves TLS 1.3 as the only version. gRPC 1.51 also accepts TLS 1.2 and has no setting against it.
// The suites named here concern 1.2 only, and need a key that nobody has. gRPC reads the variable
// once, before the first connection.
void leave_tls_13_alone() {
    static const bool done = ::setenv("GRPC_SSL_CIPHER_SUITES", "PSK-AES256-GCM-SHA384", 1) == 0;
    BERTH_ASSERT(done);
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> server_credentials(const LinkCertificates& own) {
    leave_tls_13_alone();
    grpc::SslServerCredentialsOptions options(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    options.pem_root_certs = own.authority;
    options.pem_key_cert_pairs = {{own.key, own.certificate}};
    return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::Channel> secure_channel(const TcpAddress& to, const LinkCertificates& own,
                                              grpc::ChannelArguments arguments) {
    leave_tls_13_alone();
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = own.authority;
    options.pem_private_key = own.key;
    options.pem_cert_chain = own.certificate;
    arguments.SetSslTargetNameOverride(kControllerName);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return grpc::CreateCustomChannel(to_string(to), grpc::SslCredentials(options), arguments);
}

std::string certificate_of(const grpc::CallbackServerContext& call) {
    const auto found = call.auth_context()->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
    return found.empty() ? std::string() : std::string(found.front().data(), found.front().size());
}

Result<std::optional<std::string>> certified_name(const grpc::CallbackServerContext& call) {
    const auto who = call.auth_context();
    const auto kinds = who->FindPropertyValues("transport_security_type");
    // A peer without TLS has come through our own acceptor, which has asked the kernel.
    if (kinds.empty() || kinds.front() == "insecure") return std::optional<std::string>();
    const auto names = who->GetPeerIdentity();
    if (!who->IsPeerAuthenticated() || names.size() != 1) {
        return Error{
            ErrorCode::permission_denied,
            "the certificate should name one node, and it names " + std::to_string(names.size())};
    }
    return std::optional(std::string(names.front().data(), names.front().size()));
}

}  // namespace berth
