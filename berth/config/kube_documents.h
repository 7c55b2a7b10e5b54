// Kubernetes objects out of YAML files, each with the place where it stands.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/config/finding.h"
#include "berth/config/lines.h"

namespace berth::config {

struct KubePlace {
    std::string file;
    std::size_t line = 0;  // From 1.
};

// What there is to say of the files.
class KubeFindings {
public:
    void error(const KubePlace& at, std::string text);
    void warning(const KubePlace& at, std::string text);
    bool has_errors() const { return all_.has_errors(); }
    std::vector<Finding> sorted();

    // Each key and each item costs one: YAML's aliases can make a few bytes mean billions. False,
    // and an error once, when too many were read.
    bool afford(const KubePlace& at);

private:
    Findings all_;
    std::size_t left_ = 1'000'000;
};

// A YAML text within a file: a ConfigMap holds one that begins some lines below the file's first.
struct KubeText {
    std::string file;
    std::size_t before = 0;               // Lines of the file above the text.
    const std::string* source = nullptr;  // The file's text; of a text within it: none.

    KubePlace place_of(const YAML::Node& node) const;
};

struct KubeObject {
    std::string api, kind;  // "kueue.x-k8s.io/v1beta2", "ClusterQueue".
    KubeText text;
    KubePlace place;
    YAML::Node node;
};

// A configuration of Volcano's scheduler may stand without its ConfigMap: an object of this kind.
inline constexpr const char* kVolcanoConfiguration = "scheduler configuration";

// All objects of the files: one for each document, those of lists (`kubectl get -o yaml`), and
// those that stand below keys of another text. REQUIRES: the files live as long as the objects.
std::vector<KubeObject> read_kube_objects(KubeFindings& findings,
                                          const std::vector<ConfigText>& files);

// The line, from 1, where a second document begins that says anything; nullopt: there is none.
// YAML::LoadAll() would tell, but some wrong texts keep it busy for ever.
std::optional<std::size_t> second_document(const std::string& text);

// Where a text begins that a value of the file holds: on the line below `|`, else on its own.
KubeText text_within(const KubeText& outer, const YAML::Node& value);

}  // namespace berth::config
