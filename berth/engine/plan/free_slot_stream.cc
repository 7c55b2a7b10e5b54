#include "berth/engine/plan/free_slot_stream.h"

#include <algorithm>
#include <tuple>

namespace berth {
namespace {

bool later(const FreeSlotStream::Offered& a, const FreeSlotStream::Offered& b) {
    return std::tie(a.free_slot.start, a.free_slot.node) >
           std::tie(b.free_slot.start, b.free_slot.node);
}

}  // namespace

FreeSlotStream::FreeSlotStream(const std::vector<ClassRequirement>& requirements,
                               const FreeSlotIndex& index, const PlanBook& book,
                               const BitSet& choice, const BitSet& usable, const Window& window,
                               Wanted wanted)
    : book_(book),
      choice_(choice),
      usable_(usable),
      length_(window.length),
      reach_(after(window.earliest, window.length)),
      latest_(window.latest) {
    sources_.reserve(requirements.size());
    for (const ClassRequirement& requirement : requirements) {
        const FreeSlotTree& tree = index.tree(requirement.node_class, requirement.level);
        const bool exact =
            !requirement.takes_others &&
            book.levels().has_all(requirement.node_class, requirement.level, requirement.take);
        Source& source = sources_.emplace_back(FreeSlotTree::Cursor(tree, length_, reach_, latest_),
                                               requirement, exact);
        settle(source);
        if (!source.cursor.valid()) {
            sources_.pop_back();
        } else if (wanted == Wanted::first && exact) {
            latest_ = std::min(latest_, std::max(source.head.start, window.earliest));
        }
    }
}

void FreeSlotStream::limit(Time latest) {
    latest_ = std::min(latest_, latest);
    for (Source& source : sources_) source.cursor.limit(latest_);
}

void FreeSlotStream::settle(Source& source) {
    for (; source.cursor.valid(); source.cursor.next()) {
        source.head = source.cursor.free_slot();
        const std::size_t node = source.head.node.index();
        if (!choice_.test(node) || !usable_.test(node)) continue;
        book_.timeline(source.head.node).prefetch();  // Its timeline is read next.
        return;
    }
}

// Finds the spans within the free slot that have room for the demand.
void FreeSlotStream::look_closer(const Source& source) {
    const FreeSlot& free_slot = source.head;
    const Timeline& timeline = book_.timeline(free_slot.node);
    std::size_t i = timeline.step_at(free_slot.start);
    while (i < timeline.size() && timeline.start(i) < free_slot.end &&
           timeline.start(i) <= latest_) {
        if (!timeline.has_room(i, source.requirement->take)) {
            ++i;
            continue;
        }
        const Time start = std::max(timeline.start(i), free_slot.start);
        while (i < timeline.size() && timeline.has_room(i, source.requirement->take)) ++i;
        const Time end = i < timeline.size() ? timeline.start(i) : kNever;
        const bool long_enough = end == kNever || start < Time{} || end - start >= length_;
        if (end < reach_ || !long_enough) continue;
        parts_.push_back({{start, end, free_slot.node}, source.requirement});
        std::ranges::push_heap(parts_, later);
    }
}

bool FreeSlotStream::next(Offered& out) {
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
            (first == nullptr ||
             std::tie(parts_.front().free_slot.start, parts_.front().free_slot.node) <=
                 std::tie(first->head.start, first->head.node));
        if (part_first) {
            out = parts_.front();
            std::ranges::pop_heap(parts_, later);
            parts_.pop_back();
            return out.free_slot.start <= latest_;
        }
        if (first == nullptr) return false;
        const bool whole = first->exact;
        if (whole) {
            out = {first->head, first->requirement};
        } else {
            look_closer(*first);
        }
        first->cursor.next();
        settle(*first);
        if (whole) return true;
    }
}

}  // namespace berth
