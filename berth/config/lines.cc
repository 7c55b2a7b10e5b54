#include "berth/config/lines.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth::config {
namespace {

// What is left of a `#`; one inside quotes does not count.
std::string_view without_comment(std::string_view text) {
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] == '#' && !quoted) return text.substr(0, i);
    }
    return text;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class PairReader {
public:
    PairReader(std::string_view text, std::size_t line) : rest_(text), line_(line) {}

    std::optional<Pair> next() {
        while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
        if (rest_.empty()) return std::nullopt;
        Pair pair{.key = take_while([](char c) { return c != '=' && !is_blank(c); }),
                  .line = line_};
        std::string_view after = rest_;
        while (!after.empty() && is_blank(after.front())) after.remove_prefix(1);
        if (after.empty() || after.front() != '=') return pair;  // A word by itself.
        rest_ = after.substr(1);
        while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
        pair.value = take_value();
        return pair;
    }
    bool open_quote() const { return open_quote_; }

private:
    template <class Wanted>
    std::string take_while(Wanted wanted) {
        std::size_t n = 0;
        while (n < rest_.size() && wanted(rest_[n])) ++n;
        std::string taken(rest_.substr(0, n));
        rest_.remove_prefix(n);
        return taken;
    }
    std::string take_value() {
        if (rest_.empty() || rest_.front() != '"') {
            return take_while([](char c) { return !is_blank(c); });
        }
        rest_.remove_prefix(1);
        std::string value = take_while([](char c) { return c != '"'; });
        open_quote_ = rest_.empty();
        if (!rest_.empty()) rest_.remove_prefix(1);
        return value;
    }

    std::string_view rest_;
    std::size_t line_;
    bool open_quote_ = false;
};

// Distance in single-letter edits, without regard to case (Wagner and Fischer).
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change =
                diagonal + (to_lower(a[i - 1]) == to_lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row[b.size()];
}

}  // namespace

const Pair* Line::find(std::string_view key) const {
    const auto found = std::find_if(pairs.rbegin(), pairs.rend(),
                                    [&](const Pair& pair) { return iequals(pair.key, key); });
    return found == pairs.rend() ? nullptr : &*found;
}

std::vector<Line> parse_lines(const ConfigText& source, Findings& findings) {
    std::vector<Line> lines;
    if (source.text.size() > kConfigBytesMax) {
        findings.add(Severity::error, source.name, 0,
                     "is larger than 16 MiB, the limit for a configuration file");
        return lines;
    }
    bool continues = false;
    std::size_t number = 0;
    for (std::string_view physical : split(source.text, '\n')) {
        ++number;
        std::string_view text = trim(without_comment(physical));
        const bool goes_on = !text.empty() && text.back() == '\\';
        if (goes_on) text.remove_suffix(1);
        if (!continues) lines.push_back({.file = source.name, .number = number, .pairs = {}});
        PairReader reader(text, number);
        while (auto pair = reader.next()) lines.back().pairs.push_back(*std::move(pair));
        if (reader.open_quote()) {
            findings.add(Severity::error, source.name, number, "a quote is opened and not closed");
        }
        continues = goes_on;
    }
    std::erase_if(lines, [](const Line& line) { return line.pairs.empty(); });
    return lines;
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string_view>& known) {
    std::size_t best = std::min<std::size_t>(3, word.size() / 3 + 1);
    std::optional<std::string> found;
    if (word.size() > 64) return found;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edits(word, candidate);
        if (distance < best || (distance == best && !found)) best = distance, found = candidate;
    }
    return found;
}

}  // namespace berth::config
