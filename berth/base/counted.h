// A number and what it counts, as English writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

// "1 node", "3 nodes"; `things` ends with an s.
inline std::string counted(std::int64_t count, std::string_view things) {
    if (count == 1) things.remove_suffix(1);
    return std::to_string(count) + " " + std::string(things);
}

}  // namespace berth
