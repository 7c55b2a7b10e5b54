// Volcano's Queue: weight, capability, deserved, guarantee, reclaimable, parent.
#include "berth/config/kube_volcano.h"

#include <algorithm>

#include "berth/config/kube_fields.h"
#include "berth/config/kube_resources.h"

namespace berth::config {
namespace {

constexpr std::int64_t kWeightMax = 1'000'000'000;  // As shares of accounts.

std::optional<std::int64_t> count_among(const TresLimits& counts, const std::string& tres) {
    const auto found = std::ranges::find(counts, tres, &TresLimits::value_type::first);
    return found == counts.end() ? std::nullopt : std::optional(found->second);
}

class VolcanoQueueReader {
public:
    VolcanoQueueReader(KubeFindings& findings, const KubeObject& object)
        : findings_(findings),
          top_(open_object(findings, object, head_)),
          spec_(top_.read_map("spec")) {
        queue_.kind = object.kind;
        queue_.place = object.place;
        queue_.quota.name = head_.name;
    }

    void read(KubeDescription& into) {
        const bool is_root = head_.name == "root";
        read_quotas();
        read_rest();
        KubeFields status = top_.read_map("status");
        read_state(status.read_text("state"), status.place_of("state"));
        top_.finish();
        spec_.finish();
        if (!is_root) return into.queues.push_back(std::move(queue_));
        const QueueSpec& quota = queue_.quota;
        if (quota.nominal.empty() && quota.guarantee.empty() && quota.limit.empty()) {
            findings_.warning(queue_.place,
                              "Queue root is the whole cluster, which needs no queue: skipped");
        } else {
            findings_.error(queue_.place,
                            "Queue root: quotas of the whole cluster are not imported; right would "
                            "be: quotas of the queues beneath it");
        }
    }

private:
    void read_quotas() {
        QueueSpec& quota = queue_.quota;
        quota.limit = read_resource_list(spec_.read_map("capability"));
        quota.nominal = read_resource_list(spec_.read_map("deserved"));
        queue_.has_deserved = spec_.says("deserved");
        KubeFields guarantee = spec_.read_map("guarantee");
        quota.guarantee = read_resource_list(guarantee.read_map("resource"));
        guarantee.finish();
        for (const auto& [tres, count] : quota.guarantee) {
            const auto most = count_among(quota.limit, tres);
            if (most && count > *most)
                spec_.error("guarantee", tres + " is above the capability of the queue");
            // What is guaranteed is deserved.
            if (count > count_among(quota.nominal, tres).value_or(0))
                quota.nominal = changed(quota.nominal, {{tres, count}});
        }
        for (const auto& [tres, most] : quota.limit) {
            if (count_among(quota.nominal, tres).value_or(0) <= most) continue;
            spec_.warning("deserved",
                          tres + " is above the capability, which counts, as in Volcano");
            quota.nominal = changed(quota.nominal, {{tres, most}});
        }
        if (!spec_.says("deserved") && spec_.says("weight") && head_.name != "root") {
            spec_.warning("weight",
                          "divides in Volcano what no queue deserves; here that is borrowed, and "
                          "the weight is the account's shares, for the order of jobs");
        }
    }

    void read_rest() {
        read_weight();
        queue_.parent = spec_.read_text("parent");
        queue_.parent_place = spec_.place_of("parent");
        if (queue_.parent == "root") queue_.parent.clear();
        queue_.is_protected = !spec_.read_flag("reclaimable").value_or(true);
        const std::string priority = spec_.read_text("priority");
        if (!priority.empty() && priority != "0") {
            spec_.error("priority",
                        priority +
                            " is not imported; right would be: priority: of the account, "
                            "with PriorityWeightAssoc; or priority classes of the jobs");
        }
        const std::string strategy = spec_.read_text("dequeueStrategy");
        if (!strategy.empty() && strategy != "traverse") {
            spec_.error("dequeueStrategy",
                        strategy +
                            " is not imported; right would be: traverse, since a job that "
                            "waits has a planned start, which no later job delays");
        }
        read_state(spec_.read_text("state"), spec_.place_of("state"));
        spec_.ignore("type", "no meaning here");
        spec_.refuse("affinity", "a partition of these nodes with AllowAccounts=" + head_.name);
        spec_.refuse("extendClusters", "without it: Berth schedules one cluster");
        spec_.refuse("dra", "GPUs by type in capability, deserved and guarantee");
    }

    void read_weight() {
        const std::string weight = spec_.read_text("weight");
        if (weight.empty()) return;
        const auto value = parse_kube_quantity(weight);
        if (!value.ok() || value->nano != 0 || value->whole < 1 || value->whole > kWeightMax) {
            return spec_.error("weight", weight + " should be a whole number from 1 to " +
                                             std::to_string(kWeightMax));
        }
        queue_.weight = *value;
        queue_.weight_place = spec_.place_of("weight");
    }

    void read_state(const std::string& state, const KubePlace& place) {
        if (state == "Closed" || state == "Closing") {
            queue_.quota.jobs_max = 0;
        } else if (!state.empty() && state != "Open" && state != "Unknown") {
            findings_.error(place, "Queue " + head_.name + ": state: " + state +
                                       " should be Open, Closed, Closing or Unknown");
        }
    }

    KubeFindings& findings_;
    KubeHead head_;
    KubeFields top_, spec_;
    KubeQueue queue_;
};

}  // namespace

void read_volcano_queue(KubeFindings& findings, const KubeObject& object, KubeDescription& into) {
    VolcanoQueueReader(findings, object).read(into);
}

}  // namespace berth::config
