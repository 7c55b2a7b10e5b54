// Output: how the `berth` command prints: tables, colours that respect NO_COLOR, times for people,
// JSON.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::cli {

enum class Colour : unsigned char { none, green, yellow, red, grey, bold };

class Output {
public:
    // Colours only where a person looks: `is_terminal`, and NO_COLOR is not set.
    Output(std::ostream& out, std::ostream& err, bool is_terminal);

    std::ostream& out() { return out_; }
    std::string paint(std::string_view text, Colour colour) const;
    void note(const std::string& message);  // Prints "berth: …", where errors go.
    int fail(const std::string& message);   // Prints "berth: …"; returns 1.
    int fail(const api::Problem& problem);

    struct Cell {
        std::string text;
        Colour colour = Colour::none;
    };
    // Columns as wide as their widest cell; the first row is the header.
    void table(const std::vector<std::vector<Cell>>& rows);

private:
    std::ostream& out_;
    std::ostream& err_;
    bool colours_ = false;
};

// "in 2 h 10 min", "4 min ago", "now".
std::string relative_time(Time at, Time now);
std::string plain_duration(Duration length);  // "2 h 10 min", "45 s"

}  // namespace berth::cli
