// Near: chooses among the offered nodes by topology: the fewest switches or blocks, of these the
// fullest; consecutive nodes; or nodes far apart.
#include <algorithm>
#include <numeric>

#include "berth/engine/placement/placement_devices.h"
#include "berth/engine/placement/placement_gang.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {
namespace {

using Parts = std::optional<std::vector<Part>>;

// What one leaf has on offer.
struct Leaf {
    LeafId id = kNoLeaf;
    std::vector<std::size_t> offers;
    std::uint64_t tasks = 0;
    bool required = false;  // Has a node that the job requires.
};

class NearSearch {
public:
    NearSearch(const Demand& demand, std::span<const Offer> offers,
               const PlacementPreference& preference)
        : demand_(demand), offers_(offers), preference_(preference), domains_(*preference.domains) {
        std::vector<std::size_t> place(domains_.leaves(), SIZE_MAX);
        for (std::size_t i = 0; i < offers.size(); ++i) {
            const LeafId id = domains_.leaf_of(offers[i].node);
            if (id == kNoLeaf) continue;
            if (place[id] == SIZE_MAX) {
                place[id] = leaves_.size();
                leaves_.push_back({.id = id, .offers = {}});
            }
            Leaf& leaf = leaves_[place[id]];
            leaf.offers.push_back(i);
            leaf.tasks += offers[i].tasks;
            leaf.required = leaf.required || is_required(offers[i].node);
        }
    }

    // The smallest subtree that suffices, and in it the fewest leaves. `most`: maximum number of
    // leaves.
    Parts run(std::size_t most) const {
        const std::vector<std::vector<LeafId>>& subtrees = domains_.subtrees();
        for (std::size_t first = 0; first < subtrees.size();) {
            std::size_t last = first;
            while (last < subtrees.size() && subtrees[last].size() == subtrees[first].size())
                ++last;
            if (Parts parts = run_level(first, last, most)) return parts;
            first = last;
        }
        return std::nullopt;
    }

private:
    bool is_required(NodeId node) const {
        return node.index() < demand_.required.size() && demand_.required.test(node.index());
    }

    // Of subtrees with equally many leaves, the one with the least to spare.
    Parts run_level(std::size_t first, std::size_t last, std::size_t most) const {
        std::vector<std::vector<const Leaf*>> tries;
        for (std::size_t i = first; i < last; ++i) {
            std::vector<const Leaf*> here = leaves_in(domains_.subtrees()[i]);
            if (suffices(here)) tries.push_back(std::move(here));
        }
        std::ranges::stable_sort(tries, {}, [](const auto& one) { return size_of(one); });
        for (const auto& one : tries) {
            if (Parts parts = in_fewest(one, most)) return parts;
        }
        return std::nullopt;
    }

    std::vector<const Leaf*> leaves_in(const std::vector<LeafId>& ids) const {
        std::vector<const Leaf*> found;
        for (const Leaf& leaf : leaves_) {
            if (std::ranges::binary_search(ids, leaf.id)) found.push_back(&leaf);
        }
        return found;
    }

    static std::uint64_t size_of(const std::vector<const Leaf*>& leaves) {
        std::uint64_t nodes = 0;
        for (const Leaf* leaf : leaves) nodes += leaf->offers.size();
        return nodes;
    }

    // Whether there are enough nodes and tasks. GRES totals are checked when the set is tried.
    bool suffices(const std::vector<const Leaf*>& leaves) const {
        std::uint64_t tasks = 0;
        for (const Leaf* leaf : leaves) tasks += leaf->tasks;
        return size_of(leaves) >= demand_.nodes_min && tasks >= demand_.tasks.value_or(0);
    }

    // Takes the largest leaves first. As the last leaf, takes the smallest that suffices.
    Parts in_fewest(std::vector<const Leaf*> leaves, std::size_t most) const {
        std::ranges::stable_sort(leaves, std::greater{}, [&](const Leaf* leaf) {
            return std::pair(leaf->required,
                             demand_.tasks ? leaf->tasks : std::uint64_t{leaf->offers.size()});
        });
        const auto required = static_cast<std::size_t>(
            std::ranges::count_if(leaves, [](const Leaf* leaf) { return leaf->required; }));
        for (std::size_t n = std::max<std::size_t>(required, 1); n <= std::min(most, leaves.size());
             ++n) {
            std::vector<const Leaf*> chosen(leaves.begin(),
                                            leaves.begin() + static_cast<std::ptrdiff_t>(n));
            if (!suffices(chosen)) continue;
            if (n > required) {
                for (std::size_t i = leaves.size(); i-- > n;) {  // From the smallest on.
                    chosen.back() = leaves[i];
                    if (!suffices(chosen)) continue;
                    if (Parts parts = among(chosen)) return parts;
                }
                chosen.back() = leaves[n - 1];
            }
            if (Parts parts = among(chosen)) return parts;
        }
        return std::nullopt;
    }

    Parts among(const std::vector<const Leaf*>& leaves) const {
        if (demand_.near.segment > 0) return in_segments(leaves);
        std::vector<std::size_t> all;
        for (const Leaf* leaf : leaves) {
            all.insert(all.end(), leaf->offers.begin(), leaf->offers.end());
        }
        return of(std::move(all));
    }

