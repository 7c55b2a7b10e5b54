// The options of a queue by name, as berth.yaml and `berth queues set` spell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/queue.h"

namespace berth {

// Sets one option. An empty value takes it away. The error names the option and what would be
// right.
Status set_queue_option(QueueSpec& queue, std::string_view option, std::string_view value);

// As words: "nominal=gres/gpu=8".
Status set_queue_options(QueueSpec& queue, const std::vector<std::string>& words);

// What is set of a queue, as set_queue_option() takes it.
struct QueueOption {
    std::string name, value;
};
std::vector<QueueOption> options_of(const QueueSpec& queue);

}  // namespace berth
