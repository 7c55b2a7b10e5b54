// Admission: the priority that a job may have, by hand or by its priority class.
#include <algorithm>

#include "berth/engine/admission/admission_checks.h"

namespace berth {
namespace {

std::string names_of(const std::vector<PriorityClassSpec>& classes) {
    std::string text;
    for (const PriorityClassSpec& one : classes) text += (text.empty() ? "" : ", ") + one.name;
    return text;
}

}  // namespace

Objection check_priority(const Principal& owner, const JobSpec& spec, PriorityBy set_by) {
    const bool by_operator =
        set_by == PriorityBy::site || owner.role == Role::op || owner.role == Role::admin;
    if (spec.nice < -kNiceMax || spec.nice > kNiceMax) {
        return Refusing{.why = Refusal::invalid_request,
                        .message = "nice can be -2147483645 to 2147483645"};
    }
    if (!by_operator && (spec.nice < 0 || spec.priority.value_or(0) > 0)) {
        return Refusing{.why = Refusal::not_allowed,
                        .message = "only operators set a negative nice or a priority"};
    }
    return std::nullopt;
}

// The class's value is the job's priority from now on: other values of the class, later, concern
// later jobs, as in Kubernetes.
Objection resolve_priority_class(const ClusterSpec& spec, Job& job) {
    const std::vector<PriorityClassSpec>& classes = spec.priority_classes;
    const std::string name = job.spec.request->priority_class;
    auto known = std::ranges::find(classes, name, &PriorityClassSpec::name);
    if (name.empty()) {
        if (job.spec.priority) return std::nullopt;
        known = std::ranges::find_if(classes, &PriorityClassSpec::global_default);
        if (known == classes.end()) return std::nullopt;
    } else if (known == classes.end()) {
        return Refusing{.why = Refusal::invalid_request,
                        .message = "there is no priority class '" + name + "'" +
                                   (classes.empty() ? "; berth.yaml's priority_classes has none"
                                                    : "; there are: " + names_of(classes))};
    } else if (job.spec.priority.value_or(0) > 0) {
        return Refusing{.why = Refusal::invalid_request,
                        .message = "a job has a priority or a priority class, not both"};
    }
    job.spec.request.edit().priority_class = known->name;
    if (!job.spec.priority) job.spec.priority = static_cast<std::uint32_t>(known->value);
    return std::nullopt;
}

}  // namespace berth
