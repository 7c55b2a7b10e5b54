// Reading and writing of hostlists.
#include "berth/base/hostlist.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::size_t kDigitsMax = 18;  // What surely fits into 64 bits.

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

Error bad_hostlist(std::string_view text, const std::string& why) {
    return {ErrorCode::invalid_argument, "hostlist \"" + std::string(text) + "\": " + why};
}

std::string padded(std::int64_t number, std::size_t width) {
    std::string digits = std::to_string(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
}

std::int64_t number_of(std::string_view digits) {
    return digits.empty() ? 0 : parse_int64(digits).value();
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= kDigitsMax && std::ranges::all_of(text, is_digit);
}

// "08-10,12" -> {"08", "09", "10", "12"}
Result<std::vector<std::string>> expand_ranges(std::string_view ranges, std::string_view text) {
    std::vector<std::string> numbers;
    for (const std::string_view range : split(ranges, ',')) {
        const std::size_t dash = range.find('-');
        const std::string_view low = range.substr(0, dash);
        const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
        if (!is_number(low) || !is_number(high)) {
            return bad_hostlist(text, "\"" + std::string(range) +
                                          "\" in brackets is not a number, or a range such as 1-8");
        }
        const std::int64_t first = number_of(low);
        const std::int64_t last = number_of(high);
        if (first > last) {
            return bad_hostlist(text, "the range " + std::string(range) + " runs backwards");
        }
        if (static_cast<std::size_t>(last - first) >= kHostsMax - numbers.size()) {
            return bad_hostlist(text, "more than " + std::to_string(kHostsMax) + " hosts");
        }
        for (std::int64_t n = first; n <= last; ++n) numbers.push_back(padded(n, low.size()));
    }
    return numbers;
}

// One name, with all its brackets: "rack[1-2]gpu[1-4]".
Result<std::vector<std::string>> expand_name(std::string_view name, std::string_view text) {
    std::vector<std::string> hosts = {""};
    while (true) {
        const std::size_t open = name.find('[');
        const std::string_view plain = name.substr(0, open);
        if (plain.find(']') != std::string_view::npos) {
            return bad_hostlist(text, "a ] without its [");
        }
        for (std::string& host : hosts) host += plain;
        if (open == std::string_view::npos) return hosts;

        const std::size_t close = name.find(']', open);
        if (close == std::string_view::npos) return bad_hostlist(text, "a [ without its ]");
        BERTH_TRY(const auto numbers, expand_ranges(name.substr(open + 1, close - open - 1), text));
        if (hosts.size() * numbers.size() > kHostsMax) {
            return bad_hostlist(text, "more than " + std::to_string(kHostsMax) + " hosts");
        }
        std::vector<std::string> longer;
        longer.reserve(hosts.size() * numbers.size());
        for (const std::string& host : hosts) {
            for (const std::string& number : numbers) longer.push_back(host + number);
        }
        hosts = std::move(longer);
        name.remove_prefix(close + 1);
    }
}

// At commas and blanks, but not at the commas in brackets.
std::vector<std::string_view> split_names(std::string_view text) {
    std::vector<std::string_view> names;
    std::size_t start = 0;
    bool inside = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char letter = i < text.size() ? text[i] : ',';
        if (letter == '[') inside = true;
        if (letter == ']') inside = false;
        const bool ends = letter == ',' || letter == ' ' || letter == '\t' || letter == '\n';
        if (i < text.size() && (inside || !ends)) continue;
        if (i > start) names.push_back(text.substr(start, i - start));
        start = i + 1;
    }
    return names;
}

// "gpu07" -> {"gpu", "07"}; "login" -> {"login", ""}.
struct Host {
    std::string_view stem;
    std::string_view digits;
};

Host parse_host(std::string_view name) {
    std::size_t stem = name.size();
    while (stem > 0 && is_digit(name[stem - 1]) && name.size() - stem < kDigitsMax) --stem;
    return {name.substr(0, stem), name.substr(stem)};
}

