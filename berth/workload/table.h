// Table: text with a header line and rows of fields, walked row by row. Columns go by their names,
// so that a trace may have more of them, or have them in another order.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth::workload {

class Table {
public:
    // A field in double quotes may hold the separator; "" in it is a quote.
    Table(std::string_view text, char separator);

    // An error names the columns that are missing, and those that are there.
    Status require(std::span<const std::string_view> columns) const;
    bool has(std::string_view column) const { return columns_.find(column) != columns_.end(); }

    // To the next row that is not empty; false: there is none.
    bool next();
    std::size_t line() const { return line_; }  // Of the row, from 1.
    // Whether the row has as many fields as the header.
    bool is_whole() const { return fields_.size() == columns_.size(); }
    std::size_t fields() const { return fields_.size(); }
    std::size_t columns() const { return columns_.size(); }
    // Trimmed; empty where the row or the table has no such field.
    std::string_view field(std::string_view column) const;

private:
    bool read_row();
    void split_quoted(std::string_view row);

    std::string_view rest_;
    char separator_;
    std::size_t line_ = 0;
    std::map<std::string, std::size_t, std::less<>> columns_;
    std::vector<std::string_view> fields_;
    std::vector<std::string> unquoted_;
};

}  // namespace berth::workload
