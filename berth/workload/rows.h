// Rows: the loop that all readers of tables share.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "berth/workload/table.h"
#include "berth/workload/workload.h"

namespace berth::workload {

// `read` makes a job of a row; nullopt: the row is right, and there is nothing to run. A job
// without a number gets that of its row.
template <class Read>
Result<Workload> read_rows(std::string_view text, char separator,
                           std::span<const std::string_view> columns, Read read) {
    Table table(text, separator);
    BERTH_CHECK(table.require(columns));
    Workload workload;
    while (table.next()) {
        ++workload.rows;
        if (!table.is_whole()) {
            workload.reject(table.line(), "has " + std::to_string(table.fields()) +
                                              " fields; the header has " +
                                              std::to_string(table.columns()));
            continue;
        }
        Result<std::optional<TraceJob>> job = read(table);
        if (!job.ok()) {
            workload.reject(table.line(), job.error().message);
        } else if (!*job) {
            ++workload.skipped;
        } else {
            if ((*job)->number == 0) (*job)->number = workload.rows;
            workload.jobs.push_back(**std::move(job));
        }
    }
    return workload;
}

}  // namespace berth::workload
