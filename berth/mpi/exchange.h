// Exchange: srun's part in the collectives of a step's nodes. It gathers what each node gives, and
// once all have given it has the whole for each of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/model/step_io.h"

namespace berth {

inline constexpr std::size_t kExchangeBytesMax = std::size_t{256} << 20;  // Of all under way.

class Exchange {
public:
    explicit Exchange(std::uint32_t nodes) : nodes_(nodes) {}

    struct Outcome {
        std::vector<std::uint32_t> nodes;  // Whom to send the frames.
        std::string frames;
    };
    // What came from this node. nullopt: others have not given yet. An error is for good: the
    // servers do not keep to the rules, or hold more than we can.
    Result<std::optional<Outcome>> take(std::uint32_t node, const StepFrame& frame);

private:
    struct Round {
        std::vector<std::uint32_t> nodes;  // As given; none: all.
        std::map<std::uint32_t, std::string> given;
        std::vector<std::uint32_t> done;  // Sorted.
    };
    Outcome finish(const std::string& key, const Round& round) const;

    std::uint32_t nodes_;
    std::map<std::string, Round> rounds_;
    std::size_t held_ = 0;  // Bytes.
};

}  // namespace berth
