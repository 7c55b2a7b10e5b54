#include "berth/mpi/exchange.h"

#include <algorithm>
#include <utility>

namespace berth {
namespace {

constexpr std::size_t kRoundsMax = 4096;

Error against_the_rules(std::uint32_t node, const std::string& what) {
    return {ErrorCode::invalid_argument,
            "the MPI server of node " + std::to_string(node) + " of the step: " + what};
}

}  // namespace

Exchange::Outcome Exchange::finish(const std::string& key, const Round& round) const {
    Outcome outcome{.nodes = round.nodes, .frames = {}};
    if (outcome.nodes.empty()) {
        for (std::uint32_t node = 0; node < nodes_; ++node) outcome.nodes.push_back(node);
    }
    std::string whole;
    for (const auto& [node, bytes] : round.given) whole += bytes;
    outcome.frames = encode_exchange(key, round.nodes, whole);
    return outcome;
}

Result<std::optional<Exchange::Outcome>> Exchange::take(std::uint32_t node,
                                                        const StepFrame& frame) {
    auto read = read_exchange(frame);
    if (!read.ok()) return against_the_rules(node, read.error().message);
    ExchangePart part = std::move(read).value();
    const bool in_order = std::ranges::is_sorted(part.nodes, std::less_equal{});
    if (!in_order || (!part.nodes.empty() && part.nodes.back() >= nodes_)) {
        return against_the_rules(node, "it names nodes that there are not");
    }
    if (rounds_.size() >= kRoundsMax && !rounds_.contains(part.key)) {
        return against_the_rules(node, "too many collectives at once");
    }
    Round& round = rounds_.try_emplace(part.key, Round{.nodes = part.nodes}).first->second;
    const bool takes_part =
        node < nodes_ && (part.nodes.empty() || std::ranges::binary_search(part.nodes, node));
    if (!takes_part || round.nodes != part.nodes) {
        return against_the_rules(node, "it takes part in what is not its own");
    }
    if (std::ranges::binary_search(round.done, node)) {
        return against_the_rules(node, "it gives twice");
    }
    held_ += part.bytes.size();
    if (held_ > kExchangeBytesMax) {
        return against_the_rules(node, "its tasks and others want to exchange more than " +
                                           std::to_string(kExchangeBytesMax >> 20) +
                                           " MiB at once");
    }
    round.given[node] += part.bytes;
    if (!part.last) return std::optional<Outcome>();
    round.done.insert(std::ranges::lower_bound(round.done, node), node);
    if (round.done.size() < (round.nodes.empty() ? nodes_ : round.nodes.size())) {
        return std::optional<Outcome>();
    }
    const Round whole = std::move(round);
    rounds_.erase(part.key);
    for (const auto& [giver, bytes] : whole.given) held_ -= bytes.size();
    return std::optional<Outcome>(finish(part.key, whole));
}

}  // namespace berth
