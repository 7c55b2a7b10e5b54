#include "berth/mpi/pmi_words.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kLineMax = 16 * 1024;
constexpr std::size_t kMessageMax = 64 * 1024;
constexpr std::size_t kLengthBytes = 6;

std::pair<std::string, std::string> key_and_value(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return {std::string(word), {}};
    return {std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))};
}

Error no_pmi(const std::string& what) { return {ErrorCode::invalid_argument, "PMI: " + what}; }

}  // namespace

PmiWords PmiWords::of_line(std::string_view line) {
    PmiWords words;
    for (const std::string_view word : split(line, ' ')) {
        if (!word.empty()) words.all_.push_back(key_and_value(word));
    }
    return words;
}

PmiWords PmiWords::of_message(std::string_view message) {
    PmiWords words;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) words.all_.push_back(key_and_value(word));
        word.clear();
    };
    for (std::size_t i = 0; i < message.size(); ++i) {
        const bool doubled = message.substr(i, 2) == ";;";
        if (message[i] != ';' || doubled) {
            word.push_back(message[i]);
            if (doubled) ++i;
        } else {
            end_word();
        }
    }
    end_word();
    return words;
}

std::optional<std::string_view> PmiWords::get(std::string_view key) const {
    const auto found = std::ranges::find(all_, key, &std::pair<std::string, std::string>::first);
    if (found == all_.end()) return std::nullopt;
    return found->second;
}

std::string_view PmiWords::text(std::string_view key) const { return get(key).value_or(""); }

std::optional<std::int64_t> PmiWords::number(std::string_view key) const {
    const auto number = parse_int64(text(key));
    if (!number.ok()) return std::nullopt;
    return *number;
}

std::string pmi2_message(std::string_view text) {
    std::string length = std::to_string(text.size());
    length.resize(kLengthBytes, ' ');
    return length + std::string(text);
}

std::string pmi2_value(std::string_view value) {
    std::string out;
    for (const char c : value) out.append(c == ';' ? 2 : 1, c);
    return out;
}

Result<std::optional<PmiWords>> PmiReader::next() {
    return messages_ ? next_message() : next_line();
}

Result<std::optional<PmiWords>> PmiReader::next_line() {
    const std::size_t end = buffer_.find('\n');
    if (end == std::string::npos) {
        if (buffer_.size() > kLineMax) return no_pmi("a line without an end");
        return std::optional<PmiWords>();
    }
    if (end > kLineMax) return no_pmi("a line of " + std::to_string(end) + " bytes");
    PmiWords words = PmiWords::of_line(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + 1);
    return std::optional<PmiWords>(std::move(words));
}

Result<std::optional<PmiWords>> PmiReader::next_message() {
    if (buffer_.size() < kLengthBytes) return std::optional<PmiWords>();
    const auto length = parse_int64(trim(std::string_view(buffer_).substr(0, kLengthBytes)));
    if (!length.ok() || *length < 0 || *length > std::int64_t{kMessageMax}) {
        return no_pmi("a message whose length is no number up to " + std::to_string(kMessageMax));
    }
    const auto size = static_cast<std::size_t>(*length);
    if (buffer_.size() < kLengthBytes + size) return std::optional<PmiWords>();
    PmiWords words = PmiWords::of_message(std::string_view(buffer_).substr(kLengthBytes, size));
    buffer_.erase(0, kLengthBytes + size);
    return std::optional<PmiWords>(std::move(words));
}

}  // namespace berth
