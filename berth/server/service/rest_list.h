// Responses in slurmrestd's shape: whole documents, and long lists generated while they are sent.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "berth/server/service/response.h"
#include "berth/server/snapshot/read_model.h"
#include "berth/slurmrest/meta.h"
#include "berth/slurmrest/shape_writer.h"

namespace berth {

// {"<name>": [rows], tail, "meta": …, "errors": [], "warnings": […]}
struct RestList {
    std::string name;
    std::function<bool(slurmrest::ShapeWriter&)>
        put_next;  // One row; false when there are no more.
    std::function<void(slurmrest::ShapeWriter&)>
        put_tail;  // Members behind the list; may be empty.
    slurmrest::Meta meta;
    std::vector<slurmrest::WarningEntry> warnings;
};
ApiResponse respond_list(RestList list);

// The same of rows that already exist. put_row(json, row)
template <class Row, class Put>
ApiResponse respond_rows(const slurmrest::Meta& meta, std::string name, std::vector<Row> rows,
                         Put put_row, std::function<void(slurmrest::ShapeWriter&)> put_tail = {}) {
    auto put_next = [rows = std::move(rows), at = std::size_t{0},
                     put_row = std::move(put_row)](slurmrest::ShapeWriter& json) mutable {
        if (at == rows.size()) return false;
        put_row(json, rows[at++]);
        return true;
    };
    return respond_list({std::move(name), std::move(put_next), std::move(put_tail), meta, {}});
}

// A document whose members put(json) writes.
template <class Put>
ApiResponse respond_document(const slurmrest::Meta& meta, const Put& put,
                             const std::vector<slurmrest::WarningEntry>& warnings = {}) {
    std::string text;
    slurmrest::ShapeWriter json(text);
    json.begin();
    put(json);
    slurmrest::put_frame(json, meta, {}, warnings);
    json.end();
    return respond_json(std::move(text));
}

// What stands beside the payload of this answer.
slurmrest::Meta rest_meta(const Snapshot& snapshot, std::string_view target, const Principal& who);

// A problem of /v1 as slurmrestd tells it; any other response as it is.
ApiResponse problem_in_shape(const slurmrest::Meta& meta, ApiResponse response);

}  // namespace berth
