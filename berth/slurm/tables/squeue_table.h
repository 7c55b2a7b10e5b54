// squeue's table: takes rows one by one and prints them in order. It keeps only the line of each
// row, a hundredth of its size.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "berth/slurm/tables/squeue_fields.h"
#include "berth/slurm/tables/squeue_order.h"
#include "berth/slurm/text/columns.h"

namespace berth::slurm {

class SqueueTable {
public:
    // An error names an unknown letter of `format` or key of `order`. Without `convert` memory is
    // in MiB, and not in the largest unit that fits.
    static Result<SqueueTable> make(PercentFormat format, std::string_view order, Time now,
                                    bool convert = true);

    void add(const api::JobRow& job);
    void print_header(std::ostream& out) const;
    void print(std::ostream& out);

private:
    struct Column {
        FormatItem item;
        std::string_view header;
        std::string (*text)(const api::JobRow& job, Time now);
    };
    struct Line {
        SqueueOrder::Place place;
        std::string text;
    };
    SqueueTable(PercentFormat format, SqueueOrder order, Time now, bool convert);

    std::string prefix_;
    std::vector<Column> columns_;
    SqueueOrder order_;
    Time now_;
    bool convert_ = true;
    std::vector<Line> lines_;
};

}  // namespace berth::slurm
