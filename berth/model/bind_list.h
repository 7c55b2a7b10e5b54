// BindList: the lists of --cpu-bind and --mem-bind, which name CPUs or NUMA nodes by the machine's
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace berth {

// Numbers for the first, second … task of a node. Tasks beyond the end begin again at the first.
using BindList = std::vector<std::vector<std::uint32_t>>;

// "0,2*4": one number for each task, "2" for four of them; with `masks` "0x3,0xC": sets of them.
// All numbers are below `end`. nullopt: the text is no such list.
std::optional<BindList> parse_bind_list(std::string_view text, bool masks, std::uint32_t end);

}  // namespace berth
