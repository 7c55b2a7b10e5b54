#include "berth/server/auth/registrar.h"

#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/model/new_node.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

constexpr std::size_t kTokenIdBytes = 12;
// A job's token goes with the job; this is only so that none is for ever.
constexpr Duration kJobTokenLifeMax = std::chrono::hours(24) * 400;

Error refuse(ErrorCode code, std::string why) { return {code, std::move(why)}; }

// One that is configured nowhere may by itself, where the site has room for such.
bool may_join(const std::string& node, const ClusterSpec& spec) {
    return spec.find_node(node).has_value() || (spec.max_node_count > 0 && is_node_name(node));
}

}  // namespace

Result<api::JoinTokenReply> Registrar::create_join_token(api::JoinTokenCall call,
                                                         const ClusterSpec& spec, Time now) {
    for (const std::string& node : call.nodes) {
        if (may_join(node, spec)) continue;
        return refuse(ErrorCode::invalid_argument,
                      "no node '" + node +
                          "' is configured: add it to slurm.conf first, or MaxNodeCount, so that "
                          "others may join");
    }
    BERTH_TRY(std::string secret, join_tokens_.create(std::move(call.nodes), call.lifetime, now));
    return api::JoinTokenReply{.token = to_string(JoinToken{secret, authority_.fingerprint()}),
                               .expires_at = now + call.lifetime};
}

Result<api::JoinReply> Registrar::join(const api::JoinCall& call, const ClusterSpec& spec,
                                       Time now) {
    if (!may_join(call.node, spec))
        return refuse(ErrorCode::permission_denied, "no node '" + call.node + "' is configured");
    // A stranger makes us sign nothing; nor is a token used up by a request that is wrong anyway.
    BERTH_CHECK(join_tokens_.check(call.secret, call.node, now));
    BERTH_TRY(std::string certificate,
              authority_.certify_node(call.request, call.node,
                                      revocations_.believed_from(call.node, now)));
    BERTH_CHECK(join_tokens_.redeem(call.secret, call.node, now));
    // What the node believes: the authority's certificate, and behind it the keys of launch orders.
    return api::JoinReply{std::move(certificate), authority_.certificate() + launch_key_, cluster_};
}

Result<std::string> Registrar::renew(const std::string& request, const std::string& node,
                                     Time now) const {
    return authority_.certify_node(request, node, revocations_.believed_from(node, now));
}

// A node that is configured no more may have a certificate still.
Status Registrar::revoke(const std::string& node, const ClusterSpec& spec, Time now) {
    if (node.empty() || node.find_first_of(" \n") != std::string::npos || !spec.find_node(node))
        return refuse(ErrorCode::invalid_argument, "there is and was no node '" + node + "'");
    BERTH_CHECK(revocations_.revoke(node, now));
    if (revoked_) revoked_(node);
    return Done{};
}

std::string Registrar::objection_to(const std::string& certificate) const {
    const Result<CertificateFacts> facts = read_certificate(certificate);
    if (!facts.ok()) return facts.error().message;
    // Its beginning is put back for clocks that differ; its end is not.
    if (!revocations_.is_revoked(facts->name, facts->not_after - kNodeCertificateLife)) return {};
    return "the certificate of node '" + facts->name +
           "' is revoked: let it join again, with a new token (berth token create)";
}

Result<api::TokenReply> Registrar::create_token(const std::string& user, std::uint32_t uid,
                                                std::optional<Duration> lifetime, Time now) const {
    const Duration life = lifetime.value_or(kUserTokenLife);
    if (life <= Duration{} || life > kUserTokenLifeMax) {
        return refuse(ErrorCode::invalid_argument,
                      "a token should live for 1 second to 12 hours (lifespan=43200)");
    }
    const UserToken token{.user = user,
                          .uid = uid,
                          .audience = cluster_,
                          .issued_at = now,
                          .expires_at = now + life,
                          .id = random_secret(kTokenIdBytes)};
    return api::TokenReply{write_user_token(token, keys_), token.expires_at};
}

std::string Registrar::token_of_job(const LaunchAttempt& launch, Time now) const {
    return write_user_token({.user = *launch.owner.user,
                             .uid = launch.owner.uid,
                             .audience = cluster_,
                             .issued_at = now,
                             // It ends with the run, whose limit may yet be moved: see identify().
                             .expires_at = now + kJobTokenLifeMax,
                             .id = random_secret(kTokenIdBytes),
                             .job = launch.job,
                             .attempt = launch.attempt.value()},
                            keys_);
}

Result<Registrar::Known> Registrar::identify(std::string_view text, const Snapshot& snapshot,
                                             Time now) const {
    BERTH_TRY(UserToken token, read_user_token(text, keys_, cluster_, now));
    Known known{.principal = {.uid = token.uid, .user = token.user}};
    if (token.job) {
        const Job* const job = snapshot.find_job(*token.job);
        const bool lives = job != nullptr && job->attempt.value() == token.attempt &&
                           (job->state == JobState::running || job->state == JobState::completing);
        if (!lives || job->owner->uid != token.uid) {
            return refuse(
                ErrorCode::permission_denied,
                "the token is that of job " + to_string(*token.job) + ", whose run is over");
        }
        known.principal.gid = job->owner->gid;
        known.principal.group = *job->owner->group;
    }
    known.token = std::move(token);
    return known;
}

}  // namespace berth
