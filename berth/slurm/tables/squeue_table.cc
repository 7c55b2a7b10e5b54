#include "berth/slurm/tables/squeue_table.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "berth/slurm/text/printable.h"
#include "berth/slurm/text/unit_text.h"

namespace berth::slurm {
namespace {
constexpr char kMinMemory = 'm';
}  // namespace

SqueueTable::SqueueTable(PercentFormat format, SqueueOrder order, Time now, bool convert)
    : prefix_(std::move(format.prefix)), order_(std::move(order)), now_(now), convert_(convert) {
    for (FormatItem& item : format.items) {
        Column column{.item = std::move(item), .header = {}, .text = nullptr};
        if (column.item.name.empty()) {
            const JobField& field = *find_job_field(column.item.letter);
            column.header = field.header, column.text = field.text;
        } else {
            const LongField& field = *find_long_field(column.item.name);
            column.header = field.header, column.text = field.text;
        }
        columns_.push_back(std::move(column));
    }
}

Result<SqueueTable> SqueueTable::make(PercentFormat format, std::string_view order, Time now,
                                      bool convert) {
    for (const FormatItem& item : format.items) {
        if (item.name.empty() && find_job_field(item.letter) == nullptr) {
            return Error{ErrorCode::invalid_argument,
                         std::string("Unrecognized option: ") + item.letter};
        }
    }
    BERTH_TRY(SqueueOrder by, SqueueOrder::read(order));
    return SqueueTable(std::move(format), std::move(by), now, convert);
}

void SqueueTable::add(const api::JobRow& job) {
    std::string text = prefix_;
    for (const Column& column : columns_) {
        const FormatItem& item = column.item;
        std::string value = printable(column.text(job, now_));
        if (!convert_ && item.letter == kMinMemory) value = in_unit(value, 'M');
        text += cell(value, item.width, item.right, !is_time(item.letter));
        text += item.suffix;
    }
    lines_.push_back({order_.place_of(job), std::move(text)});
}

void SqueueTable::print_header(std::ostream& out) const {
    out << prefix_;
    for (const auto& [item, header, text] : columns_)
        out << cell(header, item.width, item.right) << item.suffix;
    out << '\n';
}

void SqueueTable::print(std::ostream& out) {
    std::ranges::stable_sort(
        lines_, [&](const Line& a, const Line& b) { return order_.before(a.place, b.place); });
    for (const Line& line : lines_) out << line.text << '\n';
}

}  // namespace berth::slurm
