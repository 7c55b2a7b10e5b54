// Messages of what operators do to jobs and partitions while the cluster runs. Part of messages.h.
#pragma once

#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/base/time.h"
#include "berth/model/cluster_edits.h"
#include "berth/model/new_node.h"

namespace berth::api {

// POST /v1/jobs/REF/notify
struct NotifyRequest {
    std::string message;
    BERTH_FIELDS(NotifyRequest, message)
};
// POST /v1/jobs/REF/alive answers with this.
struct AliveReply {
    Duration again_in{};  // When to say so again.
    BERTH_FIELDS(AliveReply, again_in)
};
// POST /v1/top: these jobs before their user's others, the first one first.
struct TopRequest {
    std::vector<std::string> jobs;
    BERTH_FIELDS(TopRequest, jobs)
};
// POST /v1/partitions; PATCH /v1/partitions/NAME takes the change alone.
struct PartitionCall {
    std::string name;
    PartitionChange change;
    BERTH_FIELDS(PartitionCall, name, change)
};

// POST /v1/nodes
struct NodeCall {
    std::vector<std::string> names;
    NewNode node;
    BERTH_FIELDS(NodeCall, names, node)
};

}  // namespace berth::api
