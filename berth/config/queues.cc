#include "berth/config/queues.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/config/yaml_lines.h"
#include "berth/model/queue_check.h"
#include "berth/model/queue_options.h"

namespace berth::config {
namespace {

void read_queue(Draft& draft, const std::string& name, const Line& line) {
    QueueSpec queue{.name = name};
    for (const Pair& pair : line.pairs) {
        const Status set = set_queue_option(queue, pair.key, *pair.value);
        if (!set.ok()) {
            draft.error(line, pair, set.error().message);
        } else if (pair.value->empty()) {
            draft.error(line, pair, pair.key + " of queue " + name + " has no value");
        }
    }
    draft.spec.queues.push_back(std::move(queue));
}

void report(Draft& draft, const QueueFault& fault) {
    const auto& queues = draft.yaml.queues;
    const auto at =
        std::ranges::find_if(queues, [&](const auto& one) { return one.first == fault.queue; });
    const Line& line = at->second;
    if (!fault.is_error) return draft.warning(line, fault.text);
    const auto pair = std::ranges::find_if(line.pairs, [&](const Pair& one) {
        return !fault.option.empty() && iequals(one.key, fault.option);
    });
    if (pair == line.pairs.end()) return draft.error(line, fault.text);
    draft.error(line, *pair, fault.text);
}

}  // namespace

void note_queues(Draft& draft, const std::string& file, const YAML::Node& node) {
    note_named_maps(draft, file, node, {"queue", "nominal, guarantee, limit"}, draft.yaml.queues);
}

void read_queues(Draft& draft) {
    for (const auto& [name, line] : draft.yaml.queues) read_queue(draft, name, line);
    if (draft.yaml.queues.empty()) return;
    for (const QueueFault& fault : find_queue_faults(draft.spec)) report(draft, fault);
    if (draft.spec.scheduling.enforce_limits) return;
    draft.warning(draft.yaml.queues.front().second,
                  "queues have no effect, because limits are not enforced; set "
                  "enforce_limits: yes, or AccountingStorageEnforce=limits");
}

}  // namespace berth::config
