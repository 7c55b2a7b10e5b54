#include "tests/baseline/content.h"

#include <algorithm>
#include <sstream>

#include "berth/base/hash.h"

namespace berth::baseline {
namespace {

constexpr std::size_t kLongText = 60;

}  // namespace

Content::Content(const std::string& known) {
    std::istringstream lines(known);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t open = line.find('{');
        if (!line.ends_with('}') || line.find('=') < open) continue;
        known_[line.substr(0, open)] = std::stoul(line.substr(open + 1));
    }
}

void Content::line(const std::string& path, const std::string& value) {
    text_ += path + "=" + value + "\n";
}

std::size_t Content::shown(const std::string& path, std::size_t all) {
    const auto known = known_.find(path);
    const std::size_t most = known == known_.end() ? all : std::min(all, known->second);
    text_ += path + "{" + std::to_string(most) + "}\n";
    return most;
}

void Content::put(const std::string& path, const std::string& text) {
    if (text.empty()) return;
    const bool plain = text.size() <= kLongText &&
                       std::ranges::all_of(text, [](char one) { return one >= ' ' && one <= '~'; });
    if (plain) return line(path, '"' + text + '"');
    StateHash hash;
    hash.add(text);
    line(path, std::to_string(text.size()) + " bytes, hash " + std::to_string(hash.value()));
}

void Content::put(const std::string& path, const BitSet& bits) {
    std::string text = std::to_string(bits.size()) + " bits:";
    for (std::size_t i = bits.find_first(); i != BitSet::kNone; i = bits.find_next(i)) {
        text += " " + std::to_string(i);
    }
    const std::size_t size = bits.size();
    if (size > 0) line(path, text);
}

std::string difference(const std::string& before, const std::string& now) {
    std::istringstream old_lines(before), new_lines(now);
    std::string old_line, new_line;
    for (std::size_t number = 1;; ++number) {
        const bool was = static_cast<bool>(std::getline(old_lines, old_line));
        const bool is = static_cast<bool>(std::getline(new_lines, new_line));
        if (!was && !is) return {};
        if (was && is && old_line == new_line) continue;
        return "line " + std::to_string(number) + "\n    before: " + (was ? old_line : "nothing") +
               "\n    now:    " + (is ? new_line : "nothing");
    }
}

}  // namespace berth::baseline
