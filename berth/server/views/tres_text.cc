#include "berth/server/views/tres_text.h"

#include <algorithm>

#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/policy/tres.h"

namespace berth {
namespace {

struct NamedAmount {
    std::string name, amount;
};

// Empty: all are told.
std::vector<std::string_view> told_gres(const ClusterSpec& spec) {
    for (const auto& [key, value] : spec.settings) {
        if (iequals(key, "AccountingStorageTRES") && !value.empty() && value != "(null)")
            return split(value, ',');
    }
    return {};
}

void add_gres(std::vector<NamedAmount>& all, const ClusterSpec& spec, const Resources& gres) {
    const std::vector<std::string_view> told = told_gres(spec);
    const auto add = [&](std::string name, std::int64_t amount) {
        if (amount == 0) return;
        if (!told.empty() && std::ranges::find(told, name) == told.end()) return;
        if (std::ranges::any_of(all, [&](const NamedAmount& one) { return one.name == name; }))
            return;
        all.push_back({std::move(name), std::to_string(amount)});
    };
    const Dimensions& dimensions = spec.dimensions;
    for (const DimensionId kind : dimensions.gres()) {
        const std::string& name = dimensions.at(kind).name;
        std::int64_t sum = 0;
        for (const DimensionId d : dimensions.of_name(name)) sum += gres[d];
        add("gres/" + name, sum);
        for (const DimensionId d : dimensions.of_name(name)) {
            if (!dimensions.at(d).type.empty())
                add("gres/" + name + ":" + dimensions.at(d).type, gres[d]);
        }
    }
}

}  // namespace

std::string tres_text(const ClusterSpec& spec, const Tres& tres, TresOrder order) {
    std::vector<NamedAmount> all;
    if (tres.cpus != 0) all.push_back({"cpu", std::to_string(tres.cpus)});
    if (tres.memory != Bytes(0)) all.push_back({"mem", format_size(tres.memory)});
    if (tres.nodes != 0) all.push_back({"node", std::to_string(tres.nodes)});
    const std::int64_t billing = tres.billed.value_or(tres.cpus);
    if (tres.billing && billing != 0) all.push_back({"billing", std::to_string(billing)});
    add_gres(all, spec, tres.gres);
    if (order == TresOrder::by_name) std::ranges::sort(all, {}, &NamedAmount::name);
    std::string text;
    for (const NamedAmount& one : all)
        text += (text.empty() ? "" : ",") + one.name + "=" + one.amount;
    return text;
}

std::optional<std::int64_t> billed_in(const ClusterSpec& spec, PartitionId partition,
                                      std::int64_t nodes, const Resources& amount) {
    if (spec.partition(partition).billing_weights.empty()) return std::nullopt;
    return billing_of(spec, partition, {.nodes = nodes, .amount = amount}).whole;
}

std::string gres_text(const ClusterSpec& spec, const NodeSpec& node, DeviceMask devices,
                      const Resources& amount, bool with_none) {
    std::string text;
    for (const DimensionId d : spec.dimensions.gres()) {
        if (node.capacity[d] == 0 || (amount[d] == 0 && !with_none)) continue;
        const Dimension& dimension = spec.dimensions.at(d);
        bool has_devices = false;
        DeviceMask indices = 0;
        for (std::size_t at = 0; at < node.devices.size(); ++at) {
            if (node.devices[at].dimension != d) continue;
            has_devices = true;
            if ((devices >> at & 1) != 0) indices |= bit(static_cast<int>(node.devices[at].index));
        }
        if (!text.empty()) text += ',';
        text += dimension.name + (dimension.type.empty() ? "" : ":" + dimension.type) + ":" +
                std::to_string(amount[d]);
        if (!has_devices) {
            text += "(CNT:" + std::to_string(amount[d]) + ")";
        } else {
            text += "(IDX:" + (indices == 0 ? std::string("N/A") : mask_to_list(indices)) + ")";
        }
    }
    return text;
}

std::string tres_per_text(const std::vector<GresRequest>& requests) {
    std::string text;
    for (const GresRequest& one : requests) {
        if (one.count <= 0) continue;
        if (!text.empty()) text += ',';
        text += "gres/" + one.name + (one.type.empty() ? "" : ":" + one.type) + ":" +
                std::to_string(one.count);
    }
    return text;
}

}  // namespace berth
