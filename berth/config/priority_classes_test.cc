#include <gtest/gtest.h>

#include "berth/config/config_rig.h"

namespace berth::config {
namespace {

constexpr const char* kBasic = "PriorityType=priority/basic\n";
constexpr const char* kMultifactor = "PriorityType=priority/multifactor\nPriorityWeightAge=10\n";

Loaded load_classes(const std::string& yaml, const std::string& keys = kMultifactor) {
    return load_slurm(std::string(kSmall) + keys, "", "", "", yaml);
}

TEST(PriorityClasses, HaveValuesADefaultAndAPolicy) {
    const Loaded loaded = load_classes(R"(
priority_classes:
  high: {value: 1000}
  low: {value: 10, global_default: yes}
  patient: {value: 500, preemption_policy: Never}
  bold: {value: 500, preemption_policy: PreemptLowerPriority}
  seed: {value: 500, preemption_policy: PreemptLower}
  first: {value: 500, preemption_policy: PreemptAlways}
preemption: {by: priority, mode: requeue}
)");
    EXPECT_EQ(text_of(loaded), "");
    const std::vector<PriorityClassSpec> expected = {
        {.name = "high", .value = 1000},
        {.name = "low", .value = 10, .global_default = true},
        {.name = "patient", .value = 500, .preempts = false},
        {.name = "bold", .value = 500, .preempts_newer = false},
        {.name = "seed", .value = 500, .preempts_newer = false},
        {.name = "first", .value = 500, .preempts_newer = true}};
    EXPECT_EQ(loaded.spec.priority_classes, expected);
}

TEST(PriorityClasses, SayWhatIsWrongAtTheirLine) {
    struct Case {
        const char *yaml, *says;
    };
    for (const auto& [yaml, says] : {
             Case{"priority_classes: high\n", ":1: error: should be a map of names"},
             Case{"priority_classes:\n  high: 1000\n",
                  ":2: error: class high should be a map with a value"},
             Case{"priority_classes:\n  high: {}\n", ":2: error: class high has no value"},
             Case{"priority_classes:\n  high:\n    value: -5\n",
                  ":3: error: value: -5 should be 1 to 1000000000"},
             Case{"priority_classes:\n  high: {value: 1, weight: 2}\n",
                  ":2: error: there is no option weight here; there are value, global_default"},
             Case{"priority_classes:\n  high: {value: 1, global_default: perhaps}\n",
                  ":2: error: global_default: perhaps should be yes or no"},
             Case{"priority_classes:\n  high: {value: 1, preemption_policy: Always}\n",
                  "preemption_policy: Always should be PreemptLowerPriority, PreemptAlways or "
                  "Never"},
             Case{"priority_classes:\n  high: {value: 1, preemption_policy: PreemptAlways}\n",
                  ":2: warning: preemption_policy: PreemptAlways of class high has no effect "
                  "without preemption: {by: priority}"},
             Case{"preemption: {by: priority, mode: requeue, min_difference: 5}\n"
                  "priority_classes:\n  high: {value: 1, preemption_policy: PreemptAlways}\n",
                  ":3: error: preemption_policy: PreemptAlways of class high and preemption's "
                  "min_difference: 5 contradict each other"},
             Case{"priority_classes:\n  a: {value: 1, global_default: yes}\n"
                  "  b: {value: 2, global_default: yes}\n",
                  "several classes are the global_default; one may be"},
         }) {
        const std::string text = text_of(load_classes(yaml));
        EXPECT_NE(text.find(says), std::string::npos) << yaml << text;
    }
}

// FIFO's priorities are above any class.
TEST(PriorityClasses, WarnWhereJobsWithoutOneWouldComeFirst) {
    const char* const without = "priority_classes:\n  high: {value: 1000}\n";
    EXPECT_EQ(text_of(load_classes(without)), "");
    EXPECT_NE(text_of(load_classes(without, kBasic))
                  .find("yaml:2: warning: jobs without a priority class"),
              std::string::npos)
        << text_of(load_classes(without, kBasic));
    EXPECT_EQ(text_of(load_classes(
                  "priority_classes:\n  high: {value: 1000, global_default: yes}\n", kBasic)),
              "");
}

}  // namespace
}  // namespace berth::config