// Consecutive numbers behind one stem, all written as wide as the first.
struct Range {
    std::int64_t first;
    std::int64_t last;
    std::size_t width;
};

std::string in_brackets(std::string_view stem, std::span<const Range> ranges) {
    std::string text;
    for (const Range& range : ranges) {
        if (!text.empty()) text += ',';
        text += padded(range.first, range.width);
        if (range.last > range.first) text += '-' + padded(range.last, range.width);
    }
    const bool one = ranges.size() == 1 && ranges[0].first == ranges[0].last;
    return std::string(stem) + (one ? text : '[' + text + ']');
}

// Whether `host` is the number after `range`, written in the same way.
bool continues(const Range& range, const Host& host) {
    return number_of(host.digits) == range.last + 1 &&
           padded(range.last + 1, range.width).size() == host.digits.size();
}

// A run of digits counts as one number, zeros in front count last.
int compare_natural(std::string_view a, std::string_view b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (!is_digit(a[i]) || !is_digit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j] ? -1 : 1;
            ++i, ++j;
            continue;
        }
        while (i < a.size() && a[i] == '0') ++i;
        while (j < b.size() && b[j] == '0') ++j;
        const std::size_t from_i = i;
        const std::size_t from_j = j;
        while (i < a.size() && is_digit(a[i])) ++i;
        while (j < b.size() && is_digit(b[j])) ++j;
        if (i - from_i != j - from_j) return i - from_i < j - from_j ? -1 : 1;
        const int order = a.substr(from_i, i - from_i).compare(b.substr(from_j, j - from_j));
        if (order != 0) return order;
    }
    if (i < a.size()) return 1;
    if (j < b.size()) return -1;
    return 0;
}

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view text) {
    std::vector<std::string> hosts;
    for (const std::string_view name : split_names(text)) {
        BERTH_TRY(auto more, expand_name(name, text));
        if (hosts.size() + more.size() > kHostsMax) {
            return bad_hostlist(text, "more than " + std::to_string(kHostsMax) + " hosts");
        }
        hosts.insert(hosts.end(), std::make_move_iterator(more.begin()),
                     std::make_move_iterator(more.end()));
    }
    return hosts;
}

std::string compress_hostlist(std::vector<std::string> names) {
    std::ranges::sort(names, host_before);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return compress_hostlist_in_order(names);
}

std::string compress_hostlist_in_order(std::span<const std::string> names) {
    std::string list;
    for (std::size_t i = 0; i < names.size();) {
        const std::string_view stem = parse_host(names[i]).stem;
        std::vector<Range> ranges;
        bool numbered = true;
        for (; i < names.size() && numbered; ++i) {
            const Host host = parse_host(names[i]);
            numbered = !host.digits.empty();
            if (host.stem != stem || (!numbered && !ranges.empty())) break;
            if (!ranges.empty() && continues(ranges.back(), host)) {
                ++ranges.back().last;
            } else if (numbered) {
                const std::int64_t number = number_of(host.digits);
                ranges.push_back({number, number, host.digits.size()});
            }
        }
        if (!list.empty()) list += ',';
        list += ranges.empty() ? std::string(stem) : in_brackets(stem, ranges);
    }
    return list;
}

bool host_before(std::string_view a, std::string_view b) {
    const Host host_a = parse_host(a);
    const Host host_b = parse_host(b);
    const int stems = compare_natural(host_a.stem, host_b.stem);
    if (stems != 0) return stems < 0;
    if (host_a.stem != host_b.stem) return host_a.stem < host_b.stem;
    if (host_a.digits.empty() != host_b.digits.empty()) return host_a.digits.empty();
    const std::int64_t number_a = number_of(host_a.digits);
    const std::int64_t number_b = number_of(host_b.digits);
    if (number_a != number_b) return number_a < number_b;
    return host_a.digits.size() < host_b.digits.size();
}

}  // namespace berth
