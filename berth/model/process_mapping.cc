#include "berth/model/process_mapping.h"

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::string_view kHead = "(vector";

struct RankBlock {
    std::uint32_t first = 0, nodes = 1, ranks = 0;  // So many ranks on each of so many nodes.
};

// Each run of ranks on one node is a block; those on the next node, as many, join the one before.
std::vector<RankBlock> blocks_of(std::span<const std::uint32_t> node_of_rank) {
    std::vector<RankBlock> blocks;
    for (std::size_t rank = 0; rank < node_of_rank.size();) {
        RankBlock run{.first = node_of_rank[rank]};
        for (; rank < node_of_rank.size() && node_of_rank[rank] == run.first; ++rank) ++run.ranks;
        RankBlock* const last = blocks.empty() ? nullptr : &blocks.back();
        if (last != nullptr && last->first + last->nodes == run.first && last->ranks == run.ranks) {
            ++last->nodes;
        } else {
            blocks.push_back(run);
        }
    }
    return blocks;
}

Error no_mapping(std::string_view text) {
    return {ErrorCode::invalid_argument,
            "\"" + std::string(text.substr(0, 100)) +
                "\" is no process mapping: (vector,(first node, nodes, "
                "ranks on each),...)"};
}

// "0,2,4)" of the text, which then begins behind it.
Result<RankBlock> read_block(std::string_view& text) {
    const std::size_t end = text.find(')');
    if (end == std::string_view::npos) return no_mapping(text);
    const auto words = split(text.substr(0, end), ',');
    if (words.size() != 3) return no_mapping(text);
    std::uint32_t numbers[3];
    for (std::size_t i = 0; i < 3; ++i) {
        const auto number = parse_int64(words[i]);
        if (!number.ok() || *number < 0 || *number > 0xffff'ffff) return no_mapping(text);
        numbers[i] = static_cast<std::uint32_t>(*number);
    }
    text.remove_prefix(end + 1);
    return RankBlock{.first = numbers[0], .nodes = numbers[1], .ranks = numbers[2]};
}

}  // namespace

std::string process_mapping(std::span<const std::uint32_t> node_of_rank) {
    std::string text(kHead);
    for (const RankBlock& block : blocks_of(node_of_rank)) {
        text += ",(" + std::to_string(block.first) + "," + std::to_string(block.nodes) + "," +
                std::to_string(block.ranks) + ")";
    }
    return text + ")";
}

Result<std::vector<std::uint32_t>> read_process_mapping(std::string_view text, std::uint32_t tasks,
                                                        std::uint32_t nodes) {
    if (!text.starts_with(kHead)) return no_mapping(text);
    std::string_view rest = text.substr(kHead.size());
    std::vector<std::uint32_t> node_of_rank;
    while (rest.starts_with(",(")) {
        rest.remove_prefix(2);
        BERTH_TRY(const RankBlock block, read_block(rest));
        if (block.first >= nodes || block.nodes > nodes - block.first) return no_mapping(text);
        if (std::uint64_t{block.nodes} * block.ranks > tasks - node_of_rank.size()) {
            return no_mapping(text);
        }
        for (std::uint32_t node = block.first; node < block.first + block.nodes; ++node) {
            node_of_rank.insert(node_of_rank.end(), block.ranks, node);
        }
    }
    if (rest != ")" || node_of_rank.size() != tasks) return no_mapping(text);
    return node_of_rank;
}

}  // namespace berth
