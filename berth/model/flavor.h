// Flavors: kinds of nodes, by name, of which queues have quotas of their own: "cpu:gpu-a100=256".
// The word is Kueue's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/fields.h"

namespace berth {

// A node is of the first flavor of the configuration whose every word fits it.
struct FlavorSpec {
    std::string name;
    std::vector<std::string> nodes;     // It is one of these. None: any may be.
    std::vector<std::string> features;  // It has all of these.
    std::string gpu_type;               // It has GPUs of this type. Empty: or none.

    BERTH_FIELDS(FlavorSpec, name, nodes, features, gpu_type)
};

// As many as are told apart.
inline constexpr std::size_t kFlavorsMost = 200;

bool is_flavor_name(std::string_view name);  // gpu-a100

// "cpu:gpu-a100", "gres/gpu:gpu-a100": the flavor's place. nullopt: the TRES names none.
std::optional<std::size_t> flavor_in(const std::vector<FlavorSpec>& flavors, std::string_view tres);

// Which of the kinds of nodes, and of types of a GRES, among which its queue's quotas tell apart, a
// pending job is tried on. None: the quotas that bound it do not ask.
struct FlavorChoice {
    static constexpr std::uint8_t kNone = 255;
    std::uint8_t flavor = kNone;     // Its place among the configuration's.
    std::uint8_t gres_type = kNone;  // The dimension that serves a request without a type.

    bool none() const { return flavor == kNone && gres_type == kNone; }
    BERTH_FIELDS(FlavorChoice, flavor, gres_type)
};
// In place of a flavor: the nodes that are of none.
inline constexpr std::uint8_t kOtherNodes = 254;
// Of a quota whose flavor is not configured any more: no node is of it.
inline constexpr std::uint8_t kNoSuchFlavor = 253;

}  // namespace berth
