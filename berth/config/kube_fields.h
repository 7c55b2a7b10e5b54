// The keys of one YAML map, of which none is passed over: each is read, named in a warning, or
// refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/config/kube_documents.h"

namespace berth::config {

class KubeFields {
public:
    // `what`: as findings name the map, "spec of Queue training". A node that is null is a map
    // without keys; one that is no map is an error.
    KubeFields(KubeFindings& findings, const KubeText& text, const YAML::Node& node,
               std::string what);

    // Of a key that is not there: null, an empty text, nothing. Wrong kinds of values are errors.
    YAML::Node read(std::string_view key);
    std::string read_text(std::string_view key);
    std::optional<bool> read_flag(std::string_view key);
    KubeFields read_map(std::string_view key);
    std::vector<YAML::Node> read_list(std::string_view key);
    std::vector<std::string> read_texts(std::string_view key);

    // Whether the key is there and says anything: not null, and neither {} nor [] nor "".
    bool says(std::string_view key) const;
    // A key without meaning here: a warning says so, and why.
    void ignore(std::string_view key, const std::string& why);
    // A key that may be there only if it says nothing. `right`: what would be right instead.
    void refuse(std::string_view key, const std::string& right);
    // Those of these keys that say something, in one warning.
    void ignore_all(const std::vector<std::string_view>& keys, const std::string& why);
    // The keys that nobody has asked for yet.
    std::vector<std::string> unread() const;
    // Each of them is an error.
    void finish();

    const std::string& what() const { return what_; }
    void rename(std::string what) { what_ = std::move(what); }
    const KubeText& text() const { return text_; }
    KubePlace place() const { return place_; }
    KubePlace place_of(std::string_view key) const;  // That of the map if the key is not there.
    void error(std::string_view key, const std::string& message);  // "what: key: message"
    void warning(std::string_view key, const std::string& message);

private:
    struct Entry {
        std::string key;
        YAML::Node value;
        KubePlace place;
        bool is_read = false;
    };

    const Entry* find(std::string_view key) const;
    Entry* ask(std::string_view key);

    KubeFindings& findings_;
    KubeText text_;
    std::string what_;
    KubePlace place_;
    std::vector<Entry> entries_;
    std::vector<std::string> asked_;
};

// What the object is called. `space`: its namespace; empty: none is named.
struct KubeHead {
    std::string name, space;
};
// The object's own map, with apiVersion, kind and metadata read.
KubeFields open_object(KubeFindings& findings, const KubeObject& object, KubeHead& head);

// Whether it may name an object of Kubernetes, and so an account: "team-a.v1".
bool is_kube_name(std::string_view name);

}  // namespace berth::config
