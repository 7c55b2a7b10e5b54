// Certificates of one cluster: its authority, the controller's and the nodes'. Keys are ECDSA
// P-256, and all texts are PEM.
//
// A node's certificate names the node and serves clients alone: with it nobody can pass for the
// controller. The controller's has the fixed name kControllerName, which is what agents and
// commands ask for, whatever address they reached it at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth {

inline constexpr const char* kControllerName = "berth-controller";

inline constexpr Duration kNodeCertificateLife = std::chrono::hours(24) * 90;
// Browsers take no longer one.
inline constexpr Duration kControllerCertificateLife = std::chrono::hours(24) * 397;
// That of the authority itself: for the link, which keeps one for as long as it listens.
inline constexpr Duration kAuthorityLife = std::chrono::hours(24) * 3650;

struct KeyPair {
    std::string key, certificate;
};

// What a certificate says.
struct CertificateFacts {
    std::string name;  // Of the node; kControllerName; of the authority: that of its cluster.
    Time not_after{};
};
Result<CertificateFacts> read_certificate(std::string_view pem);

// SHA-256 over the certificate, in hexadecimal.
Result<std::string> fingerprint_of(std::string_view certificate);

Result<std::string> make_key();
// Asks for a certificate for this key. The authority takes nothing of it but the key, proved.
Result<std::string> make_request(std::string_view key, std::string_view name);

class Authority {
public:
    static Result<Authority> make(const std::string& cluster, Time now);
    static Result<Authority> of(
        KeyPair pair);  // Refuses a key that is not that of the certificate.
    // FOLDER/ca.key and FOLDER/ca.pem; made where there are none.
    static Result<Authority> open(const std::string& folder, const std::string& cluster, Time now);

    const KeyPair& pair() const { return pair_; }
    const std::string& certificate() const { return pair_.certificate; }
    const std::string& fingerprint() const { return fingerprint_; }

    // `names` are further names and addresses of the host, for clients that ask for those. It ends
    // with the authority at the latest.
    Result<KeyPair> certify_controller(const std::vector<std::string>& names, Time now,
                                       Duration life = kControllerCertificateLife) const;
    Result<std::string> certify_node(std::string_view request, const std::string& node,
                                     Time now) const;

private:
    Authority(KeyPair pair, std::string fingerprint)
        : pair_(std::move(pair)), fingerprint_(std::move(fingerprint)) {}
    KeyPair pair_;
    std::string fingerprint_;
};

}  // namespace berth
