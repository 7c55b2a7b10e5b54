// The table of the paper on fragmentation (Weng et al., ATC '23, Figures 7 to 14): how many of a
// shared cluster's GPUs each placement policy gets to use; published, and by the engine's policies.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/report/openb_run.h"

namespace berth::report {

struct OpenbPolicy {
    std::string name, published;  // As the summary calls it; empty: ours, beside the gradient.
    std::vector<RuleSpec> rules;
};
std::vector<OpenbPolicy> openb_policies();
// As files and the summary call them.
std::span<const std::string_view> openb_traces();

struct OpenbPublished {
    std::map<std::string, double> means, deviations;  // By "default|06-FGD|100".
};
Result<OpenbPublished> read_openb_published(std::string_view csv);

// One policy on one trace: the mean of its runs.
struct OpenbRow {
    std::string trace, policy, published_policy;
    double at_100 = 0, at_130 = 0;
    double published_100 = 0, published_130 = 0;
    double slowest = 0;       // Seconds of a run.
    double tolerance = 0;     // Of each mean; ours: by how much it may be below the gradient.
    bool is_ours = false;     // The default policy, for which nothing was published.
    double gradient_100 = 0;  // What the gradient comes to here, on the same orders.
    double gradient_130 = 0;

    bool is_good() const;
};

// `runs` are those of `policy`, `gradient` those of the gradient. On other orders than the
// published ones a mean may also be off by two standard errors of the difference.
OpenbRow openb_row(std::string_view trace, const OpenbPolicy& policy,
                   const std::vector<OpenbShare>& runs, const std::vector<OpenbShare>& gradient,
                   const OpenbPublished& published, bool same_orders);

}  // namespace berth::report
