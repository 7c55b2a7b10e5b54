// OpenSSL's objects with owners. For the sources of this module alone.
#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth::openssl {

template <auto free>
struct Free {
    template <class T>
    void operator()(T* object) const {
        free(object);
    }
};
template <class T, auto free>
using Owned = std::unique_ptr<T, Free<free>>;

using Bio = Owned<BIO, BIO_free_all>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Owned<X509, X509_free>;
using Request = Owned<X509_REQ, X509_REQ_free>;
using DigestRun = Owned<EVP_MD_CTX, EVP_MD_CTX_free>;

// What OpenSSL says went wrong, after saying what was tried. Its list of errors is empty then.
inline Error failed(std::string_view trying) {
    const unsigned long first = ERR_peek_error();
    ERR_clear_error();
    char text[256] = "no reason given";
    if (first != 0) ERR_error_string_n(first, text, sizeof text);
    return {ErrorCode::internal, std::string(trying) + ": " + text};
}

inline Bio reader_of(std::string_view text) {
    return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}
inline std::string text_of(BIO* bio) {
    char* text = nullptr;
    const long size = BIO_get_mem_data(bio, &text);
    return {text, static_cast<std::size_t>(size)};
}

Result<Key> read_key(std::string_view pem);
Result<Certificate> read_certificate(std::string_view pem);

}  // namespace berth::openssl
