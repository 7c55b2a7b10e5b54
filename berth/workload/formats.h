// The formats that workloads come in. docs/formats.md says what is read of each.
#pragma once

#include <span>
#include <string_view>

#include "berth/base/result.h"
#include "berth/workload/workload.h"

namespace berth::workload {

// An error: the text is not of this format at all. What is wrong with single rows is in the
// workload.
Result<Workload> read_philly(std::string_view text);

struct Format {
    std::string_view name;     // As `--trace NAME:FILE` has it.
    std::string_view summary;  // One line.
    Result<Workload> (*read)(std::string_view text);
};
std::span<const Format> formats();
const Format* find_format(std::string_view name);  // nullptr: there is none.

}  // namespace berth::workload
