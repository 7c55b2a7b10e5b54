#include "berth/engine/plan/hole_stream.h"

#include <algorithm>
#include <tuple>

namespace berth {
namespace {

bool later(const HoleStream::Offered& a, const HoleStream::Offered& b) {
    return std::tie(a.hole.start, a.hole.node) > std::tie(b.hole.start, b.hole.node);
}

}  // namespace

HoleStream::HoleStream(const std::vector<Footprint>& footprints, const HoleIndex& index,
                       const PlanBook& book, const BitSet& choice, const BitSet& usable,
                       const Window& window, Wanted wanted)
    : book_(book),
      choice_(choice),
      usable_(usable),
      length_(window.length),
      reach_(after(window.earliest, window.length)),
      latest_(window.latest) {
    sources_.reserve(footprints.size());
    for (const Footprint& footprint : footprints) {
        const HoleTree& tree = index.tree(footprint.node_class, footprint.level);
        const bool exact =
            !footprint.takes_others &&
            book.levels().has_all(footprint.node_class, footprint.level, footprint.take);
        Source& source = sources_.emplace_back(HoleTree::Cursor(tree, length_, reach_, latest_),
                                               footprint, exact);
        settle(source);
        if (!source.cursor.valid()) {
            sources_.pop_back();
        } else if (wanted == Wanted::first && exact) {
            latest_ = std::min(latest_, std::max(source.head.start, window.earliest));
        }
    }
}

void HoleStream::limit(Time latest) {
    latest_ = std::min(latest_, latest);
    for (Source& source : sources_) source.cursor.limit(latest_);
}

void HoleStream::settle(Source& source) {
    for (; source.cursor.valid(); source.cursor.next()) {
        source.head = source.cursor.hole();
        const std::size_t node = source.head.node.index();
        if (!choice_.test(node) || !usable_.test(node)) continue;
        book_.timeline(source.head.node).prefetch();  // What is free there will be asked.
        return;
    }
}

// The spans within the hole that have room for the demand.
void HoleStream::look_closer(const Source& source) {
    const Hole& hole = source.head;
    const Timeline& timeline = book_.timeline(hole.node);
    std::size_t i = timeline.step_at(hole.start);
    while (i < timeline.size() && timeline.start(i) < hole.end && timeline.start(i) <= latest_) {
        if (!timeline.has_room(i, source.footprint->take)) {
            ++i;
            continue;
        }
        const Time start = std::max(timeline.start(i), hole.start);
        while (i < timeline.size() && timeline.has_room(i, source.footprint->take)) ++i;
        const Time end = i < timeline.size() ? timeline.start(i) : kNever;
        const bool long_enough = end == kNever || start < Time{} || end - start >= length_;
        if (end < reach_ || !long_enough) continue;
        parts_.push_back({{start, end, hole.node}, source.footprint});
        std::ranges::push_heap(parts_, later);
    }
}

bool HoleStream::next(Offered& out) {
    while (true) {
        Source* first = nullptr;
        for (Source& source : sources_) {
            if (!source.cursor.valid()) continue;
            if (first == nullptr || std::tie(source.head.start, source.head.node) <
                                        std::tie(first->head.start, first->head.node)) {
                first = &source;
            }
        }
        if (first != nullptr && first->head.start > latest_) first = nullptr;
        const bool part_first =
            !parts_.empty() &&
            (first == nullptr || std::tie(parts_.front().hole.start, parts_.front().hole.node) <=
                                     std::tie(first->head.start, first->head.node));
        if (part_first) {
            out = parts_.front();
            std::ranges::pop_heap(parts_, later);
            parts_.pop_back();
            return out.hole.start <= latest_;
        }
        if (first == nullptr) return false;
        const bool whole = first->exact;
        if (whole) {
            out = {first->head, first->footprint};
        } else {
            look_closer(*first);
        }
        first->cursor.next();
        settle(*first);
        if (whole) return true;
    }
}

}  // namespace berth
