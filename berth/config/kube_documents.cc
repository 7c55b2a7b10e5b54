#include "berth/config/kube_documents.h"

#include <algorithm>
#include <string_view>

#include "berth/base/text.h"

namespace berth::config {
namespace {

constexpr std::size_t kKubeBytesMax = 4 * 1024 * 1024;
constexpr int kNestedMax = 8;  // Lists in lists, and keys around an object.

class ObjectFinder {
public:
    ObjectFinder(KubeFindings& findings, KubeText text, std::vector<KubeObject>& into)
        : findings_(findings), text_(std::move(text)), into_(into) {}

    void read(const YAML::Node& document) {
        if (document.IsNull()) return;
        const KubePlace place = text_.place_of(document);
        if (!document.IsMap()) {
            return findings_.error(
                place, "should be a Kubernetes object: a map with apiVersion, kind and metadata");
        }
        if (find(document, kNestedMax)) return;
        findings_.error(place, "there is no Kubernetes object here: no apiVersion and no kind");
    }

private:
    // Adds the object, or the objects below. False: there are none.
    bool find(const YAML::Node& map, int depth) {
        std::string kind, api;
        bool has_actions = false, has_tiers = false;
        YAML::Node items;
        const KubePlace place = text_.place_of(map);
        for (const auto& entry : map) {
            if (!findings_.afford(place)) return true;
            const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
            std::string* const head = key == "kind" ? &kind : key == "apiVersion" ? &api : nullptr;
            if (head != nullptr && entry.second.IsScalar()) {
                if (!head->empty()) {
                    findings_.error(text_.place_of(entry.first), key + " stands there twice");
                    return true;
                }
                *head = entry.second.Scalar();
            }
            if (key == "items" && entry.second.IsSequence()) items.reset(entry.second);
            has_actions = has_actions || key == "actions";
            has_tiers = has_tiers || key == "tiers";
        }
        if (kind.ends_with("List") && items.IsSequence() && depth > 0) {
            find_in_list(map, items, depth - 1);
            return true;
        }
        if (kind.empty() && has_actions && has_tiers) kind = kVolcanoConfiguration;
        if (kind.empty()) return depth > 0 && find_below(map, depth - 1);
        into_.push_back({.api = api, .kind = kind, .text = text_, .place = place, .node = map});
        return true;
    }

    void find_in_list(const YAML::Node& list, const YAML::Node& items, int depth) {
        bool is_wrong = false;
        const KubePlace place = text_.place_of(list);
        for (const auto& item : items) {
            if (!findings_.afford(place)) return;
            if (item.IsMap()) {
                find(item, depth);
            } else if (!std::exchange(is_wrong, true)) {
                findings_.error(text_.place_of(item), "items should be objects");
            }
        }
    }

    bool find_below(const YAML::Node& map, int depth) {
        bool found = false;
        std::vector<std::string> others;
        for (const auto& entry : map) {
            if (entry.second.IsMap() && find(entry.second, depth)) {
                found = true;
            } else {
                others.push_back(entry.first.IsScalar() ? entry.first.Scalar() : "a key");
            }
        }
        if (found && !others.empty()) {
            findings_.warning(text_.place_of(map),
                              join(others, ", ") + ": no Kubernetes object, skipped");
        }
        return found;
    }

    KubeFindings& findings_;
    KubeText text_;
    std::vector<KubeObject>& into_;
};

// One document of a file, with the lines of the file above it.
struct DocumentText {
    std::string text;
    std::size_t before = 0;
};

// yaml-cpp's LoadAll ends at the first empty document. Lines that begin with these marks are in no
// document's text, whatever its quotes.
bool is_document_mark(std::string_view line, std::string_view mark) {
    return line.starts_with(mark) &&
           (line.size() == mark.size() || line.find_first_of(" \t\r", mark.size()) == mark.size());
}

std::vector<DocumentText> split_documents(const std::string& text) {
    std::vector<DocumentText> documents(1);
    std::size_t number = 0;
    bool is_begun = false;
    for (const std::string_view line : split(text, '\n')) {
        if (is_document_mark(line, "---")) {
            documents.push_back({.text = {}, .before = number});
            is_begun = false;
        }
        ++number;
        if (is_document_mark(line, "...")) {
            documents.push_back({.text = {}, .before = number});
            is_begun = false;
        } else if (line.starts_with('%') && !is_begun) {  // A directive: of the next document.
            documents.back().text += '\n';
        } else {
            documents.back().text.append(line).append("\n");
            is_begun = is_begun || !trim(line).empty();
        }
    }
    return documents;
}

bool has_content(const DocumentText& document) {
    return std::ranges::any_of(split(document.text, '\n'), [](std::string_view line) {
        if (is_document_mark(line, "---")) line.remove_prefix(3);
        line = trim(line);
        return !line.empty() && line.front() != '#';
    });
}

std::size_t line_of_mark(const YAML::Mark& mark) {
    return static_cast<std::size_t>(std::max(mark.line, 0)) + 1;
}

}  // namespace

void KubeFindings::error(const KubePlace& at, std::string text) {
    all_.add(Severity::error, at.file, at.line, std::move(text));
}

void KubeFindings::warning(const KubePlace& at, std::string text) {
    all_.add(Severity::warning, at.file, at.line, std::move(text));
}

std::vector<Finding> KubeFindings::sorted() {
    all_.sort();
    return all_.all();
}

bool KubeFindings::afford(const KubePlace& at) {
    if (left_ == 0) return false;
    --left_;
    if (left_ == 0) error(at, "has more than a million keys and items: split the file");
    return left_ > 0;
}

// Mark() of a node that is none throws.
KubePlace KubeText::place_of(const YAML::Node& node) const {
    return {.file = file, .line = before + (node.IsDefined() ? line_of_mark(node.Mark()) : 1)};
}

std::vector<KubeObject> read_kube_objects(KubeFindings& findings,
                                          const std::vector<ConfigText>& files) {
    std::vector<KubeObject> objects;
    for (const ConfigText& file : files) {
        if (file.text.size() > kKubeBytesMax) {
            findings.error({.file = file.name, .line = 0}, "is larger than 4 MiB, the limit");
            continue;
        }
        for (const DocumentText& document : split_documents(file.text)) {
            const KubeText text{.file = file.name, .before = document.before, .source = &file.text};
            try {  // yaml-cpp speaks in exceptions; they end here.
                ObjectFinder(findings, text, objects).read(YAML::Load(document.text));
            } catch (const YAML::Exception& wrong) {
                const std::size_t line = document.before + line_of_mark(wrong.mark);
                findings.error({.file = file.name, .line = line}, wrong.msg);
            }
        }
    }
    return objects;
}

std::optional<std::size_t> second_document(const std::string& text) {
    bool has_first = false;
    for (const DocumentText& document : split_documents(text)) {
        if (!has_content(document)) continue;
        if (std::exchange(has_first, true)) return document.before + 1;
    }
    return std::nullopt;
}

KubeText text_within(const KubeText& outer, const YAML::Node& value) {
    const YAML::Mark mark = value.Mark();
    const auto line = static_cast<std::size_t>(std::max(mark.line, 0));
    const auto column = static_cast<std::size_t>(std::max(mark.column, 0));
    bool is_block = false;
    if (outer.source != nullptr) {
        const auto lines = split(*outer.source, '\n');
        const std::size_t at = outer.before + line;
        is_block = at < lines.size() && column < lines[at].size() &&
                   (lines[at][column] == '|' || lines[at][column] == '>');
    }
    return {.file = outer.file, .before = outer.before + line + (is_block ? 1 : 0)};
}

}  // namespace berth::config
