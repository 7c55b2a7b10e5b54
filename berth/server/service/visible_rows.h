// VisibleRows: what of each list a principal may see, by PrivateData.
#pragma once

#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"
#include "berth/model/principal.h"
#include "berth/server/snapshot/read_model.h"
#include "berth/server/views/job_filter.h"

namespace berth {

// The jobs that the query selects among them; refuses an unknown state.
Result<JobFilter> visible_jobs(const Snapshot& snapshot, const Principal& who,
                               const api::JobQuery& query);
std::vector<api::AssociationRow> visible_associations(const Snapshot& snapshot,
                                                      const Principal& who);
std::vector<api::ReservationRow> visible_reservations(const Snapshot& snapshot,
                                                      const Principal& who);
std::vector<api::ShareRow> visible_shares(const Snapshot& snapshot, const Principal& who, Time now);
std::vector<api::QueueRow> visible_queues(const Snapshot& snapshot, const Principal& who);

}  // namespace berth
