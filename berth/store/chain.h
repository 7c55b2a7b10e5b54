// Chain: one number for all records up to a given one. Two journals that differ in a record have
// different chains from that record on.
#pragma once

#include <cstdint>

namespace berth {

struct Chain {
    std::uint64_t sequence = 0;  // Of the last record included; 0: none.
    std::uint64_t hash = 0;

    friend bool operator==(const Chain&, const Chain&) = default;
};

// The chain with one more record, which has this checksum.
constexpr Chain extended(Chain chain, std::uint64_t sequence, std::uint32_t crc) {
    std::uint64_t mixed = chain.hash ^ (sequence * 0x9e3779b97f4a7c15u) ^ crc;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return {sequence, mixed ^ (mixed >> 31)};
}

}  // namespace berth
