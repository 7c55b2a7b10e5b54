#include "berth/config/priority_classes.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "berth/base/text.h"
#include "berth/base/yes_no.h"

namespace berth::config {
namespace {

constexpr std::int64_t kValueMax = 1'000'000'000;  // Kubernetes' own bound for users' classes.

class ClassReader {
public:
    ClassReader(Draft& draft, const std::string& file) : draft_(draft), file_(file) {}

    void read(const YAML::Node& node) {
        draft_.yaml.priority_classes = line_of(node);
        if (!node.IsMap()) return error(node, "should be a map of names, each with a value");
        for (const auto& entry : node) {
            PriorityClassSpec one{.name = entry.first.as<std::string>()};
            read_class(entry.second, one);
            draft_.spec.priority_classes.push_back(std::move(one));
        }
        check_default(node);
    }

private:
    void read_class(const YAML::Node& node, PriorityClassSpec& one) {
        if (!node.IsMap()) {
            return error(node, "class " + one.name + " should be a map with a value");
        }
        for (const auto& entry : node) {
            const auto key = entry.first.as<std::string>();
            const std::string text = entry.second.IsScalar() ? entry.second.Scalar() : "";
            if (key == "value") {
                read_value(entry.second, text, one);
            } else if (key == "global_default") {
                const auto yes = parse_yes_no(text);
                if (!yes) error(entry.second, "global_default: " + text + " should be yes or no");
                one.global_default = yes.value_or(false);
            } else if (key == "preemption_policy") {
                read_policy(entry.second, text, one);
            } else {
                error(entry.first, "there is no option " + key +
                                       " here; there are value, global_default, "
                                       "preemption_policy");
            }
        }
        if (one.value == 0 && !wrong_) error(node, "class " + one.name + " has no value");
    }

    void read_value(const YAML::Node& node, const std::string& text, PriorityClassSpec& one) {
        const auto value = parse_int64(text);
        if (value.ok() && *value >= 1 && *value <= kValueMax) {
            one.value = *value;
        } else {
            error(node, "value: " + text + " should be 1 to " + std::to_string(kValueMax));
        }
    }

    void read_policy(const YAML::Node& node, const std::string& text, PriorityClassSpec& one) {
        if (iequals(text, "Never")) {
            one.preempts = false;
        } else if (iequals(text, "PreemptAlways")) {
            one.preempts_newer = true;
            draft_.yaml.preempt_always[one.name] = line_of(node);
        } else if (iequals(text, "PreemptLowerPriority") || iequals(text, "PreemptLower")) {
            one.preempts_newer = false;
        } else {
            error(node, "preemption_policy: " + text +
                            " should be PreemptLowerPriority, PreemptAlways or Never");
        }
    }

    void check_default(const YAML::Node& node) {
        const auto defaults =
            std::ranges::count_if(draft_.spec.priority_classes, &PriorityClassSpec::global_default);
        if (defaults > 1) error(node, "several classes are the global_default; one may be");
    }

    Line line_of(const YAML::Node& at) const {
        const auto line = static_cast<std::size_t>(std::max(at.Mark().line, 0)) + 1;
        return {.file = file_, .number = line, .pairs = {}};
    }
    void error(const YAML::Node& at, const std::string& text) {
        wrong_ = true;
        draft_.error(line_of(at), text);
    }

    Draft& draft_;
    std::string file_;
    bool wrong_ = false;
};

// What a class's policy needs of `preemption`.
void check_preempt_always(Draft& draft) {
    const PreemptionSpec& preemption = draft.spec.scheduling.preemption;
    for (const auto& [name, line] : draft.yaml.preempt_always) {
        if (preemption.by != PreemptBy::priority) {
            draft.warning(line, "preemption_policy: PreemptAlways of class " + name +
                                    " has no effect without preemption: {by: priority}");
        } else if (preemption.min_difference > 1) {
            draft.error(line, "preemption_policy: PreemptAlways of class " + name +
                                  " and preemption's min_difference: " +
                                  std::to_string(preemption.min_difference) +
                                  " contradict each other");
        }
    }
}

}  // namespace

void read_priority_classes(Draft& draft, const std::string& file, const YAML::Node& node) {
    ClassReader(draft, file).read(node);
}

// In the order of submission, priorities count down from 4294901760: above any class.
void check_priority_classes(Draft& draft) {
    check_preempt_always(draft);
    const ClusterSpec& spec = draft.spec;
    const bool by_submission = std::ranges::none_of(
        spec.scheduling.rules, [](const RuleSpec& rule) { return rule.kind == "priority"; });
    const bool any_default =
        std::ranges::any_of(spec.priority_classes, &PriorityClassSpec::global_default);
    if (spec.priority_classes.empty() || !by_submission || any_default) return;
    draft.warning(draft.yaml.priority_classes,
                  "jobs without a priority class come before those with one, because the order is "
                  "that of submission; give one class global_default: yes, or set "
                  "PriorityType=priority/multifactor");
}

}  // namespace berth::config
