#include "berth/cli/output.h"

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <utility>

#include "berth/slurm/text/printable.h"

namespace berth::cli {
namespace {

// How wide a text is on the screen: letters, not the bytes of UTF-8.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

const char* code_of(Colour colour) {
    switch (colour) {
        case Colour::none: return "";
        case Colour::green: return "\x1b[32m";
        case Colour::yellow: return "\x1b[33m";
        case Colour::red: return "\x1b[31m";
        case Colour::grey: return "\x1b[90m";
        case Colour::bold: return "\x1b[1m";
    }
    return "";
}

}  // namespace

Output::Output(std::ostream& out, std::ostream& err, bool is_terminal) : out_(out), err_(err) {
    const char* no_colour = std::getenv("NO_COLOR");
    colours_ = is_terminal && (no_colour == nullptr || *no_colour == '\0');
}

std::string Output::paint(std::string_view text, Colour colour) const {
    if (!colours_ || colour == Colour::none) return std::string(text);
    return code_of(colour) + std::string(text) + "\x1b[0m";
}

void Output::note(const std::string& message) {
    err_ << "berth: " << slurm::printable(message) << '\n' << std::flush;
}

int Output::fail(const std::string& message) {
    note(message);
    return 1;
}

int Output::fail(const api::Problem& problem) {
    if (problem.code == "unavailable") {
        return fail(
            "no cluster answers here; start one with `berth up`, or source its berth.env (" +
            problem.detail + ")");
    }
    for (const std::string& line : problem.details) note(line);
    const std::string& text = problem.detail.empty() ? problem.title : problem.detail;
    fail(text.empty() ? problem.slurm : text);
    if (problem.code == "unknown_job") note("`berth queue --all` lists the jobs");
    return 1;
}

void Output::table(const std::vector<std::vector<Cell>>& as_given) {
    std::vector<std::vector<Cell>> rows = as_given;
    for (auto& row : rows) {
        for (Cell& cell : row) cell.text = slurm::printable(std::move(cell.text));
    }
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i].text));
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < rows[r].size(); ++i) {
            const Cell& cell = rows[r][i];
            out_ << paint(cell.text, r == 0 ? Colour::bold : cell.colour);
            if (i + 1 < rows[r].size())
                out_ << std::string(widths[i] - width_of(cell.text) + 2, ' ');
        }
        out_ << '\n';
    }
}

std::string plain_duration(Duration length) {
    const std::int64_t seconds = length.count() / 1000;
    if (seconds < 60) return std::to_string(seconds) + " s";
    if (seconds < 3600) return std::to_string(seconds / 60) + " min";
    const std::int64_t minutes = seconds / 60 % 60;
    if (seconds < 48 * 3600) {
        return std::to_string(seconds / 3600) + " h" +
               (minutes == 0 ? "" : " " + std::to_string(minutes) + " min");
    }
    return std::to_string(seconds / 86400) + " days";
}

std::string relative_time(Time at, Time now) {
    if (at > now + std::chrono::seconds(1)) return "in " + plain_duration(at - now);
    if (now > at + std::chrono::seconds(1)) return plain_duration(now - at) + " ago";
    return "now";
}

}  // namespace berth::cli
