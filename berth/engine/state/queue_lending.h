// What each queue lends. No list of who lent what to whom is kept: below each queue, what some
// borrow is shared out among those that have something to spare, in proportion to it.
#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/state/queue_quotas.h"

namespace berth {

// By account, what it lends of QueueQuotas::tres()[tres] now. Below each queue the sums agree: what
// the queues right beneath it borrow, what its own jobs use and what it lends itself come out of
// what it borrows, what no queue beneath it has by right, and what the queues beneath it lend. More
// is not lent than there is to spare. That may be too little: once quotas were lowered, or where a
// queue uses what it has by right while others still use it, too, until it is reclaimed.
// `unowned`: what the cluster has beyond all nominal quotas, for queues that no quota bounds.
std::vector<std::int64_t> lent_by_queues(const QueueQuotas& quotas, std::size_t tres,
                                         std::int64_t unowned);

}  // namespace berth
