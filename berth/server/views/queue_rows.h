// QueueRow from a snapshot: what `berth queues show` shows.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

// Every account is a queue. Each comes before those beneath it, by name; counted anew from the
// jobs.
std::vector<api::QueueRow> queue_rows(const Snapshot& snapshot);

}  // namespace berth
