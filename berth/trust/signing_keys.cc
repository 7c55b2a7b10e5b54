#include "berth/trust/signing_keys.h"

#include <algorithm>
#include <array>

#include "berth/base/assert.h"
#include "berth/trust/key_file.h"
#include "berth/trust/openssl.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

using openssl::failed;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

Result<openssl::Key> of_our_kind(openssl::Key key) {
    if (EVP_PKEY_get_id(key.get()) == EVP_PKEY_ED25519) return key;
    return Error{ErrorCode::invalid_argument, "a key to sign with should be an Ed25519 key"};
}

Result<openssl::Key> read_signing_key(const std::string& pem) {
    BERTH_TRY(openssl::Key key, openssl::read_key(pem));
    return of_our_kind(std::move(key));
}

Result<std::string> id_of(EVP_PKEY* key) {
    std::array<unsigned char, 32> open{};
    std::size_t size = open.size();
    if (EVP_PKEY_get_raw_public_key(key, open.data(), &size) != 1)
        return failed("the key cannot be read");
    return sha256_hex({reinterpret_cast<const char*>(open.data()), size}).substr(0, 16);
}

}  // namespace

struct SigningKeys::Key {
    openssl::Key key;
};

Result<std::string> make_signing_key() {
    const openssl::Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    if (key == nullptr) return failed("cannot make a key");
    const openssl::Bio bio(BIO_new(BIO_s_mem()));
    BERTH_ASSERT(PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                               nullptr) == 1);
    return openssl::text_of(bio.get());
}

Result<SigningKeys> SigningKeys::of(const std::string& current, const std::string& old) {
    SigningKeys keys;
    for (const std::string& pem : {old, current}) {
        if (pem.empty()) continue;
        BERTH_TRY(openssl::Key key, read_signing_key(pem));
        BERTH_TRY(keys.current_, id_of(key.get()));
        keys.by_id_[keys.current_] = std::make_shared<const Key>(Key{std::move(key)});
    }
    return keys;
}

Result<SigningKeys> SigningKeys::open(const std::string& folder, const std::string& name) {
    BERTH_CHECK(make_secret_folder(folder));
    const std::string path = folder + '/' + name + ".key";
    const std::string old_path = folder + '/' + name + ".old.key";
    Result<std::string> current = read_secret_file(path);
    if (!current.ok()) {
        if (current.error().code != ErrorCode::not_found) return current.error();
        current = make_signing_key();
        if (!current.ok()) return current.error();
        BERTH_CHECK(write_secret_file(path, *current));
    }
    Result<std::string> old = read_secret_file(old_path);
    if (!old.ok() && old.error().code != ErrorCode::not_found) return old.error();
    return of(*current, old.value_or(""));
}

const std::string& SigningKeys::id_for(const std::vector<std::string>& known) const {
    if (known.empty() || std::ranges::find(known, current_) != known.end()) return current_;
    for (const std::string& one : known) {
        if (const auto found = by_id_.find(one); found != by_id_.end()) return found->first;
    }
    return current_;
}

std::string SigningKeys::sign(std::string_view text, const std::string& id) const {
    EVP_PKEY* const key = by_id_.at(id)->key.get();
    const openssl::DigestRun run(EVP_MD_CTX_new());
    std::array<unsigned char, 64> signature{};
    std::size_t size = signature.size();
    BERTH_ASSERT(EVP_DigestSignInit(run.get(), nullptr, nullptr, nullptr, key) == 1);
    BERTH_ASSERT(EVP_DigestSign(run.get(), signature.data(), &size, bytes_of(text), text.size()) ==
                 1);
    return {reinterpret_cast<const char*>(signature.data()), size};
}

namespace {

bool is_signed(EVP_PKEY* key, std::string_view text, std::string_view signature) {
    const openssl::DigestRun run(EVP_MD_CTX_new());
    BERTH_ASSERT(EVP_DigestVerifyInit(run.get(), nullptr, nullptr, nullptr, key) == 1);
    const bool right = EVP_DigestVerify(run.get(), bytes_of(signature), signature.size(),
                                        bytes_of(text), text.size()) == 1;
    ERR_clear_error();
    return right;
}

}  // namespace

bool SigningKeys::verify(const std::string& id, std::string_view text,
                         std::string_view signature) const {
    const auto found = by_id_.find(id);
    return found != by_id_.end() && is_signed(found->second->key.get(), text, signature);
}

std::string SigningKeys::public_keys() const {
    const openssl::Bio bio(BIO_new(BIO_s_mem()));
    for (const auto& [id, one] : by_id_)
        BERTH_ASSERT(PEM_write_bio_PUBKEY(bio.get(), one->key.get()) == 1);
    return openssl::text_of(bio.get());
}

Result<VerifyingKeys> VerifyingKeys::of(const std::string& pem) {
    VerifyingKeys keys;
    const openssl::Bio bio = openssl::reader_of(pem);
    while (openssl::Key one{PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr)}) {
        BERTH_TRY(one, of_our_kind(std::move(one)));
        BERTH_TRY(const std::string id, id_of(one.get()));
        keys.by_id_[id] =
            std::make_shared<const SigningKeys::Key>(SigningKeys::Key{std::move(one)});
    }
    ERR_clear_error();
    if (!keys.by_id_.empty()) return keys;
    return Error{ErrorCode::invalid_argument, "no public key is there, as PEM"};
}

std::vector<std::string> VerifyingKeys::ids() const {
    std::vector<std::string> all;
    for (const auto& [id, key] : by_id_) all.push_back(id);
    return all;
}

bool VerifyingKeys::verify(const std::string& id, std::string_view text,
                           std::string_view signature) const {
    const auto found = by_id_.find(id);
    return found != by_id_.end() && is_signed(found->second->key.get(), text, signature);
}

}  // namespace berth
