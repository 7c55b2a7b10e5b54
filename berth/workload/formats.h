// The formats that workloads come in. docs/formats.md says what is read of each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "berth/base/result.h"
#include "berth/workload/workload.h"

namespace berth::workload {

// More than any job of any trace asks for: sums stay within bounds.
inline constexpr std::int64_t kGpusMax = 100'000, kCpusMax = 10'000'000;

// An error: the text is not of this format at all. What is wrong with single rows is in the
// workload.
Result<Workload> read_philly(std::string_view text);
Result<Workload> read_openb(std::string_view text);
Result<Workload> read_muri(std::string_view text);
Result<Workload> read_tiresias(std::string_view text);
Result<Workload> read_helios(std::string_view text);
Result<Workload> read_pai(std::string_view text);
Result<Workload> read_swf(std::string_view text);
Result<Workload> read_swf_gpu(std::string_view text);
Result<Workload> read_sacct(std::string_view text);

struct Format {
    std::string_view name;     // As `--trace NAME:FILE` has it.
    std::string_view summary;  // One line.
    Result<Workload> (*read)(std::string_view text);
};
std::span<const Format> formats();
const Format* find_format(std::string_view name);  // nullptr: there is none.

}  // namespace berth::workload
