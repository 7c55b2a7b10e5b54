#include "berth/base/nearest.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kLongest = 64;
constexpr std::size_t kEdit =
    kLongest + 1;  // More than a word whose letters are all of other case.

std::size_t cost(char a, char b) {
    if (a == b) return 0;
    return to_lower(a) == to_lower(b) ? 1 : kEdit;
}

// The letters to change, add, take away or swap with their neighbour, kEdit for each, and those
// that are right but for their case.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i * kEdit;
    for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j * kEdit;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = table[i - 1][j - 1] + cost(a[i - 1], b[j - 1]);
            table[i][j] = std::min({table[i - 1][j] + kEdit, table[i][j - 1] + kEdit, changed});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + kEdit);
        }
    }
    return table[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& names) {
    if (word.empty() || word.size() > kLongest) return std::nullopt;
    std::optional<std::string> best;
    std::size_t least = (std::max<std::size_t>(word.size(), 3)) / 3 + 1;
    least *= kEdit;
    for (const std::string& name : names) {
        const std::size_t far = distance(word, name);
        if (far >= least) continue;
        least = far;
        best = name;
    }
    if (best) return best;
    // "squeue" for "queue", "canc" for "cancel".
    for (const std::string& name : names) {
        if (word.size() >= 3 && (name.starts_with(word) || word.ends_with(name))) return name;
    }
    return std::nullopt;
}

}  // namespace berth
