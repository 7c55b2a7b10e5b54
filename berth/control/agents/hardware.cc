#include "berth/control/agents/hardware.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "berth/base/size_text.h"
#include "berth/base/text.h"

namespace berth {
namespace {

// More than any node has; keeps sums of an agent's numbers within bounds.
constexpr std::int64_t kCountMax = 1 << 20;

void add(std::string& reason, const std::string& fault) {
    if (!reason.empty()) reason += ", ";
    reason += fault;
}

// "gpu:a100:8(S:0-1)" -> gpu, 8; "gpu" -> gpu, 1. Unreadable entries count as 0.
void count_gres(std::string_view entry, std::map<std::string, std::int64_t, std::less<>>& counts) {
    entry = trim(entry.substr(0, entry.find('(')));
    if (entry.empty()) return;
    const std::vector<std::string_view> parts = split(entry, ':');
    const auto number = parse_int64(parts.back());
    const bool counted = parts.size() > 1 && number.ok();
    const std::int64_t count = counted ? std::clamp<std::int64_t>(*number, 0, kCountMax) : 1;
    counts[std::string(parts.front())] += count;
}

// Commas within "(S:0,1)" do not separate entries.
std::map<std::string, std::int64_t, std::less<>> counts_of(std::string_view gres_text) {
    std::map<std::string, std::int64_t, std::less<>> counts;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= gres_text.size(); ++i) {
        const char letter = i < gres_text.size() ? gres_text[i] : ',';
        if (letter == '(') ++depth;
        if (letter == ')') --depth;
        if (i < gres_text.size() && (letter != ',' || depth > 0)) continue;
        count_gres(gres_text.substr(start, i - start), counts);
        start = i + 1;
    }
    return counts;
}

void add_missing_gres(std::string& reason, const NodeSpec& configured, const NodeSpec& found,
                      const Dimensions& dimensions, DeviceMask drained) {
    std::map<std::string, std::int64_t, std::less<>> wanted;
    for (std::size_t i = 0; i < configured.devices.size(); ++i) {
        if ((drained & bit(static_cast<int>(i))) != 0) continue;
        wanted[dimensions.at(configured.devices[i].dimension).name] += 1;
    }
    auto there = counts_of(found.gres_text);
    if (found.gres_text.empty()) {  // The agent has the cluster's own description of its node.
        for (const Device& device : found.devices) {
            if (device.dimension.index() >= dimensions.size()) continue;
            there[dimensions.at(device.dimension).name] += 1;
        }
    }
    for (const auto& [name, count] : wanted) {
        const auto entry = there.find(name);
        const std::int64_t reported = entry == there.end() ? 0 : entry->second;
        if (reported >= count) continue;
        add(reason, "gres/" + name + " count reported lower than configured (" +
                        std::to_string(reported) + " < " + std::to_string(count) + ")");
    }
}

}  // namespace

std::string hardware_shortfall(const NodeSpec& configured, const NodeSpec& found,
                               const Dimensions& dimensions, DeviceMask drained) {
    std::string reason;
    if (found.cpus() < configured.cpus()) {
        add(reason, "Low socket*core*thread count");
        add(reason, "Low CPUs");
    }
    if (in_mib(found.memory) < in_mib(configured.memory)) {
        add(reason, "Low RealMemory (reported:" + std::to_string(in_mib(found.memory)) +
                        " < 100.00% of configured:" + std::to_string(in_mib(configured.memory)) +
                        ")");
    }
    add_missing_gres(reason, configured, found, dimensions, drained);
    return reason;
}

DeviceMask absent_gpus(const NodeSpec& configured, const NodeSpec& found,
                       const Dimensions& dimensions) {
    DeviceMask absent = 0;
    bool any_there = false;
    for (std::size_t i = 0; i < configured.devices.size(); ++i) {
        const Device& device = configured.devices[i];
        if (device.file.empty() || dimensions.at(device.dimension).name != "gpu") continue;
        if (std::ranges::find(found.devices, device.file, &Device::file) == found.devices.end()) {
            absent |= bit(static_cast<int>(i));
        } else {
            any_there = true;
        }
    }
    return any_there ? absent : 0;
}

}  // namespace berth
