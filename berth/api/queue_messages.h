// Messages about queues. Part of messages.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/fields.h"

namespace berth::api {

// Of one queue and one TRES that any quota names; memory in MiB.
struct QueueTresRow {
    std::string tres;  // "gres/gpu:a100"
    // By right: its own or, if it names none, of those beneath.
    std::optional<std::int64_t> nominal;
    std::int64_t guarantee = 0;         // Of it: never lent.
    std::optional<std::int64_t> limit;  // At most, with what it borrows.
    std::int64_t used = 0, borrowed = 0, lent = 0;
    BERTH_FIELDS(QueueTresRow, tres, nominal, guarantee, limit, used, borrowed, lent)
};

// GET /v1/queues: each queue before those beneath it.
struct QueueRow {
    std::string cluster;
    std::string name, parent;                         // The parent of the topmost ones is "root".
    std::uint32_t depth = 0;                          // Of the topmost ones: 0.
    std::int64_t pending_jobs = 0, running_jobs = 0;  // Its own and of those beneath it.
    std::vector<QueueTresRow> tres;
    // What is set of it, as berth.yaml and `berth queues set` have it.
    std::vector<std::pair<std::string, std::string>> options;
    BERTH_FIELDS(QueueRow, cluster, name, parent, depth, pending_jobs, running_jobs, tres, options)
};

}  // namespace berth::api
