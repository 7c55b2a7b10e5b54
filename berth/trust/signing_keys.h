// SigningKeys: the Ed25519 keys by which the controller knows the tokens that it has given out, and
// others know its launch credentials. VerifyingKeys: their public halves, for those others.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

class SigningKeys {
public:
    // FOLDER/token.key signs, and is made where there is none; FOLDER/token.old.key, where it is
    // there, is still believed. To take the keys away is to make all that they signed void.
    static Result<SigningKeys> open(const std::string& folder) { return open(folder, "token"); }
    // The same of NAME.key and NAME.old.key.
    static Result<SigningKeys> open(const std::string& folder, const std::string& name);
    static Result<SigningKeys> of(const std::string& current, const std::string& old = {});

    const std::string& id() const { return current_; }  // Of the key that signs.
    bool has(const std::string& id) const { return by_id_.contains(id); }
    std::string sign(std::string_view text) const { return sign(text, current_); }
    std::string sign(std::string_view text, const std::string& id) const;  // REQUIRES: has(id).
    // The one to sign with for somebody who knows these: the current one, if they are none or it
    // is among them; else another of ours that is. The current one where none is.
    const std::string& id_for(const std::vector<std::string>& known) const;
    bool verify(const std::string& id, std::string_view text, std::string_view signature) const;
    std::string public_keys() const;  // PEM, of all of them: for VerifyingKeys.

    struct Key;  // Of signing_keys.cc.

private:
    SigningKeys() = default;
    std::string current_;
    std::map<std::string, std::shared_ptr<const Key>> by_id_;
};

class VerifyingKeys {
public:
    // One or more public keys, as PEM, one behind the other.
    static Result<VerifyingKeys> of(const std::string& pem);
    bool verify(const std::string& id, std::string_view text, std::string_view signature) const;
    bool knows(const std::string& id) const { return by_id_.contains(id); }
    std::vector<std::string> ids() const;

private:
    std::map<std::string, std::shared_ptr<const SigningKeys::Key>> by_id_;
};

Result<std::string> make_signing_key();

}  // namespace berth
