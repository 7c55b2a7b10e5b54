// Rows as a JSON list, one to a line.
#pragma once

#include <ostream>
#include <vector>

#include "berth/api/json.h"

namespace berth::cli {

template <class Row>
void print_json_list(const std::vector<Row>& rows, std::ostream& out) {
    out << '[';
    for (std::size_t i = 0; i < rows.size(); ++i)
        out << (i == 0 ? "\n" : ",\n") << api::to_json(rows[i]);
    out << "\n]\n";
}

}  // namespace berth::cli
