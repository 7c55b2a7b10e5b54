#include "berth/engine/plan/placement_shared.h"

#include <algorithm>

#include "berth/engine/placement/affinity.h"

namespace berth {
namespace {

// `parts` of `whole` in thousandths of a GPU, rounded up.
std::int32_t milli_of(std::int64_t parts, std::int64_t whole) {
    __extension__ using Wide = __int128;
    return static_cast<std::int32_t>((Wide{parts} * kWholeGpu + whole - 1) / whole);
}

std::int64_t parts_in(const Device& device, DimensionId kind) {
    const auto own = std::ranges::find(device.shares, kind, &ShareKind::dimension);
    return own == device.shares.end() ? 0 : own->parts;
}

// The demand without its part of a GPU.
Demand beside_gpu(const Demand& demand) {
    Demand rest = demand;
    rest.gres_per_node.pop_back();
    rest.share.reset();
    return rest;
}

struct PartChoice {
    std::uint32_t device = 0;
    std::int64_t score = 0;
};

// The device best suited to the part. The same part is a different fraction of GPUs with another
// number of parts, so each fraction is scored by itself.
PartChoice choose_device(const NodeGpus& gpus, DeviceMask devices, const ShareKind& part,
                         const Candidate& plain, const NodeSpec& node,
                         const PlacementPreference& preference) {
    std::map<std::int32_t, DeviceMask> by_fraction;
    for (std::size_t i = 0; i < gpus.devices.size(); ++i) {
        if ((devices & bit(static_cast<int>(gpus.devices[i]))) == 0) continue;
        const std::int64_t whole = parts_in(node.devices[gpus.devices[i]], part.dimension);
        by_fraction[milli_of(part.parts, whole)] |= bit(static_cast<int>(i));
    }
    std::optional<PartChoice> best;
    for (const auto& [milli, usable] : by_fraction) {
        const Candidate candidate{plain.node, plain.take, plain.left,    gpus.left,
                                  0,          milli,      preference.job};
        const GpuChoice choice = choose_gpu(preference.policy, candidate, usable, preference.view);
        if (best && choice.score <= best->score) continue;
        const auto at = static_cast<std::size_t>(std::countr_zero(choice.chosen));
        best = PartChoice{gpus.devices[at], choice.score};
    }
    BERTH_ASSERT(best);
    return *best;
}

class SharedSearch {
public:
    SharedSearch(const Demand& demand, const SharedLook& look,
                 const PlacementPreference& preference)
        : part_(*demand.share),
          rest_(beside_gpu(demand)),
          look_(look),
          preference_(preference),
          gpu_types_(preference.view.totals().gpu_types) {}

    std::optional<std::vector<Part>> among(const BitSet& choice, const BitSet& usable) {
        std::vector<Offer> offers;
        for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
            if (!usable.test(n)) continue;
            const NodeId node = NodeId::from_index(n);
            const DeviceMask devices = devices_for_part(look_, node, part_);
            if (devices == 0) continue;
            const Time end = after(look_.now, look_.length);
            const Resources room = look_.book.timeline(node).least_free(look_.now, end);
            const std::uint32_t tasks =
                tasks_that_fit(rest_, spec().node(node), room, tasks_per_node_max(rest_));
            if (tasks > 0) offers.push_back({node, room, tasks});
        }
        if (rest_.nodes_max == 1 && rest_.gres_total.empty()) return on_one(offers);
        auto parts = gather(rest_, offers, preference_);
        if (!parts) return std::nullopt;
        for (Part& part : *parts) choose_for(part, room_of(offers, part.node));
        return parts;
    }

private:
    const ClusterSpec& spec() const { return preference_.view.spec(); }

    static const Resources& room_of(const std::vector<Offer>& offers, NodeId node) {
        return std::ranges::find(offers, node, &Offer::node)->room;
    }

