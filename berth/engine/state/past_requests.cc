#include "berth/engine/state/past_requests.h"

#include <utility>

namespace berth {

void PastRequests::remember(PastRequest request) {
    const Time now = request.forgotten_at;
    if (const auto known = by_id_.find(request.request_id); known != by_id_.end()) {
        by_age_.erase(known->second);
        by_id_.erase(known);
    }
    by_id_.emplace(request.request_id, next_);
    by_age_.emplace(next_++, std::move(request));
    while (by_age_.size() > kMax || by_age_.begin()->second.forgotten_at + kKept < now) {
        drop_oldest();
    }
}

const PastRequest* PastRequests::find(std::string_view request_id) const {
    const auto known = by_id_.find(request_id);
    return known == by_id_.end() ? nullptr : &by_age_.at(known->second);
}

void PastRequests::drop_oldest() {
    by_id_.erase(by_age_.begin()->second.request_id);
    by_age_.erase(by_age_.begin());
}

}  // namespace berth
