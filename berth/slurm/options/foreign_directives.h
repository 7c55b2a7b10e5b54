// The #PBS and #BSUB lines of a script, which Slurm's sbatch reads as well: scripts of PBS and LSF
// run without a change.
#pragma once

#include "berth/slurm/options/batch_script.h"

namespace berth::slurm {

// Those above the first command, as options of sbatch. Refused: what has no such option.
Result<std::vector<Directive>> foreign_directives(std::string_view script);

}  // namespace berth::slurm
