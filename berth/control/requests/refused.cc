#include "berth/control/requests/refused.h"

#include <utility>

namespace berth {

Refused refused(Refusing refusing, std::optional<JobId> job) {
    return {refusing.why, std::move(refusing.message), std::move(refusing.details), job};
}

Refused refused(Refusal why, std::string message, std::optional<JobId> job) {
    return {why, std::move(message), {}, job};
}

std::optional<Refused> forbidden(const ClusterSpec& spec, const Principal& principal, Verb verb,
                                 const Job& job) {
    if (allowed(principal.role, verb, acts_as_owner(spec, principal, verb, job)))
        return std::nullopt;
    return refused(Refusal::not_allowed,
                   "User '" + principal.user + "' (" + std::string(name(principal.role)) +
                       ") may not do this to job " + to_string(job.id) + " of user '" +
                       job.owner->user + "': " + std::string(name(verb)),
                   job.id);
}

std::optional<Refused> forbidden(const Principal& principal, Verb verb) {
    if (allowed(principal.role, verb, verb == Verb::submit_job)) return std::nullopt;
    return refused(Refusal::not_allowed, "User '" + principal.user + "' (" +
                                             std::string(name(principal.role)) +
                                             ") may not do this: " + std::string(name(verb)));
}

}  // namespace berth
