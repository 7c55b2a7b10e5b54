// SlotHash: where to look in a table for something that is found by its content. Fixed, so that the
// same input takes the same time everywhere; nothing may depend on the order of such a table.
#pragma once

#include <cstdint>

namespace berth {

class SlotHash {
public:
    void add(std::uint64_t word) {
        value_ = (value_ ^ word) * 0x9e3779b97f4a7c15;
        value_ ^= value_ >> 32;
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

}  // namespace berth