    // From each block a multiple of the segment; as few nodes in all as the job requires.
    Parts in_segments(const std::vector<const Leaf*>& leaves) const {
        const std::size_t segment = demand_.near.segment;
        std::size_t left = demand_.nodes_min;
        std::vector<std::size_t> all;
        for (const Leaf* leaf : leaves) {
            std::vector<std::size_t> here = leaf->offers;
            const std::size_t take = std::min(here.size(), left) / segment * segment;
            std::ranges::stable_partition(
                here, [&](std::size_t i) { return is_required(offers_[i].node); });
            all.insert(all.end(), here.begin(), here.begin() + static_cast<std::ptrdiff_t>(take));
            left -= take;
        }
        return left == 0 ? of(std::move(all)) : std::nullopt;
    }

    Parts of(std::vector<std::size_t> indexes) const {
        std::ranges::sort(indexes);
        std::vector<Offer> some;
        some.reserve(indexes.size());
        for (const std::size_t i : indexes) some.push_back(offers_[i]);
        return gather_any(demand_, some, preference_);
    }

    const Demand& demand_;
    std::span<const Offer> offers_;
    const PlacementPreference& preference_;
    const Domains& domains_;
    std::vector<Leaf> leaves_;
};

// Nodes with consecutive numbers: the shortest run that suffices.
Parts gather_in_a_row(const Demand& demand, std::span<const Offer> offers,
                      const PlacementPreference& preference) {
    const std::size_t most = std::min<std::size_t>(demand.nodes_max, offers.size());
    const auto try_length = [&](std::size_t nodes) -> Parts {
        Demand exactly = demand;
        exactly.nodes_min = exactly.nodes_max = static_cast<std::uint32_t>(nodes);
        for (std::size_t i = 0; i + nodes <= offers.size(); ++i) {
            const std::span<const Offer> run = offers.subspan(i, nodes);
            if (run.back().node.index() - run.front().node.index() + 1 != nodes) continue;
            if (Parts parts = gather_any(exactly, run, preference)) return parts;
        }
        return std::nullopt;
    };
    if (!demand.fewest_nodes) {  // More are better.
        for (std::size_t n = most; n >= std::max(demand.nodes_min, 1U); --n) {
            if (Parts parts = try_length(n)) return parts;
        }
        return std::nullopt;
    }
    for (std::size_t n = std::max(demand.nodes_min, 1U); n <= most; ++n) {
        if (Parts parts = try_length(n)) return parts;
    }
    return std::nullopt;
}

// The offers whose free GPUs contain as many linked ones as the job takes; empty if none do.
std::vector<Offer> with_linked_gpus(const Demand& demand, std::span<const Offer> offers,
                                    const PlacementPreference& preference) {
    const DimensionSet gpus = preference.view.totals().gpu_types;
    const std::uint32_t tasks = tasks_per_node_min(demand);
    DimensionSet types = gpus;
    std::int64_t count = 0;
    for (const GresDemand& one : demand.gres_per_node) {
        if ((one.dimensions & gpus) != 0) count += one.count, types &= one.dimensions;
    }
    for (const GresDemand& one : demand.gres_per_task) {
        if ((one.dimensions & gpus) != 0) count += one.count * tasks, types &= one.dimensions;
    }
    std::vector<Offer> linked;
    if (count < 2 || count > static_cast<std::int64_t>(kDevicesPerNodeMax)) return linked;
    for (const Offer& offer : offers) {
        bool has = false;
        for_each_bit(types, [&](int d) {
            const DimensionId type(static_cast<std::uint32_t>(d));
            has = has || (offer.room[type] >= count &&
                          preference.topologies->has_linked(
                              offer.node, type, preference.state->nodes().free(offer.node).devices,
                              static_cast<int>(count)));
        });
        if (has) linked.push_back(offer);
    }
    return linked;
}

}  // namespace

std::optional<std::vector<Part>> gather(const Demand& demand, std::span<const Offer> offers,
                                        const PlacementPreference& preference) {
    const bool has_domains = preference.domains != nullptr && !preference.domains->empty();
    const bool is_choice = offers.size() > 1;
    if (is_choice && demand.nodes_max == 1 && preference.topologies != nullptr &&
        !demand.exclusive) {
        const std::vector<Offer> linked = with_linked_gpus(demand, offers, preference);
        if (!linked.empty() && linked.size() < offers.size()) {
            if (Parts parts = gather_any(demand, linked, preference)) return parts;
        }
    }
    if (demand.nodes_max == 1 || (!has_domains && !demand.near.contiguous)) {
        return gather_any(demand, offers, preference);
    }
    if (demand.near.contiguous) return gather_in_a_row(demand, offers, preference);
    if (demand.near.spread) return gather_any(demand, offers, preference);
    const NearSearch search(demand, offers, preference);
    const bool must = demand.near.switches > 0 || demand.near.segment > 0;
    const std::size_t most = demand.near.switches > 0 ? demand.near.switches : SIZE_MAX;
    if (Parts parts = search.run(most)) return parts;
    return must ? std::nullopt : gather_any(demand, offers, preference);
}

}  // namespace berth
