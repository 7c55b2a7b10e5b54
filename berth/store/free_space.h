// The disk's last reserve: a file that is given up when the disk is full, so that the ends of
// running jobs can still be recorded while new work is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "berth/base/result.h"

namespace berth {

class FreeSpace {
public:
    // Free bytes of the file system that holds this folder, as an unprivileged user may use them.
    using Ask = std::function<std::int64_t()>;

    // Takes the reserve at once if there is room for it.
    FreeSpace(const std::string& directory, std::int64_t reserve_bytes, Ask ask = nullptr);

    // True while the reserve is held and some more is free. Once false, it stays so until there is
    // room for twice as much: work is not let in and out by the minute.
    bool has_room();

    // For when a write found the disk full. False: there was nothing left to give up.
    bool give_up_reserve();

private:
    bool take_reserve();

    std::string path_;
    std::int64_t reserve_bytes_;
    Ask ask_;
    bool held_ = false;
};

}  // namespace berth
