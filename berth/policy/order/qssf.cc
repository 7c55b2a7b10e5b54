// qssf: the job with the least expected GPU time comes first.
//
// Quasi-shortest-service-first of Helios (Hu et al., SC '21): expected length × GPUs.
#include <limits>

#include "berth/policy/rule.h"

namespace berth {
namespace {

class Qssf : public OrderRule {
public:
    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
        std::vector<std::int64_t> all;
        for (const Job* job : jobs) {
            const Wide service = Wide{expected_length(*job).count()} *
                                 gpus_of(view.spec().dimensions, view.tres(*job));
            all.push_back(service > kMost ? kMost : static_cast<std::int64_t>(service));
        }
        return all;
    }
};

}  // namespace

RuleDef<OrderRule> order_qssf() {
    return {
        .name = "qssf",
        .summary = "The job that is expected to take least GPU time comes first.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<OrderRule> {
            return std::make_unique<Qssf>();
        },
    };
}

}  // namespace berth
