// LimitWatch: pending jobs whose limits are checked again once something changes on which those
// limits are counted: the use of their leaf of the quota tree, or their QOS; for jobs that need
// more than their queue has by right, also what other queues leave them. An event then costs what
// it concerns, however many jobs wait.
#pragma once

#include "berth/engine/derived/job_lists.h"
#include "berth/engine/state/job_ids.h"
#include "berth/engine/state/quota_tree.h"

namespace berth {

class LimitWatch {
public:
    void add(JobId job, QuotaTree::Index leaf) { by_leaf_.add(leaf, job); }
    // For a job that needs more than its queue has by right, each time that this is found.
    void add_beyond_right(JobId job, QuotaTree::Index leaf) {
        beyond_right_by_leaf_.add(leaf, job);
    }
    // For a QOS that limits all of its jobs together.
    void add(JobId job, QosId qos) { by_qos_.add(qos.index(), job); }
    void clear() { *this = LimitWatch(); }

    // Visits each job that was added for one of these leaves or QOS. Jobs for which the visit says
    // false are forgotten, and all that were beyond the right of these leaves: each is found to be
    // so again when it is checked. REQUIRES: visits add nothing.
    template <class OfLeaf, class BeyondRight, class OfQos>
    void visit(const QuotaTree::News& news, OfLeaf of_leaf, BeyondRight beyond_right,
               OfQos of_qos) {
        for (const QuotaTree::Index leaf : news.leaves) {
            by_leaf_.visit(leaf, of_leaf);
            beyond_right_by_leaf_.visit(leaf, [](JobId) { return false; });
        }
        for (const QuotaTree::Index leaf : news.leaves_beyond_right) {
            beyond_right_by_leaf_.visit(leaf, [&](JobId job) {
                beyond_right(job);
                return false;
            });
        }
        for (const QosId qos : news.qos) {
            by_qos_.visit(qos.index(), [&](JobId job) { return of_qos(job, qos); });
        }
    }

private:
    JobLists by_leaf_, beyond_right_by_leaf_, by_qos_;
};

}  // namespace berth
