#include "berth/workload/table.h"

#include "berth/base/text.h"

namespace berth::workload {

Table::Table(std::string_view text, char separator) : rest_(text), separator_(separator) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    if (!next()) return;
    for (std::size_t i = 0; i < fields_.size(); ++i) columns_.emplace(trim(fields_[i]), i);
}

Status Table::require(std::span<const std::string_view> columns) const {
    std::vector<std::string_view> missing, here;
    for (const std::string_view column : columns) {
        if (!has(column)) missing.push_back(column);
    }
    if (missing.empty()) return Done{};
    for (const auto& [name, at] : columns_) here.push_back(name);
    return Error{ErrorCode::invalid_argument, "the header should name " + join(missing, ", ") +
                                                  " too; it has " +
                                                  (here.empty() ? "nothing" : join(here, ", "))};
}

bool Table::next() {
    while (!rest_.empty()) {
        if (read_row()) return true;
    }
    fields_.clear();
    return false;
}

// One line; false: there is nothing in it.
bool Table::read_row() {
    ++line_;
    const std::size_t end = rest_.find('\n');
    std::string_view row = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (trim(row).empty()) return false;
    if (row.find('"') != std::string_view::npos) {
        split_quoted(row);
    } else {
        fields_ = split(row, separator_);
    }
    return true;
}

void Table::split_quoted(std::string_view row) {
    unquoted_.assign(1, {});
    bool quoted = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] == '"') {
            if (quoted && i + 1 < row.size() && row[i + 1] == '"') {
                unquoted_.back() += '"';
                ++i;
            } else {
                quoted = !quoted;
            }
        } else if (row[i] == separator_ && !quoted) {
            unquoted_.emplace_back();
        } else {
            unquoted_.back() += row[i];
        }
    }
    fields_.assign(unquoted_.begin(), unquoted_.end());
}

std::string_view Table::field(std::string_view column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end() || found->second >= fields_.size()) return {};
    return trim(fields_[found->second]);
}

}  // namespace berth::workload
