// The keys of slurm.conf that say what steps have unless their srun says otherwise.
#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/globals.h"
#include "berth/model/mpi_kind.h"

namespace berth::config {

void read_step_keys(Draft& draft) {
    const Pair* kind = draft.global("mpidefault");
    if (kind == nullptr) return;
    const std::string word = to_lower(*kind->value);
    if (is_mpi_kind(word)) {
        draft.spec.mpi_default = word;
        return;
    }
    std::string known;
    for (const std::string_view one : kMpiKinds) {
        known += (known.empty() ? "" : ", ") + std::string(one);
    }
    draft.error(Globals(draft).line(), *kind,
                "MpiDefault=" + *kind->value + " should be one of " + known);
}

}  // namespace berth::config
