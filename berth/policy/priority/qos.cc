// qos: jobs of a higher quality of service come first.
//
// Priority of the QOS / the highest of all, after `set_priority_factors` of Slurm's
// priority/multifactor; with NO_NORMAL_QOS, the priority itself.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Qos : public PriorityTerm {
public:
    explicit Qos(bool plain) : plain_(plain) {}

    Factor value(const Job& job, const View& view) const override {
        const std::int64_t highest = view.totals().qos_priority_max;
        const auto& all = view.spec().qos;
        if (job.qos.index() >= all.size()) return {};
        const std::int64_t own = all[job.qos.index()].priority;
        if (plain_) return {own, 1};
        return highest > 0 ? Factor{own, highest} : Factor{};
    }

private:
    bool plain_;
};

}  // namespace

RuleDef<PriorityTerm> priority_qos() {
    return {
        .name = "qos",
        .summary = "The QOS's priority, next to the highest there is.",
        .settings = {{.name = "plain",
                      .summary = "1: as it is, not divided by the highest",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Qos>(params.flag("plain"));
        },
    };
}

}  // namespace berth
