#include "berth/config/kube_priority.h"

#include <gtest/gtest.h>

#include "berth/config/kube_rig.h"

namespace berth::config {
namespace {

std::string class_yaml(const std::string& name, const std::string& rest) {
    return "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: " + name +
           "}\n" + rest;
}

// Seed 001 §5.2.2, with the words around it.
TEST(KubePriorityClass, OfTheSeedIsFoundAmongProse) {
    const QueueImport found = import_text(R"(优先级:
  PriorityClass:
    - 优先级定义
  配置示例:
    apiVersion: scheduling.k8s.io/v1
    kind: PriorityClass
    metadata:
      name: gpu-high-priority
    value: 1000
    globalDefault: false
    description: "High priority for GPU jobs"
  使用示例:
    spec:
      priorityClassName: gpu-high-priority
)");
    EXPECT_EQ(found.text, "priority_classes:\n  gpu-high-priority: {value: 1000}\n");
    EXPECT_EQ(findings_of(found),
              "q.yaml:2: warning: PriorityClass, 使用示例: no Kubernetes object, skipped\n"
              "q.yaml:11: warning: PriorityClass gpu-high-priority: description: no meaning "
              "here\n");
    expect_same_when_read_back(found);
}

// kubectl prints keys by alphabet, and Kubernetes' own classes among the others.
TEST(KubePriorityClass, OfAnExportIsRead) {
    const QueueImport found = import_text(R"(apiVersion: v1
items:
- apiVersion: scheduling.k8s.io/v1
  globalDefault: true
  kind: PriorityClass
  metadata:
    name: usual
  preemptionPolicy: PreemptLowerPriority
  value: 10
- apiVersion: scheduling.k8s.io/v1
  kind: PriorityClass
  metadata:
    name: patient
  preemptionPolicy: Never
  value: 500
- apiVersion: scheduling.k8s.io/v1
  kind: PriorityClass
  metadata:
    name: system-node-critical
  value: 2000001000
kind: List
)");
    EXPECT_EQ(found.text,
              "priority_classes:\n"
              "  usual: {value: 10, global_default: yes}\n"
              "  patient: {value: 500, preemption_policy: Never}\n");
    EXPECT_EQ(findings_of(found),
              "q.yaml:16: warning: PriorityClass system-node-critical is of Kubernetes' own pods: "
              "skipped\n");
    expect_same_when_read_back(found);
}

TEST(KubePriorityClass, SaysWhatIsWrong) {
    struct Unfit {
        const char *rest, *says;
    };
    for (const auto& [rest, says] : {
             Unfit{"", "value: is missing; it should be a whole number from 1 to 1000000000"},
             Unfit{"value: 0\n", "q.yaml:4: error: PriorityClass high: value: 0 should be a whole"},
             Unfit{"value: -5\n", "value: -5 should be a whole number from 1 to 1000000000"},
             Unfit{"value: 2000000000\n", "value: 2000000000 should be a whole number"},
             Unfit{"value: 1e3\n", "value: 1e3 should be a whole number"},
             Unfit{"value: 5\npreemptionPolicy: Always\n",
                   "q.yaml:5: error: PriorityClass high: preemptionPolicy: Always should be "
                   "PreemptLowerPriority or Never"},
             Unfit{"value: 5\nglobalDefault: perhaps\n", "perhaps should be true or false"},
             Unfit{"value: 5\nspec: {value: 5}\n", "PriorityClass high has no key spec; it has"},
         }) {
        expect_says(class_yaml("high", rest), says);
    }
    expect_says(class_yaml("a", "value: 5\n") + "---\n" + class_yaml("a", "value: 6\n"),
                "q.yaml:6: error: PriorityClass a already exists: one may be");
    expect_says(class_yaml("a", "value: 5\nglobalDefault: true\n") + "---\n" +
                    class_yaml("b", "value: 6\nglobalDefault: true\n"),
                "globalDefault: another class is the global default; one may be");
    expect_says(class_yaml("", "value: 5\n"),
                "metadata of PriorityClass: name: '' should be a name of small letters");
    expect_says(class_yaml("High", "value: 5\n"), "name: 'High' should be a name");
    expect_says("apiVersion: scheduling.k8s.io/v1alpha1\nkind: PriorityClass\n",
                "PriorityClass of scheduling.k8s.io/v1alpha1 is not imported; right would be: "
                "PriorityClass of scheduling.k8s.io/v1");
}

// A word that YAML would take for another kind of value is quoted.
TEST(KubePriorityClass, HasANameOfAnySort) {
    const QueueImport found = import_text(class_yaml("'null'", "value: 5\n") + "---\n" +
                                          class_yaml("'1e3'", "value: 6\n"));
    EXPECT_EQ(found.text, "priority_classes:\n  'null': {value: 5}\n  '1e3': {value: 6}\n");
    expect_same_when_read_back(found);
}

}  // namespace
}  // namespace berth::config
