#include "berth/control/commands/admit_submission.h"

#include "berth/control/commands/components.h"
#include "berth/control/requests/limits.h"

namespace berth {

std::variant<std::vector<Job>, Refused> admit_submission(TurnBuilder& builder,
                                                         const Principal& principal,
                                                         const SubmitJob& command, bool has_room) {
    if (!has_room) {
        return refused(Refusal::read_only,
                       "The controller has no space left to record new jobs. What runs goes on; "
                       "submit again once its administrator has made room");
    }
    if (auto refusing = too_large(command)) return refused(*std::move(refusing));
    if (command.spec.command->interactive && !command.payload.script.empty()) {
        return refused(Refusal::invalid_request, "An interactive job has no script");
    }
    if (!command.spec.command->interactive && command.payload.script.empty()) {
        return refused(Refusal::invalid_request,
                       "A batch job needs a script, and the script is empty");
    }
    const PriorityBy set_by = command.site_set_priority ? PriorityBy::site : PriorityBy::owner;
    if (!command.components.empty()) {
        std::vector<JobSpec> specs{command.spec};
        specs.insert(specs.end(), command.components.begin(), command.components.end());
        auto admitted = admit_components(builder, principal, specs, set_by);
        if (auto* no = std::get_if<Refusing>(&admitted)) return refused(std::move(*no));
        return std::get<std::vector<Job>>(std::move(admitted));
    }
    auto admitted = admit(builder.state(), builder.now(), principal, command.spec, set_by);
    if (auto* no = std::get_if<Refusing>(&admitted)) return refused(std::move(*no));
    return std::vector<Job>{std::get<Job>(std::move(admitted))};
}

}  // namespace berth
