// PastRequests: the request ids of jobs that have left the state. A client may repeat a submission
// long after its job is over (its connection broke, the controller was down) and must not get a
// second job.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/ids.h"

namespace berth {

struct PastRequest {
    std::string request_id;
    JobId job{0};
    std::uint32_t uid = 0;  // Owner of the job.
    Time forgotten_at{};
    BERTH_FIELDS(PastRequest, request_id, job, uid, forgotten_at)
};

class PastRequests {
public:
    static constexpr Duration kKept = std::chrono::hours(24);
    static constexpr std::size_t kMax = 100'000;  // Beyond this many, the oldest are dropped.

    void remember(PastRequest request);
    const PastRequest* find(std::string_view request_id) const;

    // In the order in which the jobs were forgotten.
    const std::map<std::uint64_t, PastRequest>& all() const { return by_age_; }

private:
    void drop_oldest();

    std::map<std::uint64_t, PastRequest> by_age_;
    std::map<std::string, std::uint64_t, std::less<>> by_id_;
    std::uint64_t next_ = 0;
};

}  // namespace berth
