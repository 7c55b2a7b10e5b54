// Registrar: authentication of other hosts. It certifies nodes that present a join token, issues
// tokens for users' commands, and verifies them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "berth/api/messages.h"
#include "berth/model/order.h"
#include "berth/server/auth/user_token.h"
#include "berth/server/snapshot/read_model.h"
#include "berth/trust/certificates.h"
#include "berth/trust/join_tokens.h"
#include "berth/trust/revocations.h"

namespace berth {

// From any thread.
class Registrar {
public:
    // `launch_key`: the public key, as PEM, by which launchers verify the controller's orders.
    Registrar(Authority authority, SigningKeys keys, std::string cluster,
              std::string launch_key = {}, Revocations revocations = {})
        : authority_(std::move(authority)),
          keys_(std::move(keys)),
          cluster_(std::move(cluster)),
          launch_key_(std::move(launch_key)),
          revocations_(std::move(revocations)) {}

    const Authority& authority() const { return authority_; }

    Result<api::JoinTokenReply> create_join_token(api::JoinTokenCall call, const ClusterSpec& spec,
                                                  Time now);
    Result<api::JoinReply> join(const api::JoinCall& call, const ClusterSpec& spec, Time now);
    // REQUIRES: the link's peer has proved that it is the node.
    Result<std::string> renew(const std::string& request, const std::string& node, Time now) const;

    // Revokes all certificates that this node has been given so far, and calls the callback of
    // when_revoked().
    Status revoke(const std::string& node, const ClusterSpec& spec, Time now);
    void when_revoked(std::function<void(const std::string& node)> revoked) {
        revoked_ = std::move(revoked);
    }
    // Why a node's certificate is rejected although our authority has signed it; empty: it is
    // valid.
    std::string objection_to(const std::string& certificate) const;

    // The caller has looked up the user and the uid.
    Result<api::TokenReply> create_token(const std::string& user, std::uint32_t uid,
                                         std::optional<Duration> lifetime, Time now) const;
    // Identifies the job's owner, while this attempt runs.
    std::string token_of_job(const LaunchAttempt& launch, Time now) const;

    struct Known {
        UserToken token;
        Principal principal;  // Without a role; the names are the token's.
    };
    Result<Known> identify(std::string_view token, const Snapshot& snapshot, Time now) const;

private:
    const Authority authority_;
    const SigningKeys keys_;
    const std::string cluster_, launch_key_;
    JoinTokens join_tokens_;
    Revocations revocations_;
    std::function<void(const std::string&)> revoked_;
};

}  // namespace berth
