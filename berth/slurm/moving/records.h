// The records of `scontrol show`: KEY=VALUE pairs, each record in one line (-o), or over several
// lines of which all but the first are indented.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/slurm/moving/remark.h"

namespace berth::slurm {

// Values have blanks in them, so only a known key ends the value before it.
struct RecordForm {
    std::string_view first;                   // The key that begins a record.
    std::span<const std::string_view> keys;   // All of them, the first one too.
    std::span<const std::string_view> lists;  // Keys that may stand in a record more than once.
};

struct ShownRecord {
    struct Field {
        std::string key, value;
    };
    std::size_t line = 0;
    std::vector<Field> fields;
    // Why the record must not be believed; empty: it may. A name or a comment that a user chose can
    // imitate other keys.
    std::string wrong;

    bool has(std::string_view key) const;
    // Empty where Slurm has nothing: "(null)", "N/A", "n/a".
    std::string value(std::string_view key) const;
};

// Remarks name the lines that belong to no record.
std::vector<ShownRecord> read_records(std::string_view text, const RecordForm& form,
                                      Remarks& remarks);

}  // namespace berth::slurm
