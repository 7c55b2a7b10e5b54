// ImportedQueue: a queue of another scheduler as an account with quotas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/model/queue.h"

namespace berth::config {

struct ImportedQueue {
    std::string parent;                  // "root" at the top.
    std::optional<std::int64_t> shares;  // nullopt: the files name no weight.
    QueueSpec quota;                     // Under the account's name. Of no option: only an account.
};

}  // namespace berth::config
