// FreeSlotStream: the holes in which a demand fits, over all classes of nodes that can serve it, in
// order of their start. Exact: where the index knows too much, it looks at the timeline.
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

    // Whether the first one will do, and what begins with it; or they must be several.
    enum class Wanted : std::uint8_t { first, several };

    // Of those in `index`, on the nodes of `choice` that are usable.
    FreeSlotStream(const std::vector<ClassRequirement>& requirements, const FreeSlotIndex& index,
                   const PlanBook& book, const BitSet& choice, const BitSet& usable,
                   const Window& window, Wanted wanted = Wanted::several);
    FreeSlotStream(const FreeSlotStream&) = delete;
    FreeSlotStream& operator=(const FreeSlotStream&) = delete;

    // False: there is none by window.latest any more.
    bool next(Offered& out);
    // Nothing that starts later is of interest any more.
    void limit(Time latest);

private:
    struct Source {
        Source(const FreeSlotTree::Cursor& at, const ClassRequirement& of, bool is_exact)
            : cursor(at), requirement(&of), exact(is_exact) {}
        FreeSlotTree::Cursor cursor;
        const ClassRequirement* requirement;
        bool exact;
        FreeSlot head;  // Of the cursor.
    };
    void settle(Source& source);  // On to the next one of a node that may be used.
    void look_closer(const Source& source);

    const PlanBook& book_;
    const BitSet& choice_;
    const BitSet& usable_;
    Duration length_;
    Time reach_, latest_;
    // There is a stream for each search, and mostly few classes.
    std::array<std::byte, 2048> memory_;
    std::pmr::monotonic_buffer_resource pool_{memory_.data(), memory_.size()};
    std::pmr::vector<Source> sources_{&pool_};
    std::pmr::vector<Offered> parts_{&pool_};  // A heap: found within a hole that was too large.
};

}  // namespace berth
