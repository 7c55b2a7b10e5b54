// OrderCase: jobs that wait, for the tables of the orders' tests.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth::testing {

struct Waiting {
    std::string name, user = "ann", account;
    std::int64_t gpus = 0, cpus = 1;
    Duration limit = std::chrono::hours(1);
    std::optional<Duration> predicted;
    Duration attained{};
    std::uint32_t qos = 0;
    std::uint32_t priority = 0;  // 0: none of its own.
    Duration waited{};
    Bytes memory;
};

// A view whose jobs each ask for something of their own.
class OrderView : public FixedView {
public:
    std::map<JobId, TresCounts> asked;
    TresCounts tres(const Job& job) const override { return asked.at(job.id); }
};

// 96 GPUs, 1024 CPUs, 8192 GiB on one node.
inline OrderView order_view() {
    OrderView view;
    const DimensionId gpu = *view.cluster.dimensions.intern("gpu", "a100");
    NodeSpec node;
    node.capacity.set_cpu(cores(1024));
    node.capacity.set_memory(gib(8192));
    node.capacity[gpu] = 96;
    view.cluster.nodes = {node};
    view.cluster.qos = {{.name = "medium"}, {.name = "high"}, {.name = "low"}};
    view.at = Time(std::chrono::hours(1000));
    return view;
}

inline Job job_of(const Waiting& one, std::uint32_t id, OrderView& view) {
    Job job;
    job.id = JobId(id);
    job.owner = Owner{.uid = static_cast<std::uint32_t>(one.user.front()), .user = one.user};
    job.spec.name = one.name;
    job.spec.account = one.account;
    job.time_limit = one.limit;
    job.predicted = one.predicted;
    job.attained = one.attained;
    job.qos = QosId(one.qos);
    if (one.priority > 0) job.spec.priority = one.priority;
    job.submitted_at = view.at - one.waited;
    TresCounts& asked = view.asked[job.id];
    asked.nodes = 1;
    asked.amount.set_cpu(cores(one.cpus));
    asked.amount.set_memory(one.memory);
    asked.amount[DimensionId(2)] = one.gpus;
    return job;
}

// The names in the rule's order; equal ranks in the order given.
inline std::string order_of(const OrderRule& rule, OrderView& view,
                            const std::vector<Waiting>& waiting) {
    std::vector<Job> jobs;
    jobs.reserve(waiting.size());
    for (const Waiting& one : waiting) {
        jobs.push_back(job_of(one, static_cast<std::uint32_t>(jobs.size()) + 1, view));
    }
    std::vector<const Job*> pointers;
    pointers.reserve(jobs.size());
    for (const Job& job : jobs) pointers.push_back(&job);
    const std::vector<std::int64_t> ranks = rule.ranks(pointers, view);
    std::vector<std::size_t> places(jobs.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::ranges::stable_sort(places, {}, [&](std::size_t i) { return ranks[i]; });
    std::string names;
    for (const std::size_t i : places) names += jobs[i].spec.name;
    return names;
}

inline std::string order_of(std::string_view rule, const std::vector<Waiting>& waiting,
                            std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
    OrderView view = order_view();
    return order_of(*make_rule(order_rules(), rule, std::move(settings)), view, waiting);
}

}  // namespace berth::testing
