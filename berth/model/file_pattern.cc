#include "berth/model/file_pattern.h"

#include <algorithm>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::uint32_t kPadMax = 10;
constexpr std::uint32_t kNoArrayTask = 0xfffffffe;  // What Slurm prints where there is none.

std::string padded(std::uint32_t number, std::uint32_t width) {
    std::string digits = std::to_string(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
}

std::string step_text(const FilePatternValues& values, std::uint32_t width) {
    return values.step ? padded(values.step->value(), width) : "batch";
}

// nullopt: no such letter.
std::optional<std::string> value_of(char letter, std::uint32_t width,
                                    const FilePatternValues& values) {
    switch (letter) {
        case 'A': return padded(values.array_job.value_or(values.job).value(), width);
        case 'a': return padded(values.array_task.value_or(kNoArrayTask), width);
        case 'b': return padded(values.array_task.value_or(kNoArrayTask) % 10, width);
        case 'J':
            return values.step ? padded(values.job.value(), width) + "." + step_text(values, 0)
                               : padded(values.job.value(), width);
        case 'j': return padded(values.job.value(), width);
        case 'N': return values.node.substr(0, values.node.find('.'));
        case 'n': return padded(values.node_index, width);
        case 'r': return padded(values.restarts, width);
        case 's': return step_text(values, width);
        case 't': return padded(values.task, width);
        case 'u': return values.user;
        case 'x': return values.job_name;
        default: return std::nullopt;
    }
}

// A name must not lead out of the folder that the pattern names.
std::string without_slashes(std::string text) {
    std::ranges::replace(text, '/', '_');
    return text;
}

}  // namespace

std::string expand_file_pattern(std::string_view pattern, const FilePatternValues& values) {
    std::string out;
    if (pattern.find('\\') != std::string_view::npos) {
        std::ranges::copy_if(pattern, std::back_inserter(out), [](char c) { return c != '\\'; });
        return out;
    }
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            out += pattern[i];
            continue;
        }
        std::size_t at = i + 1;
        std::uint32_t width = 0;
        for (; at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9'; ++at) {
            width = std::min(kPadMax, width * 10 + static_cast<std::uint32_t>(pattern[at] - '0'));
        }
        if (at < pattern.size() && pattern[at] == '%' && at == i + 1) {
            out += '%';
            i = at;
        } else if (const auto value =
                       at < pattern.size() ? value_of(pattern[at], width, values) : std::nullopt) {
            out += without_slashes(*value);
            i = at;
        } else {
            out += '%';
        }
    }
    return out;
}

bool file_pattern_has(std::string_view pattern, char letter) {
    if (pattern.find('\\') != std::string_view::npos) return false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') continue;
        i = std::min(pattern.find_first_not_of("0123456789", i + 1), pattern.size());
        if (i < pattern.size() && pattern[i] == letter) return true;
    }
    return false;
}

std::optional<std::uint32_t> task_of_pattern(std::string_view pattern, std::uint32_t tasks) {
    const auto number = parse_int64(pattern);
    if (!number.ok() || *number < 0 || *number >= std::int64_t{tasks}) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

std::string_view default_output_pattern(bool array_task) {
    return array_task ? "slurm-%A_%a.out" : "slurm-%j.out";
}

std::string expand_output_path(std::string_view pattern, const std::string& work_dir,
                               const FilePatternValues& values) {
    if (pattern.empty()) return {};
    std::string path = expand_file_pattern(pattern, values);
    if (path.starts_with('/') || work_dir.empty()) return path;
    return work_dir + (work_dir.ends_with('/') ? "" : "/") + path;
}

}  // namespace berth
