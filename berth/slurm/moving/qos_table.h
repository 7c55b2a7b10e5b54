// The table of `sacctmgr -P show qos`: a header, then a line for each QOS, fields between bars.
#pragma once

#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/cluster_spec.h"
#include "berth/slurm/moving/remark.h"

namespace berth::slurm {

struct QosTable {
    std::vector<QosSpec> qos;  // Without what the remarks say is refused.
    Remarks remarks;
};

// An error, which names the line: it is no such table.
Result<QosTable> read_qos_table(std::string_view text);

}  // namespace berth::slurm
