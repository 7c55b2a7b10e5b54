#include "berth/trust/certificates.h"

#include <arpa/inet.h>
#include <openssl/rand.h>

#include <algorithm>
#include <ctime>

#include "berth/base/assert.h"
#include "berth/trust/key_file.h"
#include "berth/trust/openssl.h"
#include "berth/trust/secrets.h"

namespace berth {

namespace openssl {

Result<Key> read_key(std::string_view pem) {
    Key key(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, nullptr, nullptr));
    if (key == nullptr) return failed("this is no private key");
    return key;
}

Result<Certificate> read_certificate(std::string_view pem) {
    Certificate certificate(PEM_read_bio_X509(reader_of(pem).get(), nullptr, nullptr, nullptr));
    if (certificate == nullptr) return failed("this is no certificate");
    return certificate;
}

}  // namespace openssl

namespace {

using openssl::Bio;
using openssl::Certificate;
using openssl::failed;
using openssl::Key;
using openssl::reader_of;
using openssl::text_of;

constexpr Duration kClocksDiffer = std::chrono::minutes(10);

std::string text_of_key(EVP_PKEY* key) {
    const Bio bio(BIO_new(BIO_s_mem()));
    BERTH_ASSERT(
        PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return text_of(bio.get());
}

std::string text_of_certificate(X509* certificate) {
    const Bio bio(BIO_new(BIO_s_mem()));
    BERTH_ASSERT(PEM_write_bio_X509(bio.get(), certificate) == 1);
    return text_of(bio.get());
}

void put_name(X509_NAME* name, const char* field, const std::string& text) {
    BERTH_ASSERT(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                            reinterpret_cast<const unsigned char*>(text.data()),
                                            static_cast<int>(text.size()), -1, 0) == 1);
}

bool is_address(const std::string& name) {
    unsigned char room[16];
    return inet_pton(AF_INET, name.c_str(), room) == 1 ||
           inet_pton(AF_INET6, name.c_str(), room) == 1;
}

// DNS names and addresses have few letters; others would be read as syntax by OpenSSL.
bool is_plain(const std::string& name) {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";
    return !name.empty() && name.size() <= 255 &&
           name.find_first_not_of(kAllowed) == std::string::npos;
}

// What a certificate is for.
struct Wanted {
    std::string name;                      // Its common name, and the first of its names.
    std::vector<std::string> other_names;  // Or addresses.
    const char* usage = nullptr;           // None: an authority.
    Duration life;
};

Status put_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX where;
    X509V3_set_ctx(&where, issuer, certificate, nullptr, nullptr, 0);
    openssl::Owned<X509_EXTENSION, X509_EXTENSION_free> extension(
        X509V3_EXT_conf_nid(nullptr, &where, kind, value.c_str()));
    if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1)
        return failed("the certificate cannot say " + value);
    return Done{};
}

Status put_extensions(X509* certificate, X509* issuer, const Wanted& wanted) {
    const auto put = [&](int kind, const std::string& value) {
        return put_extension(certificate, issuer, kind, value);
    };
    BERTH_CHECK(put(NID_subject_key_identifier, "hash"));
    if (wanted.usage == nullptr) {
        BERTH_CHECK(put(NID_basic_constraints, "critical,CA:TRUE,pathlen:0"));
        return put(NID_key_usage, "critical,keyCertSign,cRLSign");
    }
    BERTH_CHECK(put(NID_authority_key_identifier, "keyid:always"));
    BERTH_CHECK(put(NID_basic_constraints, "critical,CA:FALSE"));
    BERTH_CHECK(put(NID_key_usage, "critical,digitalSignature"));
    BERTH_CHECK(put(NID_ext_key_usage, std::string("critical,") + wanted.usage));
    std::string names = "DNS:" + wanted.name;
    for (const std::string& other : wanted.other_names) {
        if (is_plain(other)) names += (is_address(other) ? ",IP:" : ",DNS:") + other;
    }
    return put(NID_subject_alt_name, names);
}

void put_times(X509* certificate, Time now, Duration life) {
    X509_time_adj_ex(X509_getm_notBefore(certificate), 0, 0, nullptr);
    ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(now - kClocksDiffer));
    ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(now + life));
}

void put_serial(X509* certificate) {
    unsigned char bytes[16];
    BERTH_ASSERT(RAND_bytes(bytes, sizeof bytes) == 1);
    bytes[0] &= 0x7f;
    openssl::Owned<BIGNUM, BN_free> number(BN_bin2bn(bytes, sizeof bytes, nullptr));
    BERTH_ASSERT(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

// `issuer` nullptr: by itself.
Result<Certificate> certify(EVP_PKEY* subject_key, const Wanted& wanted, X509* issuer,
                            EVP_PKEY* issuer_key, Time now) {
    Certificate made(X509_new());
    X509_set_version(made.get(), X509_VERSION_3);
    put_serial(made.get());
    put_times(made.get(), now, wanted.life);
    X509_NAME* const name = X509_get_subject_name(made.get());
    put_name(name, "O", "Berth");
    put_name(name, "CN", wanted.name);
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer ? issuer : made.get()));
    if (X509_set_pubkey(made.get(), subject_key) != 1) return failed("this is no public key");
    BERTH_CHECK(put_extensions(made.get(), issuer ? issuer : made.get(), wanted));
    if (X509_sign(made.get(), issuer_key, EVP_sha256()) == 0) return failed("cannot sign");
    return made;
}

Time time_of(const ASN1_TIME* at) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(at, &parts) != 1) return {};
    return from_seconds(timegm(&parts));
}

}  // namespace

