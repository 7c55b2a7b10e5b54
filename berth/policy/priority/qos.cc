// qos: jobs of a higher quality of service come first.
//
// Priority of the QOS / the highest of all, after `set_priority_factors` of Slurm's
// priority/multifactor.
#include "berth/policy/policy.h"

namespace berth {
namespace {

class Qos : public PriorityTerm {
public:
    Factor value(const Job& job, const View& view) const override {
        const std::int64_t highest = view.totals().qos_priority_max;
        const auto& all = view.spec().qos;
        if (highest <= 0 || job.qos.index() >= all.size()) return {0, 1};
        return {all[job.qos.index()].priority, highest};
    }
};

}  // namespace

RuleDef<PriorityTerm> priority_qos() {
    return {
        .name = "qos",
        .summary = "The QOS's priority, next to the highest there is.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Qos>();
        },
    };
}

}  // namespace berth
