// HoleStream: the holes in which a demand fits, over all classes of nodes that can serve it, in
// order of their start. Exact: where the index knows too much, it looks at the timeline.
#pragma once

#include <algorithm>

#include "berth/engine/plan_search.h"

namespace berth {

class HoleStream {
public:
    struct Offered {
        Hole hole;
        const Footprint* footprint = nullptr;
    };

    // Of those in `index`, on the nodes of `choice` that are usable.
    HoleStream(const std::vector<Footprint>& footprints, const HoleIndex& index,
               const PlanBook& book, const BitSet& choice, const BitSet& usable,
               const Window& window);

    // False: there is none by window.latest any more.
    bool next(Offered& out);
    // Nothing that starts later is of interest any more.
    void limit(Time latest) { latest_ = std::min(latest_, latest); }

private:
    struct Source {
        HoleTree::Cursor cursor;
        const Footprint* footprint;
        bool exact;
        Hole head;  // Of the cursor.
    };
    void settle(Source& source);  // On to the next one of a node that may be used.
    void look_closer(const Source& source);

    const PlanBook& book_;
    const BitSet& choice_;
    const BitSet& usable_;
    Duration length_;
    Time reach_, latest_;
    std::vector<Source> sources_;
    std::vector<Offered> parts_;  // A heap: found within a hole that was too large.
};

}  // namespace berth
