// Queues as `berth queues` reads them from the controller and prints them.
#pragma once

#include <string>

#include "berth/api/queue_messages.h"
#include "berth/base/result.h"
#include "berth/model/queue.h"

namespace berth::cli {

// With the options that are set of it.
Result<QueueSpec> queue_of_row(const api::QueueRow& row);

// "queue vision: nominal=gres/gpu=8 limit=gres/gpu=16"
std::string queue_line(const QueueSpec& queue);

}  // namespace berth::cli
