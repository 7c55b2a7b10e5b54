#include "berth/config/kube_fields.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth::config {
namespace {

constexpr std::size_t kKubeNameMax = 253;
constexpr std::size_t kKeysMax = 1'000;  // Of one map.

bool says_anything(const YAML::Node& node) {
    if (!node.IsDefined() || node.IsNull()) return false;
    if (node.IsScalar()) return !node.Scalar().empty();
    return node.size() > 0;
}

// Annotations of the schedulers themselves may mean something.
void read_annotations(KubeFields& annotations) {
    for (const std::string& key : annotations.unread()) {
        annotations.read(key);
        if (key.starts_with("volcano.sh/hierarchy")) {
            annotations.error(key, "is not imported; right would be: parent: and weight: in spec");
        } else if (key.find("volcano.sh/") != std::string::npos ||
                   key.find("kueue.x-k8s.io/") != std::string::npos) {
            annotations.error(key, "is not imported; right would be: without it");
        }
    }
}

// Besides the name: what people note, and what an API server adds.
void read_metadata(KubeFields& metadata) {
    KubeFields annotations = metadata.read_map("annotations");
    read_annotations(annotations);
    metadata.ignore_all({"labels", "annotations", "creationTimestamp", "generation",
                         "resourceVersion", "uid", "managedFields", "selfLink", "finalizers",
                         "ownerReferences", "deletionTimestamp", "deletionGracePeriodSeconds"},
                        "no meaning here");
    metadata.refuse("generateName", "a name");
    metadata.finish();
}

}  // namespace

KubeFields::KubeFields(KubeFindings& findings, const KubeText& text, const YAML::Node& node,
                       std::string what)
    : findings_(findings), text_(text), what_(std::move(what)), place_(text.place_of(node)) {
    if (!node.IsDefined() || node.IsNull()) return;
    if (!node.IsMap()) {
        findings_.error(place_, what_ + " should be a map");
        return;
    }
    for (const auto& entry : node) {
        const KubePlace place = text_.place_of(entry.first);
        if (!findings_.afford(place)) return;
        if (!entry.first.IsScalar()) {
            findings_.error(place, what_ + ": a key should be a word");
            continue;
        }
        if (entries_.size() == kKeysMax) {
            findings_.error(place, what_ + " has more than 1000 keys");
            return;
        }
        if (find(entry.first.Scalar()) != nullptr) {
            findings_.error(place, what_ + ": " + entry.first.Scalar() + " stands there twice");
            continue;
        }
        entries_.push_back(
            {.key = entry.first.Scalar(), .value = entry.second, .place = place, .is_read = false});
    }
}

const KubeFields::Entry* KubeFields::find(std::string_view key) const {
    const auto found = std::ranges::find(entries_, key, &Entry::key);
    return found == entries_.end() ? nullptr : &*found;
}

KubeFields::Entry* KubeFields::ask(std::string_view key) {
    if (std::ranges::find(asked_, key) == asked_.end()) asked_.emplace_back(key);
    const auto found = std::ranges::find(entries_, key, &Entry::key);
    if (found == entries_.end()) return nullptr;
    found->is_read = true;
    return &*found;
}

YAML::Node KubeFields::read(std::string_view key) {
    const Entry* const entry = ask(key);
    return entry == nullptr ? YAML::Node() : entry->value;
}

std::string KubeFields::read_text(std::string_view key) {
    const YAML::Node node = read(key);
    if (node.IsNull()) return {};
    if (node.IsScalar()) return node.Scalar();
    error(key, "should be a single value");
    return {};
}

std::optional<bool> KubeFields::read_flag(std::string_view key) {
    const std::string text = read_text(key);
    if (text.empty()) return std::nullopt;
    if (text == "true" || text == "false") return text == "true";
    error(key, text + " should be true or false");
    return std::nullopt;
}

KubeFields KubeFields::read_map(std::string_view key) {
    KubeFields map(findings_, text_, read(key), std::string(key) + " of " + what_);
    map.place_ = place_of(key);
    return map;
}

std::vector<YAML::Node> KubeFields::read_list(std::string_view key) {
    const YAML::Node node = read(key);
    std::vector<YAML::Node> items;
    if (node.IsNull()) return items;
    if (!node.IsSequence()) {
        error(key, "should be a list: each item begins with \"- \"");
        return items;
    }
    for (const auto& item : node) {
        if (!findings_.afford(place_of(key))) break;
        items.push_back(item);
    }
    return items;
}

std::vector<std::string> KubeFields::read_texts(std::string_view key) {
    std::vector<std::string> texts;
    for (const YAML::Node& item : read_list(key)) {
        if (item.IsScalar() && !item.Scalar().empty()) {
            texts.push_back(item.Scalar());
        } else {
            error(key, "should be a list of words");
        }
    }
    return texts;
}

bool KubeFields::says(std::string_view key) const {
    const Entry* const entry = find(key);
    return entry != nullptr && says_anything(entry->value);
}

void KubeFields::ignore(std::string_view key, const std::string& why) {
    const Entry* const entry = ask(key);
    if (entry != nullptr && says_anything(entry->value)) warning(key, why);
}

void KubeFields::refuse(std::string_view key, const std::string& right) {
    const Entry* const entry = ask(key);
    if (entry != nullptr && says_anything(entry->value))
        error(key, "is not imported; right would be: " + right);
}

void KubeFields::ignore_all(const std::vector<std::string_view>& keys, const std::string& why) {
    std::vector<std::string> there;
    for (const std::string_view key : keys) {
        const Entry* const entry = ask(key);
        if (entry != nullptr && says_anything(entry->value)) there.emplace_back(key);
    }
    if (!there.empty()) findings_.warning(place_, what_ + ": " + join(there, ", ") + ": " + why);
}

std::vector<std::string> KubeFields::unread() const {
    std::vector<std::string> keys;
    for (const Entry& entry : entries_) {
        if (!entry.is_read) keys.push_back(entry.key);
    }
    return keys;
}

void KubeFields::finish() {
    for (const Entry& entry : entries_) {
        if (entry.is_read) continue;
        findings_.error(entry.place,
                        what_ + " has no key " + entry.key + "; it has " + join(asked_, ", "));
    }
}

KubePlace KubeFields::place_of(std::string_view key) const {
    const Entry* const entry = find(key);
    return entry == nullptr ? place_ : entry->place;
}

void KubeFields::error(std::string_view key, const std::string& message) {
    findings_.error(place_of(key), what_ + ": " + std::string(key) + ": " + message);
}

void KubeFields::warning(std::string_view key, const std::string& message) {
    findings_.warning(place_of(key), what_ + ": " + std::string(key) + ": " + message);
}

bool is_kube_name(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= kKubeNameMax && is_letter(name.front()) &&
           is_letter(name.back()) &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || c == '-' || c == '.'; });
}

KubeFields open_object(KubeFindings& findings, const KubeObject& object, KubeHead& head) {
    KubeFields top(findings, object.text, object.node, object.kind);
    top.read("apiVersion");
    top.read("kind");
    KubeFields metadata = top.read_map("metadata");
    head.name = metadata.read_text("name");
    head.space = metadata.read_text("namespace");
    if (!is_kube_name(head.name)) {
        metadata.error(
            "name", "'" + head.name + "' should be a name of small letters, digits, '-' and '.'");
    }
    top.rename(object.kind + " " + head.name);
    read_metadata(metadata);
    return top;
}

}  // namespace berth::config
