#include "apps/berth_agent/node_keys.h"

#include "berth/trust/certificates.h"
#include "berth/trust/key_file.h"

namespace berth {

Result<LinkCertificates> NodeKeys::read() const {
    Result<std::string> both = read_secret_file(folder_ + "/node.pem");
    if (!both.ok()) {
        if (both.error().code != ErrorCode::not_found) return both.error();
        return Error{ErrorCode::not_found,
                     "this node has not joined: `berth token create --node NAME` on the "
                     "controller's host makes a token, `berth-agent join` here takes it"};
    }
    BERTH_TRY(std::string authority, read_secret_file(folder_ + "/ca.pem"));
    const std::size_t key = both->find("-----BEGIN PRIVATE KEY-----");
    if (key == std::string::npos) {
        return Error{ErrorCode::internal,
                     folder_ + "/node.pem should hold a certificate and a key"};
    }
    return LinkCertificates{std::move(authority), both->substr(0, key), both->substr(key)};
}

Status NodeKeys::write(const LinkCertificates& keys) const {
    BERTH_CHECK(make_secret_folder(folder_));
    BERTH_CHECK(write_secret_file(folder_ + "/ca.pem", keys.authority));
    BERTH_CHECK(write_public_file(authority_path(), keys.authority));
    return write_secret_file(folder_ + "/node.pem", keys.certificate + keys.key);
}

Status NodeKeys::renew_if_due(const TcpAddress& controller, Time now, LogSink& log) const {
    BERTH_TRY(LinkCertificates own, read());
    BERTH_TRY(const CertificateFacts facts, read_certificate(own.certificate));
    if (facts.not_after - now > kNodeCertificateLife / 3) return Done{};
    BERTH_TRY(std::string key, make_key());
    BERTH_TRY(const std::string request, make_request(key, facts.name));
    BERTH_TRY(std::string certificate, renew_certificate(controller, own, request));
    own.certificate = std::move(certificate);
    own.key = std::move(key);
    BERTH_CHECK(write(own));
    log.write(LogLevel::info, "agent", "this node's certificate has been renewed");
    return Done{};
}

}  // namespace berth