Result<CertificateFacts> read_certificate(std::string_view pem) {
    BERTH_TRY(const Certificate certificate, openssl::read_certificate(pem));
    char name[256] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name,
                              sizeof name);
    return CertificateFacts{.name = name,
                            .not_after = time_of(X509_get0_notAfter(certificate.get()))};
}

Result<std::string> fingerprint_of(std::string_view pem) {
    BERTH_TRY(const Certificate certificate, openssl::read_certificate(pem));
    unsigned char* bytes = nullptr;
    const int size = i2d_X509(certificate.get(), &bytes);
    if (size < 0) return failed("the certificate cannot be written");
    std::string text =
        sha256_hex({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
    OPENSSL_free(bytes);
    return text;
}

Result<std::string> make_key() {
    const Key key(EVP_EC_gen("P-256"));
    if (key == nullptr) return failed("cannot make a key");
    return text_of_key(key.get());
}

Result<std::string> make_request(std::string_view key_text, std::string_view name) {
    BERTH_TRY(const Key key, openssl::read_key(key_text));
    const openssl::Request request(X509_REQ_new());
    put_name(X509_REQ_get_subject_name(request.get()), "CN", std::string(name));
    if (X509_REQ_set_pubkey(request.get(), key.get()) != 1 ||
        X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0)
        return failed("cannot ask for a certificate");
    const Bio bio(BIO_new(BIO_s_mem()));
    BERTH_ASSERT(PEM_write_bio_X509_REQ(bio.get(), request.get()) == 1);
    return text_of(bio.get());
}

Result<Authority> Authority::make(const std::string& cluster, Time now) {
    const Key key(EVP_EC_gen("P-256"));
    if (key == nullptr) return failed("cannot make a key");
    const Wanted wanted{.name = cluster.substr(0, 64), .other_names = {}, .life = kAuthorityLife};
    BERTH_TRY(const Certificate made, certify(key.get(), wanted, nullptr, key.get(), now));
    return of({text_of_key(key.get()), text_of_certificate(made.get())});
}

Result<Authority> Authority::of(KeyPair pair) {
    BERTH_TRY(const Key key, openssl::read_key(pair.key));
    BERTH_TRY(const Certificate certificate, openssl::read_certificate(pair.certificate));
    if (X509_check_private_key(certificate.get(), key.get()) != 1)
        return failed("the authority's key is not that of its certificate");
    BERTH_TRY(std::string fingerprint, fingerprint_of(pair.certificate));
    return Authority(std::move(pair), std::move(fingerprint));
}

Result<Authority> Authority::open(const std::string& folder, const std::string& cluster, Time now) {
    BERTH_CHECK(make_secret_folder(folder));
    const std::string key = folder + "/ca.key", certificate = folder + "/ca.pem";
    Result<std::string> known = read_secret_file(key);
    if (known.ok()) {
        BERTH_TRY(std::string text, read_secret_file(certificate));
        auto opened = of({*std::move(known), std::move(text)});
        return opened.ok() ? std::move(opened) : prefixed(folder, opened.error());
    }
    if (known.error().code != ErrorCode::not_found) return known.error();
    BERTH_TRY(Authority made, make(cluster, now));
    // The key last: what is there without it is made anew.
    BERTH_CHECK(write_secret_file(certificate, made.certificate()));
    BERTH_CHECK(write_secret_file(key, made.pair().key));
    return made;
}

Result<KeyPair> Authority::certify_controller(const std::vector<std::string>& names, Time now,
                                              Duration life) const {
    BERTH_TRY(const Key own_key, openssl::read_key(pair_.key));
    BERTH_TRY(const Certificate own, openssl::read_certificate(pair_.certificate));
    const Key key(EVP_EC_gen("P-256"));
    if (key == nullptr) return failed("cannot make a key");
    const Wanted wanted{.name = kControllerName,
                        .other_names = names,
                        .usage = "serverAuth",
                        .life = std::min(life, time_of(X509_get0_notAfter(own.get())) - now)};
    BERTH_TRY(const Certificate made, certify(key.get(), wanted, own.get(), own_key.get(), now));
    return KeyPair{text_of_key(key.get()), text_of_certificate(made.get())};
}

Result<std::string> Authority::certify_node(std::string_view request_text, const std::string& node,
                                            Time now) const {
    const auto refuse = [](const std::string& why) {
        return Error{ErrorCode::invalid_argument, why};
    };
    if (!is_plain(node) || node.size() > 64 || node == kControllerName)
        return refuse("'" + node + "' can be no name in a certificate");
    const openssl::Request request(
        PEM_read_bio_X509_REQ(reader_of(request_text).get(), nullptr, nullptr, nullptr));
    ERR_clear_error();
    EVP_PKEY* const key = request == nullptr ? nullptr : X509_REQ_get0_pubkey(request.get());
    if (key == nullptr) return refuse("this is no request for a certificate");
    const bool strong = EVP_PKEY_get_security_bits(key) >= 112;
    if (!strong || X509_REQ_verify(request.get(), key) != 1) {
        ERR_clear_error();
        return refuse(strong ? "the request is not signed by its own key"
                             : "the request's key is too weak: P-256 would be right");
    }
    BERTH_TRY(const Key own_key, openssl::read_key(pair_.key));
    BERTH_TRY(const Certificate own, openssl::read_certificate(pair_.certificate));
    const Wanted wanted{
        .name = node, .other_names = {}, .usage = "clientAuth", .life = kNodeCertificateLife};
    BERTH_TRY(const Certificate made, certify(key, wanted, own.get(), own_key.get(), now));
    return text_of_certificate(made.get());
}

}  // namespace berth
