// FreeSlotStream: the free slots in which a demand fits, over all node classes that can serve it,
// ordered by start. Exact: where the index may offer slots that are too small, the stream checks
// the timeline.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "berth/engine/plan/found_start.h"
#include "berth/engine/plan/plan_book.h"

namespace berth {

class FreeSlotStream {
public:
    struct Offered {
        FreeSlot free_slot;
        const ClassRequirement* requirement = nullptr;
    };

    // `first`: the caller needs only the first slot and those that start with it. `several`: the
    // caller combines slots of several nodes.
    enum class Wanted : std::uint8_t { first, several };

    // Streams the slots of `index` on nodes that are both in `choice` and usable.
    FreeSlotStream(const std::vector<ClassRequirement>& requirements, const FreeSlotIndex& index,
                   const PlanBook& book, const BitSet& choice, const BitSet& usable,
                   const Window& window, Wanted wanted = Wanted::several);
    FreeSlotStream(const FreeSlotStream&) = delete;
    FreeSlotStream& operator=(const FreeSlotStream&) = delete;

    // Returns false when no slot starts by window.latest.
    bool next(Offered& out);
    // Skips all slots that start later than `latest`.
    void limit(Time latest);

private:
    struct Source {
        Source(const FreeSlotTree::Cursor& at, const ClassRequirement& of, bool is_exact)
            : cursor(at), requirement(&of), exact(is_exact) {}
        FreeSlotTree::Cursor cursor;
        const ClassRequirement* requirement;
        bool exact;
        FreeSlot head;  // The cursor's current slot.
    };
    void settle(Source& source);  // Advances to the next slot on a node that may be used.
    void look_closer(const Source& source);

    const PlanBook& book_;
    const BitSet& choice_;
    const BitSet& usable_;
    Duration length_;
    Time reach_, latest_;
    // Each search makes a stream, and most have few classes: no heap allocation is needed for
    // these.
    std::array<std::byte, 2048> memory_;
    std::pmr::monotonic_buffer_resource pool_{memory_.data(), memory_.size()};
    std::pmr::vector<Source> sources_{&pool_};
    // A heap of spans found within slots that were too large.
    std::pmr::vector<Offered> parts_{&pool_};
};

}  // namespace berth
