// ShowFormat: scontrol's Key=value records: indented lines, or all on one with -o.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "berth/slurm/text/printable.h"

namespace berth::slurm {

class ShowRecord {
public:
    ShowRecord(std::ostream& out, bool one_line) : out_(out), one_line_(one_line) {}

    ShowRecord& put(std::string_view key, std::string_view value) {
        if (!at_line_start_) out_ << ' ';
        out_ << key << '=' << printable(std::string(value));
        at_line_start_ = false;
        return *this;
    }
    // Ends a line; the next one is indented by `indent` blanks.
    ShowRecord& line(int indent = 3) {
        if (one_line_) return *this;
        out_ << '\n' << std::string(static_cast<std::size_t>(indent), ' ');
        at_line_start_ = true;
        return *this;
    }
    // Ends the record, with an empty line behind it.
    void end() { out_ << (one_line_ ? "\n" : "\n\n"); }

private:
    std::ostream& out_;
    bool one_line_;
    bool at_line_start_ = true;
};

}  // namespace berth::slurm
