#include "berth/slurm/step/multi_prog.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth::slurm {
namespace {

constexpr std::size_t kFileMost = 60'000;  // Slurm's: the file travels with the step.

struct RankRange {
    std::uint32_t first = 0, last = 0;
};
struct ProgramWord {
    std::string text;   // As it stands there, without quotes.
    std::string shell;  // For the shell, with its variables for %t and %o.
};
struct Line {
    std::vector<RankRange> ranks;    // Empty: all that no line before has.
    std::vector<ProgramWord> words;  // The program and its arguments.
    bool is_for_the_rest = false;
};

// For the shell as it is.
std::string shell_word(std::string_view text) {
    std::string shell = "'";
    for (const char c : text) shell += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return shell + "'";
}

// The words of a line. Quotes keep blanks, and single ones %t and %o too. An error: a quote has no
// end.
Result<std::vector<ProgramWord>> program_words(std::string_view line) {
    std::vector<ProgramWord> words;
    char quote = 0;
    bool in_word = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const bool is_blank = c == ' ' || c == '\t' || c == '\r';
        if (quote == 0 && !in_word && c == '#') break;
        if (quote == 0 && is_blank) {
            in_word = false;
            continue;
        }
        if (!in_word) words.emplace_back();
        in_word = true;
        ProgramWord& word = words.back();
        const std::string_view two = line.substr(i, 2);
        if (c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '"' || c == '\'')) {
            quote = c;
        } else if (quote != '\'' && (two == "%t" || two == "%o")) {
            word.text += two;
            word.shell += two == "%t" ? "\"$berth_rank\"" : "\"$berth_place\"";
            ++i;
        } else {
            word.text += c;
            word.shell += shell_word({&c, 1});
        }
    }
    if (quote != 0) return invalid_argument(std::string("a ") + quote + " has no end");
    for (ProgramWord& word : words) word.shell += word.text.empty() ? "''" : "";
    return words;
}

Result<RankRange> range_of(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto first = parse_int64(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_int64(text.substr(dash + 1));
    if (!first.ok() || !last.ok() || *first < 0 || *last < *first || *last > UINT32_MAX)
        return invalid_argument("\"" + std::string(text) + "\" is no list of tasks");
    return RankRange{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)};
}

Result<Line> line_of(const std::vector<ProgramWord>& words) {
    Line line{.ranks = {}, .words = {words.begin() + 1, words.end()}};
    if (line.words.empty()) return invalid_argument("it names no program");
    line.is_for_the_rest = words.front().text == "*";
    for (const std::string_view part : split(words.front().text, ',')) {
        if (line.is_for_the_rest) break;
        BERTH_TRY(const RankRange range, range_of(part));
        line.ranks.push_back(range);
    }
    return line;
}

Result<std::vector<Line>> lines_of(std::string_view text, const std::string& path) {
    std::vector<Line> lines;
    std::string whole;  // With those that a backslash continues.
    std::size_t number = 0;
    for (std::string_view part : split(text, '\n')) {
        ++number;
        if (part.ends_with('\\')) {
            part.remove_suffix(1);
            whole.append(part).append(" ");
            continue;
        }
        auto words = program_words(whole.append(part));
        whole.clear();
        const bool is_blank = words.ok() && words->empty();
        if (is_blank) continue;
        auto line = words.ok() ? line_of(*words) : Result<Line>(words.error());
        if (!line.ok()) {
            return invalid_argument(path + ":" + std::to_string(number) + ": " +
                                    line.error().message);
        }
        lines.push_back(*std::move(line));
    }
    return lines;
}

// The first rank that no line has; `tasks`: each is in one.
std::uint32_t first_without(const std::vector<Line>& lines, std::uint32_t tasks) {
    std::vector<RankRange> all;
    for (const Line& line : lines) {
        if (line.is_for_the_rest) return tasks;
        all.insert(all.end(), line.ranks.begin(), line.ranks.end());
    }
    std::ranges::sort(all, {}, &RankRange::first);
    std::uint64_t next = 0;
    for (const RankRange& range : all) {
        if (range.first > next) break;
        next = std::max<std::uint64_t>(next, std::uint64_t{range.last} + 1);
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(next, tasks));
}

std::string exec_of(const Line& line, const std::vector<std::string>& more) {
    std::string text = "exec";
    for (const ProgramWord& word : line.words) text += " " + word.shell;
    for (const std::string& word : more) text += " " + shell_word(word);
    return text;
}

}  // namespace

Result<std::vector<std::string>> multi_prog_command(std::string_view text, std::uint32_t tasks,
                                                    const std::string& path,
                                                    const std::vector<std::string>& more) {
    BERTH_TRY(const std::vector<Line> lines, lines_of(text, path));
    if (const std::uint32_t missing = first_without(lines, tasks); missing < tasks) {
        return invalid_argument("Configuration file " + path + " invalid, no record for task id " +
                                std::to_string(missing));
    }
    // The variables are the shell's alone; `unset` so that a program never sees one of ours.
    std::string script = "unset berth_rank berth_place; berth_rank=$SLURM_PROCID\n";
    for (const Line& line : lines) {
        if (line.is_for_the_rest) {
            script += "berth_place=$berth_rank; " + exec_of(line, more) + "\n";
            break;  // It has all that is left.
        }
        std::uint64_t before = 0;  // Ranks of the line that come before the range.
        for (const RankRange& range : line.ranks) {
            const std::string first = std::to_string(range.first);
            script.append("if [ $berth_rank -ge ").append(first);
            script.append(" ] && [ $berth_rank -le ").append(std::to_string(range.last));
            script.append(" ]; then berth_place=$((berth_rank - ").append(first);
            script.append(" + ").append(std::to_string(before)).append(")); ");
            script.append(exec_of(line, more)).append("; fi\n");
            before += std::uint64_t{range.last} - range.first + 1;
        }
    }
    return std::vector<std::string>{"/bin/sh", "-c", script};
}

Result<std::vector<std::string>> multi_prog_command_of(const std::string& path, std::uint32_t tasks,
                                                       const std::vector<std::string>& more) {
    std::ifstream file(path);
    if (!file) {
        return invalid_argument("Unable to open configuration file " + path + ": " +
                                std::strerror(errno));
    }
    std::string text(kFileMost + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad() || text.size() > kFileMost) {
        return invalid_argument("Configuration file " + path + " is longer than " +
                                std::to_string(kFileMost) + " bytes, or no plain file");
    }
    return multi_prog_command(text, tasks, path, more);
}

}  // namespace berth::slurm
