#include "berth/cli/queue_lines.h"

#include "berth/model/queue_options.h"

namespace berth::cli {

Result<QueueSpec> queue_of_row(const api::QueueRow& row) {
    QueueSpec queue{.name = row.name};
    for (const auto& [option, value] : row.options)
        BERTH_CHECK(set_queue_option(queue, option, value));
    return queue;
}

std::string queue_line(const QueueSpec& queue) {
    std::string text = "queue " + queue.name + ":";
    for (const QueueOption& option : options_of(queue))
        text += " " + option.name + "=" + option.value;
    return text;
}

}  // namespace berth::cli
