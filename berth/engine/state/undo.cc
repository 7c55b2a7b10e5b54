#include "berth/engine/state/undo.h"

namespace berth {

std::size_t UndoLog::open() {
    ++open_;
    return entries_.size();
}

Before UndoLog::take_last() {
    BERTH_ASSERT(!entries_.empty());
    Before last = std::move(entries_.back());
    entries_.pop_back();
    return last;
}

void UndoLog::close(std::size_t at) {
    BERTH_ASSERT(open_ > 0 && at <= entries_.size());
    if (--open_ == 0) entries_.clear();
}

}  // namespace berth
