// sreport's tables: which columns each report has, how wide they are, and how they are printed.
#pragma once

#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/slurm/tables/sreport_words.h"
#include "berth/slurm/text/columns.h"

namespace berth::slurm {

// What stands in a cell. The ranges of sizes follow each other from `first_size` on.
enum class ReportCell : int {
    account,
    allocated,
    associations,
    cluster,
    down,
    end,
    energy,
    flags,
    idle,
    login,
    name,
    nodes,
    overcommitted,
    planned,
    planned_down,
    proper_name,
    reported,
    start,
    total_time,
    tres_count,
    tres_name,
    tres_time,
    used,
    wckey,
    share_of_cluster,
    first_size = 1000,
};
inline ReportCell size_cell(std::size_t number) {
    return static_cast<ReportCell>(static_cast<std::size_t>(ReportCell::first_size) + number);
}

using ReportLine = std::map<ReportCell, std::string>;

struct ReportColumn {
    ReportCell cell = ReportCell::cluster;
    std::string header;
    std::size_t width = 9;
    bool left = false;
    bool is_asked = false;  // format=Used%20: it is as wide as that.
};

// The columns that the words ask for, or those of the report. `with_tres`: -T was given.
Result<std::vector<ReportColumn>> report_columns(const ReportWords& words, TimeNotation notation,
                                                 bool with_tres);
// As wide as the largest amount of seconds, unless the words say how wide.
void fit(std::vector<ReportColumn>& columns, ReportCell cell, std::int64_t seconds,
         TimeNotation notation);

void print_report_header(const std::vector<ReportColumn>& columns, TableStyle style,
                         std::ostream& out);
void print_report_line(const std::vector<ReportColumn>& columns, const ReportLine& line,
                       TableStyle style, std::ostream& out);

}  // namespace berth::slurm
