#include "berth/engine/preempt/victim_search.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace berth {
namespace {

using Indexes = std::span<const std::size_t>;

class VictimSearch {
public:
    VictimSearch(const ClusterState& state, const VictimAt& candidate, const StopVictim& stop,
                 Trial& trial, const FitsNow& fits)
        : state_(state), candidate_(candidate), stop_(stop), trial_(trial), fits_(fits) {}

    std::optional<VictimChoice> run() {
        std::optional<Found> found;
        const std::size_t prefix = shortest_prefix(found);
        if (!found) return std::nullopt;
        std::vector<std::size_t> near = on_nodes(prefix, *found);
        const Trial::Mark before = trial_.mark();
        lift(near);
        auto among = fits_();
        trial_.back_to(before);
        if (!among) {  // Licenses may come from anywhere.
            near.resize(prefix);
            std::iota(near.begin(), near.end(), std::size_t{0});
        }
        VictimChoice choice;
        choice.victims = fits_() ? std::vector<std::size_t>{} : needed(false, near);
        std::ranges::sort(choice.victims);
        lift(choice.victims);
        std::optional<Found> last = fits_();
        trial_.back_to(before);
        if (!last) return std::nullopt;  // More room made it worse: no choice that one could prove.
        choice.found = *std::move(last);
        return choice;
    }

private:
    void lift(std::size_t candidate) { stop_(candidate); }
    void lift(Indexes some) {
        for (const std::size_t one : some) lift(one);
    }

    // How many of the first candidates must be lifted at least; `found` is what fits then.
    std::size_t shortest_prefix(std::optional<Found>& found) {
        const Trial::Mark before = trial_.mark();
        std::size_t fails = 0, lifted = 0;  // With so many lifted it does not fit.
        std::vector<Trial::Mark> marks = {before};
        while (!found && candidate_(lifted) != nullptr) {
            const std::size_t next = std::max<std::size_t>(1, lifted * 2);
            fails = lifted;
            for (; lifted < next && candidate_(lifted) != nullptr; ++lifted) {
                lift(lifted);
                marks.push_back(trial_.mark());
            }
            found = fits_();
        }
        std::size_t enough = lifted;
        while (found && enough - fails > 1) {
            const std::size_t middle = (enough + fails) / 2;
            if (middle < lifted) {
                trial_.back_to(marks[middle]);
            } else {
                for (std::size_t i = lifted; i < middle; ++i) lift(i);
            }
            lifted = middle;
            if (auto with_less = fits_()) {
                found = std::move(with_less);
                enough = middle;
            } else {
                fails = middle;
            }
        }
        trial_.back_to(before);
        return enough;
    }

    std::vector<std::size_t> on_nodes(std::size_t prefix, const Found& found) const {
        std::vector<NodeId> nodes;
        nodes.reserve(found.parts.size());
        for (const Part& part : found.parts) nodes.push_back(part.node);
        std::ranges::sort(nodes);
        std::vector<std::size_t> near;
        for (std::size_t i = 0; i < prefix; ++i) {
            const bool is_near = std::ranges::any_of(*candidate_(i), [&](JobId id) {
                return std::ranges::any_of(state_.find_job(id)->allocation->shares,
                                           [&](const NodeShare& share) {
                                               return std::ranges::binary_search(nodes, share.node);
                                           });
            });
            if (is_near) near.push_back(i);
        }
        return near;
    }

    // Those of `some` that must end besides what is lifted already. REQUIRES: with all of `some`
    // lifted it fits. `ask`: it may fit without any of them.
    std::vector<std::size_t> needed(bool ask, Indexes some) {
        if (ask && fits_()) return {};
        if (some.size() <= 1) return {some.begin(), some.end()};
        const Indexes first = some.first(some.size() / 2), second = some.subspan(some.size() / 2);
        const Trial::Mark before = trial_.mark();
        lift(first);
        std::vector<std::size_t> of_second = needed(!first.empty(), second);
        trial_.back_to(before);
        lift(of_second);
        std::vector<std::size_t> of_first = needed(!of_second.empty(), first);
        trial_.back_to(before);
        of_first.insert(of_first.end(), of_second.begin(), of_second.end());
        return of_first;
    }

    const ClusterState& state_;
    const VictimAt& candidate_;
    const StopVictim& stop_;
    Trial& trial_;
    const FitsNow& fits_;
};

}  // namespace

std::optional<VictimChoice> choose_victims(const ClusterState& state, const VictimAt& candidate,
                                           const StopVictim& stop, Trial& trial,
                                           const FitsNow& fits) {
    return VictimSearch(state, candidate, stop, trial, fits).run();
}

}  // namespace berth
