#include "berth/config/kube_priority.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/config/kube_fields.h"

namespace berth::config {
namespace {

constexpr std::int64_t kClassValueMax = 1'000'000'000;  // As in priority_classes.

}  // namespace

// Exports have the keys by alphabet, so all are read before anything is made of them.
void read_kube_priority_class(KubeFindings& findings, const KubeObject& object,
                              KubeDescription& into) {
    KubeHead head;
    KubeFields top = open_object(findings, object, head);
    PriorityClassSpec one{.name = head.name};
    const std::string value = top.read_text("value");
    one.global_default = top.read_flag("globalDefault").value_or(false);
    const std::string policy = top.read_text("preemptionPolicy");
    one.preempts = policy != "Never";
    top.ignore("description", "no meaning here");
    top.finish();
    if (head.name.starts_with("system-")) {
        return findings.warning(
            object.place, "PriorityClass " + head.name + " is of Kubernetes' own pods: skipped");
    }
    const auto number = parse_int64(value);
    if (!number.ok() || *number < 1 || *number > kClassValueMax) {
        return top.error("value", (value.empty() ? "is missing; it" : value) +
                                      " should be a whole number from 1 to " +
                                      std::to_string(kClassValueMax));
    }
    one.value = *number;
    if (!policy.empty() && policy != "Never" && policy != "PreemptLowerPriority") {
        return top.error("preemptionPolicy", policy + " should be PreemptLowerPriority or Never");
    }
    const auto is_same = [&](const PriorityClassSpec& other) { return other.name == one.name; };
    if (std::ranges::any_of(into.classes, is_same)) {
        return findings.error(object.place,
                              "PriorityClass " + head.name + " already exists: one may be");
    }
    const bool has_default = std::ranges::any_of(into.classes, &PriorityClassSpec::global_default);
    if (one.global_default && has_default) {
        return top.error("globalDefault", "another class is the global default; one may be");
    }
    into.classes.push_back(std::move(one));
}

}  // namespace berth::config
