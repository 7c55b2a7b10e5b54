// FreeSpace: a reserve file that is given up when the disk is full, so that the ends of running
// jobs can still be recorded while new work is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "berth/base/result.h"

namespace berth {

class FreeSpace {
public:
    // Free bytes of the file system that holds the directory, as available to an unprivileged user.
    using Ask = std::function<std::int64_t()>;

    // Allocates the reserve at once if there is space for it.
    FreeSpace(const std::string& directory, std::int64_t reserve_bytes, Ask ask = nullptr);

    // While the reserve is held: true if at least a quarter of its size is free besides. After it
    // was given up: false until there is space for twice the reserve, which is then taken again. So
    // submissions are not allowed and refused in quick alternation.
    bool has_room();

    // Call when a write found the disk full. Returns false if there was no reserve left.
    bool give_up_reserve();

private:
    bool take_reserve();

    std::string path_;
    std::int64_t reserve_bytes_;
    Ask ask_;
    bool held_ = false;
};

}  // namespace berth
