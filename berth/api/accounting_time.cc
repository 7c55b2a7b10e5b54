#include "berth/api/accounting_time.h"

#include <algorithm>

namespace berth::api {

Duration elapsed_between(std::optional<Time> from, std::optional<Time> to, Time now) {
    return from ? std::max(Duration::zero(), to.value_or(now) - *from) : Duration::zero();
}

Duration suspended_for(const AccountingRow& job, Time now) {
    const Duration since = elapsed_between(job.suspended_since, job.ended_at, now);
    return job.suspended + (job.suspended_since ? since : Duration::zero());
}

Duration ran_for(const AccountingRow& job, Time now) {
    return std::max(Duration::zero(),
                    elapsed_between(job.started_at, job.ended_at, now) - suspended_for(job, now));
}

}  // namespace berth::api
