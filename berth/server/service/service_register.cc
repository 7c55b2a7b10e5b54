// The routes by which nodes join and users get the tokens of their commands.
#include "berth/api/json.h"
#include "berth/api/problem.h"
#include "berth/control/requests/authorize.h"
#include "berth/server/auth/peer.h"
#include "berth/server/service/service.h"
#include "berth/trust/wall_time.h"

namespace berth {
namespace {

using Outcome = std::variant<ApiResponse, ForController, SlowRead>;

ApiResponse refuse(const Error& error) {
    const std::int32_t status = error.code == ErrorCode::permission_denied    ? 403
                                : error.code == ErrorCode::invalid_argument   ? 400
                                : error.code == ErrorCode::resource_exhausted ? 503
                                                                              : 500;
    return respond(api::problem_of_status(status, error.message));
}

ApiResponse no_registrar() {
    return respond(api::problem_of_status(
        501, "this controller listens for no other hosts: start berthd with --listen"));
}

// What the registrar made of the body, as the answer.
template <class Call, class Make>
ApiResponse made(const ApiRequest& request, Make make) {
    Result<Call> call = api::from_json<Call>(request.body.empty() ? "{}" : request.body);
    if (!call.ok()) return respond(api::problem_of_status(400, call.error().message));
    const auto reply = make(*std::move(call));
    return reply.ok() ? respond_json(api::to_json(*reply), 201) : refuse(reply.error());
}

}  // namespace

ApiResponse Service::create_join_token(const Routed& routed) const {
    if (registrar_ == nullptr) return no_registrar();
    return made<api::JoinTokenCall>(routed.request, [&](api::JoinTokenCall call) {
        return registrar_->create_join_token(std::move(call), *routed.snapshot->spec, wall_time());
    });
}

ApiResponse Service::revoke_certificates(const Routed& routed) const {
    if (registrar_ == nullptr) return no_registrar();
    const Status done = registrar_->revoke(routed.capture, *routed.snapshot->spec, wall_time());
    return done.ok() ? respond_json(api::to_json(api::Accepted{})) : refuse(done.error());
}

ApiResponse Service::join(const Routed& routed) const {
    if (registrar_ == nullptr) return no_registrar();
    return made<api::JoinCall>(routed.request, [&](const api::JoinCall& call) {
        return registrar_->join(call, *routed.snapshot->spec, wall_time());
    });
}

// Given out to those alone whom the kernel has named: a token that made tokens would never end. The
// system may have to be asked for the user, and may be slow.
Outcome Service::create_token(const Routed& routed) const {
    if (registrar_ == nullptr) return no_registrar();
    if (routed.request.remote) {
        return refuse(
            {ErrorCode::permission_denied, "tokens are given out on the controller's own host"});
    }
    return [registrar = registrar_, request = routed.request] {
        const Principal& who = request.principal;
        return made<api::TokenCall>(
            request, [&](const api::TokenCall& call) -> Result<api::TokenReply> {
                if (call.user.empty() || call.user == who.user)
                    return registrar->create_token(who.user, who.uid, call.lifetime, wall_time());
                if (!allowed(who.role, Verb::create_token, false)) {
                    return Error{ErrorCode::permission_denied,
                                 who.user + " may not have a token of " + call.user};
                }
                const std::optional<PeerIds> ids = ids_of_user(call.user);
                if (!ids)
                    return Error{ErrorCode::invalid_argument, "there is no user " + call.user};
                return registrar->create_token(call.user, ids->uid, call.lifetime, wall_time());
            });
    };
}

}  // namespace berth
