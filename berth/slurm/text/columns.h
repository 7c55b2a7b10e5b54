// Columns: tables as Slurm's commands print them. squeue and sinfo take "%.18i %.9P", sacct
// "JobID%20".
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::slurm {

// One item of a percent format: "%.18i " is {letter 'i', width 18, right, suffix " "}.
struct FormatItem {
    char letter = 0;                   // 0: it has a name.
    std::string name;                  // Of -O, in small letters: "jobid".
    std::optional<std::size_t> width;  // nullopt: as wide as the text is.
    bool right = false;
    std::string suffix;  // Printed as it stands.
};

struct PercentFormat {
    std::string prefix;  // What stands before the first item.
    std::vector<FormatItem> items;
};

// `of`: what the table is of, for the error: "job", "node".
Result<PercentFormat> parse_percent_format(std::string_view format, std::string_view of = "job");

// "%all": every letter that there is, with bars between them. Another format stays as it is.
std::string with_all_letters(std::string format, const std::function<bool(char)>& is_letter);

// "jobid,name:30,state:.12,workdir:,nodelist:###": -O's names, 20 wide if they do not say; with a
// colon but no number as wide as the text is. What follows the number is printed as it stands.
PercentFormat parse_long_format(std::string_view format);

// How a table is printed: in columns, or with a delimiter behind every cell (parsable) or between
// the cells (parsable2).
enum class TableStyle : unsigned char { table, parsable, parsable2 };

// A name of a long format that stands for a letter of the percent format.
struct LongName {
    std::string_view name;
    char letter;
};

// Padded to the width, and (if `cut`) cut off there, as squeue and sinfo do.
std::string cell(std::string_view text, std::optional<std::size_t> width, bool right,
                 bool cut = true);

// As sacct does: what is cut off ends in '+'.
std::string cell_with_plus(std::string_view text, std::size_t width, bool right);

}  // namespace berth::slurm
