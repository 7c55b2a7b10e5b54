#include "berth/api/row_text.h"

#include "berth/base/hostlist.h"

namespace berth::api {

std::string het_id_set(const HetComponent& het) {
    return to_string(het.first) + "-" + to_string(het.id(het.size - 1));
}

std::string step_name(StepId step) {
    if (step == kBatchStep) return "batch";
    if (step == kExternStep) return "extern";
    return to_string(step);
}

std::string nodes_text(const std::vector<std::string>& names, std::string_view otherwise) {
    return names.empty() ? std::string(otherwise) : compress_hostlist(names);
}

std::string gres_text(const std::vector<GresRequest>& all) {
    std::string text;
    for (const GresRequest& gres : all) {
        text += (text.empty() ? "gres/" : ",gres/") + gres.name +
                (gres.type.empty() ? "" : ":" + gres.type) + ":" + std::to_string(gres.count);
    }
    return text;
}

std::string preferred_features(const TopologyConstraint& near) {
    std::string text;
    for (const Affinity& wish : near.affinities) {
        const bool is_preferred = wish.to == Affinity::To::feature && !wish.required && !wish.apart;
        if (is_preferred) text += (text.empty() ? "" : "&") + wish.name;
    }
    return text;
}

}  // namespace berth::api
