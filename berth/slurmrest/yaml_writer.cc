#include "berth/slurmrest/yaml_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "berth/api/json_writer.h"
#include "berth/base/text.h"

namespace berth::slurmrest {
namespace {

std::string json_text(std::string_view text) {
    return api::to_text(api::JsonValue{std::string(text)});
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
    lead_ = item_lead() + (is_plain(name) ? std::string(name) : json_text(name)) + ":";
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

void YamlWriter::text(std::string_view text) { scalar(json_text(text)); }
void YamlWriter::number(std::int64_t number) { scalar(std::to_string(number)); }
void YamlWriter::boolean(bool truth) { scalar(truth ? "true" : "false"); }

}  // namespace berth::slurmrest