    std::optional<std::vector<Part>> on_one(const std::vector<Offer>& offers) {
        const std::size_t required = rest_.required.find_first();
        std::optional<Part> best;
        std::int64_t best_score = 0;
        for (const Offer& offer : offers) {
            if (required != BitSet::kNone && offer.node.index() != required) continue;
            auto take =
                take_on(rest_, spec().node(offer.node), offer.room, tasks_per_node_min(rest_));
            BERTH_ASSERT(take);
            Part part{offer.node, *std::move(take)};
            const std::int64_t score = choose_for(part, offer.room);
            if (best && score <= best_score) continue;
            best = std::move(part);
            best_score = score;
        }
        if (!best) return std::nullopt;
        return std::vector{*std::move(best)};
    }

    // Sets the GPU of the part. Returns the score.
    std::int64_t choose_for(Part& part, const Resources& room) const {
        const NodeGpus gpus =
            gpus_of(spec(), gpu_types_, part.node, look_.state.nodes().free(part.node));
        const Resources left = room - part.take.amount;
        const Candidate plain{part.node, part.take.amount, left};
        const PartChoice choice = choose_device(gpus, devices_for_part(look_, part.node, part_),
                                                part_, plain, spec().node(part.node), preference_);
        part.take.share = DeviceShare{choice.device, part_};
        return choice.score;
    }

    ShareKind part_;
    Demand rest_;
    const SharedLook& look_;
    const PlacementPreference& preference_;
    DimensionSet gpu_types_;
};

}  // namespace

NodeGpus gpus_of(const ClusterSpec& spec, DimensionSet gpu_types, NodeId node,
                 const NodeFree& free) {
    NodeGpus gpus;
    const std::vector<Device>& devices = spec.node(node).devices;
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
        if ((gpu_types & dimension_bit(devices[i].dimension)) == 0) continue;
        std::int32_t milli = (free.devices & bit(static_cast<int>(i))) != 0 ? kWholeGpu : 0;
        if (const SharedDevice* shared = find_shared(free, i)) {
            const std::int64_t whole = parts_in(devices[i], shared->used.dimension);
            const std::int64_t left = std::max<std::int64_t>(whole - shared->used.parts, 0);
            milli = whole == 0 ? 0 : static_cast<std::int32_t>(left * kWholeGpu / whole);
        }
        gpus.left.push_back({devices[i].dimension, milli});
        gpus.devices.push_back(i);
    }
    return gpus;
}

DeviceMask devices_for_part(const SharedLook& look, NodeId node, const ShareKind& part) {
    const NodeSpec& spec = look.state.spec().node(node);
    const NodeFree& free = look.state.nodes().free(node);
    const Time end = after(look.now, look.length);
    DeviceMask devices = 0, wished = ~DeviceMask{0};
    if (look.wishing != nullptr) {
        wished = devices_as_wished(look.state, *look.wishing, node, look.preferred);
    }
    for (std::uint32_t i = 0; i < spec.devices.size(); ++i) {
        if ((wished & bit(static_cast<int>(i))) == 0) continue;
        if (parts_left(spec, free, i, part.dimension) < part.parts) continue;
        // While the GPU is shared it is booked whole; from then on no planned start may use it.
        const Time from = std::max(look.now, look.book.shared_until(node, i).value_or(look.now));
        const bool unpromised = from >= end || look.book.timeline(node).least_free(
                                                   from, end)[spec.devices[i].dimension] >= 1;
        if (unpromised) devices |= bit(static_cast<int>(i));
    }
    return devices;
}

std::optional<Found> find_shared_now(const Demand& demand, const SharedLook& look,
                                     const BitSet& usable, const PlacementPreference& preference) {
    SharedSearch search(demand, look, preference);
    for (const BitSet& choice : demand.choices) {
        if (auto parts = search.among(choice, usable)) return Found{look.now, *std::move(parts)};
    }
    return std::nullopt;
}

}  // namespace berth
