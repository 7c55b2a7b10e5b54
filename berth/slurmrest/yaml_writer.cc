#include "berth/slurmrest/yaml_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "berth/api/json_writer.h"
#include "berth/base/text.h"

namespace berth::slurmrest {
namespace {

std::string hex_of(unsigned char byte) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return {kDigits[byte >> 4U], kDigits[byte & 15U]};
}

// Some characters stand in JSON as they are, and YAML forbids them or takes them for the end of a
// line: DEL and the C1 controls, the separators of lines and paragraphs, the byte order mark. The
// escape of the one that begins here, and its length in UTF-8; empty: it needs none.
std::string escape_at(std::string_view text, std::size_t& length) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    length = 1;
    if (byte(0) == 0x7f) return "\\u007f";
    length = 2;
    if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) <= 0x9f)
        return "\\u00" + hex_of(static_cast<unsigned char>(byte(1)));
    length = 3;
    if (text.starts_with("\xe2\x80\xa8")) return "\\u2028";
    if (text.starts_with("\xe2\x80\xa9")) return "\\u2029";
    if (text.starts_with("\xef\xbb\xbf")) return "\\ufeff";
    if (text.starts_with("\xef\xbf\xbe")) return "\\ufffe";
    if (text.starts_with("\xef\xbf\xbf")) return "\\uffff";
    length = 1;
    return {};
}

// JSON's texts are YAML's, but for some characters.
std::string yaml_text(std::string_view text) {
    const std::string json = api::to_text(api::JsonValue{std::string(text)});
    std::string yaml;
    yaml.reserve(json.size());
    for (std::size_t at = 0; at < json.size();) {
        std::size_t length = 1;
        const std::string escape = escape_at(std::string_view(json).substr(at), length);
        yaml += escape.empty() ? std::string_view(json).substr(at, length) : escape;
        at += length;
    }
    return yaml;
}

// Words that YAML, or its version 1.1, takes for something else than themselves.
constexpr auto kTaken =
    std::to_array<std::string_view>({"y", "n", "yes", "no", "on", "off", "true", "false", "null"});

bool is_plain(std::string_view key) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const bool is_word = !key.empty() && std::ranges::all_of(key, is_letter);
    return is_word && std::ranges::none_of(
                          kTaken, [&](std::string_view taken) { return iequals(key, taken); });
}

}  // namespace

// The first item of an object in a list stands behind the list's dash.
std::string YamlWriter::item_lead() {
    Level& level = levels_.back();
    std::string indent((levels_.size() - 1) * 2, ' ');
    if (std::exchange(level.is_empty, false) && !level.lead.empty()) {
        const bool in_list = level.lead.back() == '-';
        if (in_list && !level.is_list) return level.lead + " ";
        out_ += level.lead;
        out_ += '\n';
    }
    return indent;
}

void YamlWriter::key(std::string_view name) {
    lead_ = item_lead() + (is_plain(name) ? std::string(name) : yaml_text(name)) + ":";
}

void YamlWriter::begin(bool is_list) {
    if (!levels_.empty() && levels_.back().is_list) lead_ = item_lead() + "-";
    levels_.push_back({.is_list = is_list, .lead = std::exchange(lead_, {})});
}

void YamlWriter::end(std::string_view empty) {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (!level.is_empty) return;
    out_ += level.lead;
    out_ += level.lead.empty() ? "" : " ";
    out_ += empty;
    out_ += '\n';
}

void YamlWriter::scalar(std::string_view text) {
    if (levels_.back().is_list) lead_ = item_lead() + "-";
    out_ += std::exchange(lead_, {});
    out_ += ' ';
    out_ += text;
    out_ += '\n';
}

void YamlWriter::text(std::string_view text) { scalar(yaml_text(text)); }
void YamlWriter::number(std::int64_t number) { scalar(std::to_string(number)); }
void YamlWriter::boolean(bool truth) { scalar(truth ? "true" : "false"); }

}  // namespace berth::slurmrest
