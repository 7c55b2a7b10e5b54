// LimitWatch: pending jobs whose limits are checked again once something changes on which those
// limits are counted: the use of their leaf of the quota tree, or their QOS; for jobs that need
// more than their queue has by right, also what other queues leave them. An event then costs what
// it concerns, however many jobs wait.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "berth/base/make_room.h"
#include "berth/engine/state/job_ids.h"
#include "berth/engine/state/quota_tree.h"

namespace berth {

class LimitWatch {
public:
    void add(JobId job, QuotaTree::Index leaf) { put(by_leaf_, leaf, job); }
    // For a job that needs more than its queue has by right, each time that this is found.
    void add_beyond_right(JobId job, QuotaTree::Index leaf) {
        put(beyond_right_by_leaf_, leaf, job);
    }
    // For a QOS that limits all of its jobs together.
    void add(JobId job, QosId qos) { put(by_qos_, qos.index(), job); }
    void clear() { *this = LimitWatch(); }

    // Visits each job that was added for one of these leaves or QOS. Jobs for which the visit says
    // false are forgotten, and all that were beyond the right of these leaves: each is found to be
    // so again when it is checked. REQUIRES: visits add nothing.
    template <class OfLeaf, class BeyondRight, class OfQos>
    void visit(const QuotaTree::News& news, OfLeaf of_leaf, BeyondRight beyond_right,
               OfQos of_qos) {
        for (const QuotaTree::Index leaf : news.leaves) {
            visit_list(by_leaf_, leaf, of_leaf);
            visit_list(beyond_right_by_leaf_, leaf, [](JobId) { return false; });
        }
        for (const QuotaTree::Index leaf : news.leaves_beyond_right) {
            visit_list(beyond_right_by_leaf_, leaf, [&](JobId job) {
                beyond_right(job);
                return false;
            });
        }
        for (const QosId qos : news.qos) {
            visit_list(by_qos_, qos.index(), [&](JobId job) { return of_qos(job, qos); });
        }
    }

private:
    using Lists = std::vector<std::vector<JobId>>;

    static void put(Lists& lists, std::size_t at, JobId job) {
        if (lists.size() <= at) {
            make_room(lists, at + 1 - lists.size());
            lists.resize(at + 1);
        }
        std::vector<JobId>& list = lists[at];
        if (list.size() == list.capacity()) put_in_order(list);  // A job may have been added again.
        make_room(list);
        list.push_back(job);
    }
    template <class Visit>
    static void visit_list(Lists& lists, std::size_t at, Visit visit) {
        if (at >= lists.size()) return;
        put_in_order(lists[at]);
        std::erase_if(lists[at], [&](JobId job) { return !visit(job); });
    }

    Lists by_leaf_, beyond_right_by_leaf_, by_qos_;
};

}  // namespace berth
