// JobConditions: the filters of scancel. A job is selected if all that are set hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

struct JobConditions {
    std::optional<std::string> account, name, partition, qos, reservation, wckey;
    std::optional<std::uint32_t> user;  // Its uid.
    std::string state;                  // "PENDING", "RUNNING", "SUSPENDED".
    std::vector<std::string> nodes;

    Status set_user(const std::string& name_or_uid);
    Status set_state(const std::string& text);
    Status set_nodes(const std::string& text);

    bool any() const;
    bool hold_for(const api::JobRow& job) const;

    // The part that the controller can filter by; hold_for() checks the rest.
    api::JobQuery query() const;
    // The state that the controller checks again; a suspended job counts as running there.
    std::string state_to_send() const { return state == "SUSPENDED" ? "RUNNING" : state; }
};

}  // namespace berth::slurm
