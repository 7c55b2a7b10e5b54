// Licenses= of slurm.conf: what the site owns of which program.
#include <algorithm>

#include "berth/config/draft.h"

namespace berth::config {

void read_licenses(Draft& draft) {
    const Pair* pair = draft.global("licenses");
    if (pair == nullptr || pair->value->empty()) return;
    const Line line{.file = draft.slurm_conf, .number = 0, .pairs = {}};
    const auto licenses = parse_licenses(*pair->value);
    if (!licenses || licenses->any) {
        return draft.error(
            line, *pair,
            "Licenses=" + *pair->value + " should be a list like matlab:4,ansys:2, each name once");
    }
    for (const LicenseCount& one : licenses->counts) {
        if (one.name.find('@') != std::string::npos) {
            draft.error(line, *pair,
                        "Licenses: " + one.name +
                            " is on another server, which is not supported: give the number that "
                            "this cluster may use, without the @");
        }
        draft.spec.licenses.push_back({.name = one.name, .total = one.count});
    }
    std::ranges::sort(draft.spec.licenses, {}, &LicenseSpec::name);
}

}  // namespace berth::config
