#include "berth/config/queues.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "berth/base/text.h"
#include "berth/model/queue_check.h"
#include "berth/model/queue_options.h"

namespace berth::config {
namespace {

// What an option of a queue says in YAML: a list as its entries between commas.
std::string value_of(const YAML::Node& node) {
    if (node.IsScalar()) return node.Scalar();
    std::string text;
    for (const auto& entry : node) {
        if (!node.IsSequence() || !entry.IsScalar()) continue;
        text += (text.empty() ? "" : ",") + entry.Scalar();
    }
    return text;
}

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

std::size_t line_number(const YAML::Node& node) {
    return static_cast<std::size_t>(std::max(node.Mark().line, 0)) + 1;
}

}  // namespace

void note_queues(Draft& draft, const std::string& file, const YAML::Node& node) {
    const Line whole{.file = file, .number = line_number(node), .pairs = {}};
    if (!node.IsMap()) {
        return draft.error(whole, "should be a map of accounts, each with a nominal quota");
    }
    for (const auto& entry : node) {
        Line line{.file = file, .number = line_number(entry.first), .pairs = {}};
        const std::string name = to_lower(entry.first.as<std::string>());
        if (!entry.second.IsMap()) {
            draft.error(line, "queue " + name + " should be a map with nominal, guarantee, limit");
            continue;
        }
        for (const auto& option : entry.second) {
            line.pairs.push_back({.key = option.first.as<std::string>(),
                                  .value = value_of(option.second),
                                  .line = line_number(option.first)});
        }
        const bool is_known = std::ranges::any_of(
            draft.yaml.queues, [&](const auto& one) { return one.first == name; });
        if (is_known) {
            draft.error(line, "queue " + name + " is described twice");
        } else {
            draft.yaml.queues.emplace_back(name, std::move(line));
        }
    }
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
