// RowText: the small texts that both Slurm's commands and slurmrestd's shapes make of a row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/model/gres_request.h"
#include "berth/model/job.h"

namespace berth::api {

// Its components' own ids: "12-13".
std::string het_id_set(const HetComponent& het);

// "batch", "extern" or the number.
std::string step_name(StepId step);

std::string nodes_text(const std::vector<std::string>& names, std::string_view otherwise = {});
std::string gres_text(const std::vector<GresRequest>& all);  // "gres/gpu:a100:2"
// "ib&ssd" of --prefer; empty: it names none.
std::string preferred_features(const TopologyConstraint& near);

}  // namespace berth::api
