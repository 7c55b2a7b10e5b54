// SacctmgrTable: the tables of `sacctmgr show`, as Slurm prints them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/text.h"
#include "berth/slurm/json/slurm_json.h"
#include "berth/slurm/text/columns.h"
#include "berth/slurm/text/invocation.h"
#include "berth/slurm/text/printable.h"

namespace berth::slurm {

struct SacctmgrOptions {
    bool immediate = false;     // -i
    bool no_header = false;     // -n
    bool parsable = false;      // -p: "|" behind every cell
    bool parsable2 = false;     // -P: "|" between them
    bool associations = false;  // -s
    bool quiet = false;
    std::optional<Notation> notation;  // --json, --yaml
};

// Of a table whose lines are of this type.
template <class Line>
struct SacctmgrColumn {
    std::string names;  // For format=, the first in full; any beginning of it will do.
    std::string header;
    std::size_t width = 0;
    bool left = false;
    std::function<std::string(const Line&)> text;
};

template <class Line>
class SacctmgrTable {
public:
    using Column = SacctmgrColumn<Line>;

    SacctmgrTable(const SacctmgrOptions& options, Streams& streams)
        : options_(options), streams_(streams) {}

    // "account%20,user": the column, and another width where one is given. False: one of them is
    // not known, which has been said.
    bool choose(const std::vector<Column>& columns, std::string_view format) {
        for (const auto part : split(format, ',')) {
            const std::size_t percent = part.find('%');
            const std::string_view name = trim(part.substr(0, percent));
            const Column* const column = find(columns, name);
            if (column == nullptr) {
                streams_.err << "Unknown field '" << name << "'\n";
                return false;
            }
            chosen_.push_back(*column);
            if (percent == std::string_view::npos) continue;
            const auto width = parse_int64(part.substr(percent + 1));
            if (!width.ok() || *width == 0 || *width < -kWidthMost || *width > kWidthMost) continue;
            chosen_.back().left = *width < 0;
            chosen_.back().width = static_cast<std::size_t>(std::abs(*width));
        }
        return true;
    }

    // Begins at the left, for a tree.
    void widen(std::string_view header, std::size_t width) {
        for (Column& column : chosen_) {
            if (column.header != header) continue;
            column.left = true;
            column.width = width;
        }
    }

    void header() {
        if (options_.no_header) return;
        std::vector<std::string> names;
        names.reserve(chosen_.size());
        for (const Column& column : chosen_) names.push_back(column.header);
        put(names, true);
        if (options_.parsable || options_.parsable2) return;
        for (const Column& column : chosen_) streams_.out << std::string(column.width, '-') << ' ';
        streams_.out << '\n';
    }

    void line(const Line& line) {
        std::vector<std::string> cells;
        cells.reserve(chosen_.size());
        for (const Column& column : chosen_) cells.push_back(column.text(line));
        put(cells, false);
    }

private:
    static constexpr std::int64_t kWidthMost = 4096;

    static const Column* find(const std::vector<Column>& columns, std::string_view name) {
        for (const bool whole : {true, false}) {
            for (const Column& column : columns) {
                for (const auto one : split(column.names, ',')) {
                    const bool meant = whole ? iequals(one, name)
                                             : name.size() >= 3 && name.size() <= one.size() &&
                                                   iequals(one.substr(0, name.size()), name);
                    if (meant) return &column;
                }
            }
        }
        return nullptr;
    }

    void put(const std::vector<std::string>& cells, bool is_header) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (options_.parsable || options_.parsable2) {
                streams_.out << printable(cells[i], "|");
                if (options_.parsable || i + 1 < cells.size()) streams_.out << '|';
                continue;
            }
            const Column& column = chosen_[i];
            const std::string text = printable(cells[i]);
            streams_.out << (is_header ? cell(text, column.width, !column.left)
                                       : cell_with_plus(text, column.width, !column.left))
                         << ' ';
        }
        streams_.out << '\n';
    }

    const SacctmgrOptions& options_;
    Streams& streams_;
    std::vector<Column> chosen_;
};

}  // namespace berth::slurm
