// LimitWatch: pending jobs whose limits are checked again once something changes on which those
// limits are counted: the usage record of their user and account, or their QOS. An event then costs
// what it concerns, however many jobs wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "berth/engine/state/job_ids.h"
#include "berth/model/ids.h"

namespace berth {

class LimitWatch {
public:
    // `usage`: index into ClusterState::usage(); nullopt: no record yet, so that any change may
    // concern the job. `qos`: only where it limits all of its jobs together.
    void add(JobId job, std::optional<std::size_t> usage, std::optional<QosId> qos) {
        if (usage) {
            put(by_usage_, *usage, job);
        } else {
            without_usage_.push_back(job);
        }
        if (qos) put(by_qos_, qos->index(), job);
    }
    void clear() { *this = LimitWatch(); }

    // Visits each job of these records and these QOS, with the record or QOS that it was added for.
    // Jobs for which the visit says false are forgotten. REQUIRES: visits add nothing.
    template <class OfUsage, class OfQos>
    void visit(const std::vector<bool>& usages, const std::vector<bool>& qos, OfUsage of_usage,
               OfQos of_qos) {
        visit_list(without_usage_, [&](JobId job) { return of_usage(job, std::nullopt); });
        visit_lists(by_usage_, usages, [&](JobId job, std::size_t usage) {
            return of_usage(job, std::optional(usage));
        });
        visit_lists(by_qos_, qos, [&](JobId job, std::size_t index) {
            return of_qos(job, QosId::from_index(index));
        });
    }

private:
    using Lists = std::vector<std::vector<JobId>>;

    static void put(Lists& lists, std::size_t at, JobId job) {
        if (lists.size() <= at) lists.resize(at + 1);
        lists[at].push_back(job);
    }
    template <class Visit>
    static void visit_list(std::vector<JobId>& list, Visit visit) {
        put_in_order(list);  // A job may have been added again.
        std::erase_if(list, [&](JobId job) { return !visit(job); });
    }
    // A record beyond the end of `wanted` is new, and so wanted.
    template <class Visit>
    static void visit_lists(Lists& lists, const std::vector<bool>& wanted, Visit visit) {
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (i < wanted.size() && !wanted[i]) continue;
            visit_list(lists[i], [&](JobId job) { return visit(job, i); });
        }
    }

    Lists by_usage_, by_qos_;
    std::vector<JobId> without_usage_;
};

}  // namespace berth
